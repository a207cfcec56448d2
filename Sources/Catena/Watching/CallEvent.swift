public import CatenaPlatform

/// An event in the life of a call, which observers receive.
///
/// Requests and responses are whole unless ``leavesOutBodies`` is true. Their descriptions hide secrets.
public struct CallEvent: Sendable {
    /// The kind of an event.
    public enum Kind: Sendable {
        /// The request has been assembled.
        case started
        /// It is being sent. With ``CallOptions/hedgeDelay`` a second attempt may begin before the first has ended; ``CallEvent/attempt`` tells them apart, and
        /// the one that is given up fails with a `CancellationError`.
        case attempt
        /// A response has arrived that the envelope classifies as a success.
        case answered(HTTPResponse)
        /// The attempt has failed. Whether another attempt follows is not decided yet.
        case failed(any Error)
        /// Another attempt will follow after this wait, which ``RetryPolicy/whenOnline(_:)`` may end early.
        case retrying(after: Duration, APIError)
        /// The call has ended.
        case finished(Result<HTTPResponse, any Error>)
    }

    /// The number of the call, unique within the process.
    public let callID: UInt64
    /// The kind of the event, with its details.
    public let kind: Kind
    /// The tag of the call.
    public let tag: Tag?
    /// The request at the time of the event, or `nil` if it could not be created.
    public let request: HTTPRequest?
    /// The number of the attempt; for ``CallEvent/Kind/finished(_:)``, the number of times the request was sent.
    public let attempt: Int
    /// The time since the call began.
    public let elapsed: Duration
    /// The time of day.
    public let date: Date
    /// Whether bodies are missing, because with them more than 24 MiB would wait for a slow observer.
    public private(set) var leavesOutBodies = false
    /// The values that the app has set for the call.
    var ownValues = OptionValues()

    /// The value of your own that ``RequestSteps/set(_:_:)-(Key.Type,_)`` has set for the call, or the key's initial value.
    public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value { ownValues[key] }
}

extension CallEvent {
    /// The bodies that the event retains.
    var bodies: Set<RetainedBody> {
        let received =
            switch kind {
            case .answered(let response), .finished(.success(let response)): response.body
            case .failed(let error), .finished(.failure(let error)): (error as? APIError)?.body
            case .retrying(_, let error): error.body
            case .started, .attempt: Data?.none
            }
        return Set([request?.body, received].compactMap { $0.flatMap(RetainedBody.init) })
    }

    var withoutBodies: CallEvent {
        var request = request
        request?.body = nil
        var event = CallEvent(
            callID: callID, kind: kind.withoutBodies, tag: tag, request: request, attempt: attempt, elapsed: elapsed, date: date)
        event.leavesOutBodies = true
        event.ownValues = ownValues
        return event
    }
}

extension CallEvent.Kind {
    fileprivate var withoutBodies: CallEvent.Kind {
        switch self {
        case .answered(let response): .answered(response.withoutBody)
        case .finished(.success(let response)): .finished(.success(response.withoutBody))
        case .failed(let error): .failed(Self.withoutBody(error))
        case .finished(.failure(let error)): .finished(.failure(Self.withoutBody(error)))
        case .retrying(let delay, let error): .retrying(after: delay, Self.withoutBody(error) as? APIError ?? error)
        case .started, .attempt: self
        }
    }

    private static func withoutBody(_ error: any Error) -> any Error {
        guard var error = error as? APIError else { return error }
        error.body = nil
        return error
    }
}

extension HTTPResponse {
    fileprivate var withoutBody: HTTPResponse {
        var response = self
        response.body = Data()
        return response
    }
}

/// Receives the events of calls.
package final class CallObserver: Sendable {
    /// Whether the observer is a part of Catena that the call runs synchronously. Observers of an app run later, on a queue.
    let isImmediate: Bool
    /// The object that the observer writes to. A new observer with the same object replaces this one.
    let place: (any AnyObject & Sendable)?
    private let handler: @Sendable (CallEvent) -> Void
    private let hasEnded = AtomicFlag()

    package init(isImmediate: Bool, at place: (any AnyObject & Sendable)? = nil, _ handler: @escaping @Sendable (CallEvent) -> Void) {
        self.isImmediate = isImmediate
        self.place = place
        self.handler = handler
    }

    /// - Parameter within: The runs of closures in which the call of the event began.
    func tell(_ event: CallEvent, within: [ClosureScope.Run] = []) {
        if hasEnded.isSet { return }
        if isImmediate { return handler(event) }
        ClosureScope.runPlain(ClosureScope.Mark(AppClosure(.observer, of: self)), within: within) { handler(event) }
    }

    /// Ends the observation, also of active calls, which keep the configuration that they began with.
    func end() { hasEnded.set() }
}
