public import Foundation

/// An event in the life of a call, which observers receive.
///
/// Requests and responses are whole, unless ``leavesOutBodies`` says otherwise; their descriptions are without secrets.
public struct CallEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// The request has been made from its description.
        case started
        /// It is being sent. With ``RequestSteps/hedge(after:)`` a second attempt may begin before the first has ended; ``CallEvent/attempt`` tells them apart, and
        /// the one that is given up fails with a `CancellationError`.
        case attempt
        /// A response has arrived that the envelope takes for a success.
        case answered(HTTPResponse)
        /// The attempt has failed, and whether another one follows is not known yet.
        case failed(any Error)
        /// Another attempt will follow.
        case retrying(after: Duration, APIError)
        /// The call is over.
        case finished(Result<HTTPResponse, any Error>)
    }

    /// Tells calls apart.
    public let callID: UInt64
    /// What happened.
    public let kind: Kind
    /// The tag of the call.
    public let tag: Tag?
    /// The request as it was at that point; `nil` if it could not be made.
    public let request: HTTPRequest?
    /// How many times it has been sent or is about to be.
    public let attempt: Int
    /// The time since the call began.
    public let elapsed: Duration
    /// The time of day.
    public let date: Date
    /// Whether bodies are missing, because a slow observer has let too much wait: no more than 24 MiB are kept for it.
    public private(set) var leavesOutBodies = false
}

extension CallEvent {
    /// About how many bytes the event keeps.
    var size: Int {
        let sent = request?.body?.count ?? 0
        return switch kind {
        case .answered(let response), .finished(.success(let response)): sent + response.body.count
        case .failed(let error), .finished(.failure(let error)): sent + ((error as? APIError)?.body?.count ?? 0)
        case .retrying(_, let error): sent + (error.body?.count ?? 0)
        case .started, .attempt: sent
        }
    }

    var withoutBodies: CallEvent {
        var request = request
        request?.body = nil
        var event = CallEvent(
            callID: callID, kind: kind.withoutBodies, tag: tag, request: request, attempt: attempt, elapsed: elapsed, date: date)
        event.leavesOutBodies = true
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

/// Who is told of the life of calls.
final class CallObserver: Sendable {
    /// Whether it is a part of Catena that takes what it needs at once, in the way of the call. An app's own is told after the fact.
    let isImmediate: Bool
    /// What it writes to, if no other one may write there.
    let place: (any AnyObject & Sendable)?
    private let handler: @Sendable (CallEvent) -> Void
    private let hasEnded = AtomicFlag()

    init(isImmediate: Bool, at place: (any AnyObject & Sendable)? = nil, _ handler: @escaping @Sendable (CallEvent) -> Void) {
        self.isImmediate = isImmediate
        self.place = place
        self.handler = handler
    }

    func tell(_ event: CallEvent) {
        if !hasEnded.isSet { handler(event) }
    }

    /// Calls under way keep to the configuration with which they began; it is told of them no more either.
    func end() { hasEnded.set() }
}

extension Client {
    /// Has somebody told of the life of every call, in place of whoever writes to the same place.
    func add(_ observer: CallObserver) -> Registration {
        let client = active
        client.install { settings in
            if let place = observer.place { settings.observers.removeAll { $0.place === place } }
            settings.observers.append(observer)
        }
        return Registration { [weak client] in
            observer.end()
            client?.install { $0.observers.removeAll { $0 === observer } }
        }
    }
}

extension Client {
    /// Has somebody keep the calls that begin from now on, if they fail.
    package func add(_ watcher: any CallWatcher & FailureKeeper) -> Registration {
        let client = active
        client.install { $0.keepers.append(watcher) }
        return Registration { [weak client] in
            client?.install { settings in
                settings.watchers.removeAll { $0 === watcher }
                settings.keepers.removeAll { $0 === watcher }
            }
        }
    }

    /// Has somebody who was added watch the calls that begin from now on, or only keep those that fail. Each call is told in one of these ways.
    package func turn(_ watcher: any CallWatcher & FailureKeeper, isWatching: Bool) {
        install { settings in
            guard settings.watchers.contains(where: { $0 === watcher }) || settings.keepers.contains(where: { $0 === watcher }) else {
                return
            }
            settings.watchers.removeAll { $0 === watcher }
            settings.keepers.removeAll { $0 === watcher }
            if isWatching { settings.watchers.append(watcher) } else { settings.keepers.append(watcher) }
        }
    }
}

extension Execution {
    /// Tells the observers, if there are any.
    func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ call: Call) {
        emit(kind(), call.prepared, attempt: call.attempt)
    }

    /// Tells the observers of an attempt that was given up.
    func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ lost: CallLog.Lane) {
        trace?.failAttempt(lost.attempt, CancellationError(), at: now)
        emit(kind(), lost.request, attempt: lost.attempt)
    }

    private func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ sent: HTTPRequest?, attempt: Int) {
        if !snapshot.settings.observers.isEmpty { tellObservers(kind(), sent, attempt: attempt) }
    }

    private func tellObservers(_ kind: CallEvent.Kind, _ sent: HTTPRequest?, attempt: Int) {
        let observers = snapshot.settings.observers
        let event = CallEvent(
            callID: id, kind: kind, tag: request.tag, request: sent, attempt: attempt,
            elapsed: client.clock.now - start, date: client.date())
        for observer in observers where observer.isImmediate { observer.tell(event) }
        let others = observers.filter { !$0.isImmediate }
        if others.isEmpty { return }
        let isAdded = client.observation.add(size: event.size) { for observer in others { observer.tell(event) } }
        if isAdded { return }
        let shortened = event.withoutBodies
        client.observation.add(size: 0) { for observer in others { observer.tell(shortened) } }
    }

    /// Tells the observers how the call has ended.
    func notifyObservers(_ result: @autoclosure () -> Result<HTTPResponse, any Error>, of end: CallLog.End) {
        trace?.finish(result(), at: now)
        if !snapshot.settings.keepers.isEmpty, case .failure(let error as APIError) = result(), error.kind != .cancelled { keep(error) }
        if snapshot.settings.observers.isEmpty { return }
        emit(.finished(result()), log.request, attempt: log.attempts)
        if end.wasExpected { client.expectedEnds.withLock { $0 -= 1 } }
    }

    private func keep(_ error: APIError) {
        let call = FailedCall(self, error)
        for keeper in snapshot.settings.keepers { keeper.keep(call) }
    }
}
