/// The streams that listen to one source of values. The source guards them with its lock, so that all receive the values in the same order.
struct Listeners<Value: Sendable>: Sendable {
    private var streams: [Int: AsyncStream<Value>.Continuation] = [:]
    private var lastKey = 0

    var isEmpty: Bool { streams.isEmpty }

    /// Adds a stream, and returns the key that removes it.
    mutating func add(_ stream: AsyncStream<Value>.Continuation) -> Int {
        lastKey += 1
        streams[lastKey] = stream
        return lastKey
    }

    /// Removes a stream, which the caller releases after its lock.
    mutating func remove(_ key: Int) -> AsyncStream<Value>.Continuation? { streams.removeValue(forKey: key) }

    /// Stores a value in each stream, which runs no code of a reader.
    func yield(_ value: Value) {
        for stream in streams.values { stream.yield(value) }
    }

    /// Ends the streams. Call it under no lock, because ending a stream removes it.
    func finish() {
        for stream in streams.values { stream.finish() }
    }
}
