import Dispatch
public import Foundation
import Synchronization

/// Records calls in the form that browsers and other tools read: HAR 1.2, without secrets.
///
/// ```swift
/// let recorder = HARRecorder()
/// API.record(into: recorder)
/// …
/// try await recorder.archive().write(to: file)
/// ```
public final class HARRecorder: Sendable {
    private struct State {
        var entries: [HTTPArchive.Entry] = []
        /// Where the clients that are recorded tell of their calls.
        var queues: [DispatchQueue] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: How many attempts are kept; older ones go for newer ones.
    public init(limit: Int = 1000) {
        self.limit = max(limit, 1)
    }

    /// All attempts that ended until now, as JSON.
    public func archive() async throws -> Data {
        for queue in state.withLock({ $0.queues }) {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        }
        let entries = state.withLock { Array($0.entries.suffix(limit)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(HTTPArchive(log: .init(creator: .init(name: "Catena", version: "1"), entries: entries)))
    }

    /// Forgets what was recorded.
    public func clear() {
        let former = state.withLock { state in
            defer { state.entries = [] }
            return state.entries
        }
        _ = consume former
    }

    fileprivate func begin(on queue: DispatchQueue) {
        state.withLock { $0.queues.append(queue) }
    }

    fileprivate func add(_ call: RecordedCall) {
        let entry = HTTPArchiveBuilder().entry(call)
        state.withLock { state in
            state.entries.append(entry)
            // Now and then, so that each costs the same.
            if state.entries.count >= 2 * limit { state.entries.removeFirst(state.entries.count - limit) }
        }
    }
}

extension Client {
    /// Records every attempt of every call from now on.
    public func record(into recorder: HARRecorder) {
        let records = CallRecords()
        recorder.begin(on: observation)
        observe { event in
            if let call = records.record(event) { recorder.add(call) }
        }
    }
}
