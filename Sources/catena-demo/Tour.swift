import Catena
import CatenaTesting

struct Token: Codable, Sendable {
    let value: String
}

struct User: Codable, Sendable {
    let name: String
}

struct Profile: Codable, Sendable {
    let name: String
    let room: String
}

struct Balance: Codable, Sendable {
    let amount: String
    let currency: String
}

/// Runs the scenarios and prints whether each had the expected outcome.
struct Tour {
    let backends: Backends

    static func run() async -> Bool {
        do {
            let backends = try Backends()
            defer { backends.stop() }
            let tour = Tour(backends: backends)
            tour.configure()
            tour.introduce()
            var failures = 0
            for (index, scenario) in tour.scenarios.enumerated() {
                if await !tour.play(scenario, number: index + 1) { failures += 1 }
            }
            print(failures == 0 ? "\nAll went as told." : "\n\(failures) did not go as told.")
            return failures == 0
        } catch {
            print("The servers could not be started: \(error)")
            return false
        }
    }

    /// Configures the tags, as an app does once at start-up.
    func configure() {
        let backends = backends
        API.configure(.forum) { forum in
            forum.host = backends.forum.server.url + "/api"
            forum.timeout = .seconds(10)
        }
        API.configure(.wallet) { wallet in
            wallet.host = backends.wallet.server.url
            wallet.envelope = .standard.codes("result.code").message("result.text").data("payload").success(0, "OK")
        }
        API.configure(.legacy) { legacy in
            legacy.host = backends.legacy.server.url
        }
        API.commonParams { tag in
            tag == .forum ? ["app": "demo", "v": "3.2"] : [:]
        }
        API.commonHeaders { tag in
            ["Authorization": tag == .wallet ? "Bearer made-up" : nil]
        }
    }

    private func introduce() {
        print(
            """
            Three backends on this machine, each with its own way to wrap an answer:

              .forum    \(backends.forum.server.url)/api   {"code": 0, "msg": "…", "data": …}
              .wallet   \(backends.wallet.server.url)       {"result": {"code": "OK", "text": "…"}, "payload": …}
              .legacy   \(backends.legacy.server.url)       {"errno": "0", "errmsg": "…", "ret": …}
            """)
    }

    private func play(_ scenario: Scenario, number: Int) async -> Bool {
        print("\n\(number). \(scenario.title)\n")
        for line in scenario.code.split(separator: "\n") { print("     \(line)") }
        print("")
        let start = ContinuousClock.now
        let outcome: String
        var isAsTold = true
        do {
            outcome = try await scenario.run()
        } catch {
            outcome = "NOT AS TOLD: \(error)"
            isAsTold = false
        }
        let duration = milliseconds(since: start)
        for backend in backends.all {
            for line in backend.takeLog() { print("   \(line)") }
        }
        print("   gave     \(outcome)   (\(duration))")
        return isAsTold
    }
}
