import Catena
import CatenaTesting
import Foundation

/// Makes many calls with cancellations at random moments. Each must settle once, and nothing may leak.
func soakGroup(_ effort: Effort) async throws {
    var limits = LoopbackServer.Limits()
    limits.recordedRequests = 100
    let server = try LoopbackServer(limits: limits)
    defer { server.stop() }
    server.get("/n/{n}") { .json(text: $0.parameters["n"] ?? "") }
    let client = Client()
    client.defaultHost = server.url
    let count = effort.isSmoke ? 4_000 : 20_000

    // The first calls fill pools and caches.
    _ = try await soak(client, count: count / 4)
    let descriptors = openDescriptors()
    let memory = residentMemory()
    let tally = try await soak(client, count: count)
    let growth = residentMemory() - memory
    let left = openDescriptors() - descriptors

    print("  \(count) calls, 64 at a time, every fifth cancelled at a random moment")
    print("    values \(tally.values), cancelled \(tally.cancelled), errors \(tally.errors), lost \(count - tally.total)")
    print("    resident memory grew by \(growth / 1024) KB, open descriptors by \(left)")
    // Both ends of the connections are in this process, and those of cancelled calls may be closing. A leak per cancelled call would exceed this limit.
    guard tally.total == count, tally.errors == 0, growth < 16 * 1024 * 1024, left <= 2 * 64 else {
        print("    NOT AS IT SHOULD BE \(tally.firstError ?? "")")
        exit(1)
    }
}

private struct Tally {
    var values = 0
    var cancelled = 0
    var errors = 0
    var firstError: String?

    mutating func note(_ error: String) {
        errors += 1
        firstError = firstError ?? error
    }

    var total: Int { values + cancelled + errors }
}

private func soak(_ client: Client, count: Int) async throws -> Tally {
    let tally = Mutex(Tally())
    try await concurrently(count, width: 64) {
        let number = Int.random(in: 0..<1_000_000)
        let call = client.get("/n/\(number)").execute(as: Int.self)
        if number % 5 == 0 {
            for _ in 0..<(number % 37) { await Task.yield() }
            call.cancel()
        }
        let result = await call.result
        tally.withLock { tally in
            switch result {
            case .success(let value) where value == number: tally.values += 1
            case .failure(is CancellationError): tally.cancelled += 1
            case .success(let value): tally.note("\(value) in place of \(number)")
            case .failure(let error): tally.note("\(error)")
            }
        }
    }
    return tally.withLock { $0 }
}

func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

/// The resident memory in bytes, or 0 if the system does not report it.
func residentMemory() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
}
