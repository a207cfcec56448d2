import Catena
public import CatenaPlatform
import CatenaPromise

/// Records calls as HAR 1.2, the format of browsers and other tools, without secrets.
///
/// ```swift
/// import Catena
/// import CatenaArchive
///
/// let recorder = HARRecorder()
/// API.record(into: recorder)
/// …
/// try await recorder.write(to: file)
/// ```
public final class HARRecorder: Sendable {
    private struct State {
        var entries: [HTTPArchive.Entry] = []
        /// The number of attempts that were dropped for lack of room.
        var dropped = 0
    }

    private let limit: Int
    private let state = Mutex(State())
    let queue = ObservationQueue(label: "catena.archive")

    /// Creates an empty recorder.
    ///
    /// - Parameter limit: The maximum number of attempts stored; newer ones replace the oldest.
    public init(limit: Int = 1000) {
        self.limit = max(limit, 1)
    }

    /// Returns all attempts that have ended so far, as JSON.
    public func archive() async throws -> Data {
        await queue.finish()
        let (entries, dropped) = state.withLock { (Array($0.entries.suffix(limit)), $0.dropped) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var log = HTTPArchive.Log(creator: .init(name: "Catena", version: API.version), entries: entries)
        if dropped > 0 { log.comment = "\(dropped) attempts are missing: too much was waiting to be recorded." }
        return try encoder.encode(HTTPArchive(log: log))
    }

    /// Writes ``archive()`` to a file that only its owner can read.
    public func write(to file: URL) async throws {
        try OwnerOnlyFile.write(try await archive(), to: file, isDurable: false)
    }

    /// Removes all recorded attempts.
    public func clear() {
        let former = state.withLock { state in
            defer { (state.entries, state.dropped) = ([], 0) }
            return state.entries
        }
        _ = consume former
    }

    func add(_ call: RecordedCall) {
        let call = call.cut(to: HTTPArchiveBuilder.bytesRead)
        queue.add(size: call.size) {
            let entry = HTTPArchiveBuilder().entry(call)
            self.state.withLock { state in
                state.entries.append(entry)
                // Removed in batches, so that the cost for each attempt is constant.
                let excess = state.entries.count - self.limit
                if excess >= self.limit { state.entries.removeFirst(excess) }
            }
        } whenDropped: { count in
            self.state.withLock { $0.dropped += count }
        }
    }
}
