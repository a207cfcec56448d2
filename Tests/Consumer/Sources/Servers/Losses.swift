import Catena
import Foundation

/// Counts what is lost of a thousand calls while something happens to the server: 500 GETs with a retry policy and 500 POSTs without one.
///
/// Each call carries an id, and the backend counts how often it has carried out each id.
struct Losses {
    /// `reload` and `kill` run a command ten times (CATENA_SERVERS_EVENT). `reset` asks the server to reset every fifth call: after it was carried
    /// out, before the head or within the body.
    let kind: String
    let site: Site

    /// Prints the figures. Returns whether no GET was lost and no POST was carried out twice.
    func run() async throws -> Bool {
        let event = ProcessInfo.processInfo.environment["CATENA_SERVERS_EVENT"]
        let prefix = UUID().uuidString
        let count = 1000
        let width = 20
        var outcomes: [Outcome] = []
        for first in stride(from: 0, to: count, by: 100) {
            outcomes += await withTaskGroup(of: [Outcome].self) { group in
                for lane in 0..<width {
                    group.addTask {
                        var outcomes: [Outcome] = []
                        for number in stride(from: first + lane, to: first + 100, by: width) {
                            outcomes.append(await call(number, "\(prefix)-\(number)"))
                        }
                        return outcomes
                    }
                }
                if let event {
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(30))
                        _ = try? Command.run("sh", ["-c", event])
                        return []
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
        }
        return try await report(outcomes, prefix)
    }

    struct Outcome {
        let id: String
        let isPost: Bool
        let attempts: Int
        let error: APIError?
    }

    private func call(_ number: Int, _ id: String) async -> Outcome {
        let isPost = number.isMultiple(of: 2)
        var query: Params = ["id": id, "pause": 10]
        if kind == "reset", number % 10 < 2 { query["reset"] = number % 20 < 10 ? "head" : "body" }
        do {
            if isPost {
                let response = try await site.client.post("/work").query(query).body(Data("made up".utf8), contentType: "text/plain")
                    .response(as: Fine.self)
                return Outcome(id: id, isPost: true, attempts: response.attempts, error: nil)
            }
            // A GET that was reset is repeated without the reset.
            var policy = RetryPolicy.exponential(limit: 8, baseDelay: .milliseconds(100))
            policy.budget = nil
            let response = try await site.client.get("/work").query(query).retry(policy).response(as: Fine.self)
            return Outcome(id: id, isPost: false, attempts: response.attempts, error: nil)
        } catch {
            let error = error as? APIError ?? APIError(.other, message: "\(error)")
            return Outcome(id: id, isPost: isPost, attempts: error.attempts, error: error)
        }
    }

    private func report(_ outcomes: [Outcome], _ prefix: String) async throws -> Bool {
        var carriedOut: [String: Int] = [:]
        for outcome in outcomes where outcome.isPost {
            carriedOut[outcome.id] = try await site.client.get("/carried-out").query(["id": outcome.id])
                .retry(.exponential(limit: 5)).value(as: Tally.self).count
        }
        let gets = outcomes.filter { !$0.isPost }
        let posts = outcomes.filter(\.isPost)
        let lost = posts.filter { $0.error != nil }
        let twice = posts.count { carriedOut[$0.id, default: 0] > 1 }
        let unsaid = posts.count { $0.error == nil && carriedOut[$0.id] == 0 }
        let lostGets = gets.count { $0.error != nil }
        print(
            "  \(kind): \(gets.count) GETs, \(gets.count { $0.attempts > 1 }) sent again, \(lostGets) lost; \(posts.count) POSTs,",
            "\(posts.count { $0.error == nil && $0.attempts > 1 }) repeated, \(lost.count) failed, of which",
            "\(lost.count { carriedOut[$0.id] == 0 }) were not carried out; \(twice) carried out twice")
        for (words, errors) in Dictionary(grouping: outcomes.compactMap(\.error), by: { describe($0) }).sorted(by: { $0.key < $1.key }) {
            print("    \(errors.count) x \(words.prefix(300))")
        }
        return lostGets == 0 && twice == 0 && unsaid == 0
    }

    private struct Tally: Codable {
        let count: Int
    }
}
