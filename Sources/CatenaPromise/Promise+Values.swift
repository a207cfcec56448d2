extension Promise {
    /// The promise as an asynchronous sequence of one value, for code that takes a sequence.
    ///
    /// ```swift
    /// for try await user in promise.values { show(user) }
    /// ```
    ///
    /// The loop throws the errors that ``value`` throws. Cancelling its task before it has the value cancels the promise, unless another promise or
    /// task waits for it. A sequence that is not iterated has no effect on the promise.
    public var values: PromiseValues<Value> { PromiseValues(promise: self) }
}

// A type of its own, because an `AsyncThrowingStream` ends without an error if its task was cancelled before it asked for the value.
/// The value of a promise as an asynchronous sequence. See ``Promise/values``.
public struct PromiseValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let promise: Promise<Value>

    public func makeAsyncIterator() -> Iterator { Iterator(promise) }

    /// Awaits the promise once.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// The promise, or `nil` once it was awaited.
        private var promise: Promise<Value>?

        fileprivate init(_ promise: Promise<Value>) {
            self.promise = promise
        }

        /// Returns the value of the promise, and then `nil`.
        public mutating func next() async throws -> Value? {
            try await promise.take()?.value
        }
    }
}
