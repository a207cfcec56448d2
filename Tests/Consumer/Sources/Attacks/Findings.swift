import Catena
import Foundation
import Synchronization

/// Prints each attack, and counts the broken promises.
final class Findings: Sendable {
    private let tried = Atomic(0)
    private let broken = Atomic(0)

    var areNone: Bool { broken.load(ordering: .acquiring) == 0 }

    /// Prints a line with the attack and, if the promise is broken, what was seen.
    func check(_ attack: String, _ holds: Bool, _ seen: @autoclosure () -> String) {
        tried.add(1, ordering: .acquiringAndReleasing)
        if !holds { broken.add(1, ordering: .acquiringAndReleasing) }
        print(holds ? "held    \(attack)" : "BROKEN  \(attack): \(seen())")
    }

    /// Says that this machine cannot try an attack.
    func omit(_ attack: String, because reason: String) { print("omitted \(attack): \(reason)") }

    var summary: String {
        "\(tried.load(ordering: .acquiring)) attacks, \(broken.load(ordering: .acquiring)) broken promises"
    }
}

/// Returns the outcome of work, or `nil` if the work takes longer than a time. The work then continues.
@MainActor
func outcome<Value: Sendable>(
    within seconds: Double, of work: @escaping @Sendable () async throws -> Value
) async -> Result<Value, any Error>? {
    let isOver = Atomic(false)
    return await withCheckedContinuation { continuation in
        let finish = { @Sendable (result: Result<Value, any Error>?) in
            if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
            continuation.resume(returning: result)
        }
        Task.detached {
            do {
                finish(.success(try await work()))
            } catch {
                finish(.failure(error))
            }
        }
        // A thread, because an attack may have taken all threads of the pool.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: seconds)
            finish(nil)
        }
    }
}

/// Ends the process if it hangs, with the stacks of its threads where the system shows them.
func startWatchdog(seconds: Double) {
    Thread.detachNewThread {
        Thread.sleep(forTimeInterval: seconds)
        print("BROKEN  the attacks took more than \(seconds) seconds")
        exit(1)
    }
}

/// A folder of its own, which is removed at the end of the process.
struct Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "catena-attacks-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    /// Creates a folder in it.
    func inner(_ name: String) throws -> URL {
        let folder = url.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}

func words(of result: Result<some Sendable, any Error>?) -> String {
    switch result {
    case nil: "no end"
    case .success(let value)?: "\(value)"
    case .failure(let error)?: "\(error)"
    }
}

/// Waits for all promises.
func results<Value: Sendable>(of promises: [Promise<Value>]) async -> [Result<Value, any Error>] {
    var results: [Result<Value, any Error>] = []
    for promise in promises { results.append(await promise.result) }
    return results
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// A flag for any thread.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

enum Memory {
    /// The largest memory of the process so far, in MB, where the system says it.
    static var peak: Int? {
        #if os(Linux)
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 / 1024 }
        #else
        return nil
        #endif
    }
}
