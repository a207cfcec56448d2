import Dispatch
public import Foundation

/// A point in the life of a call, as observers are told of it.
///
/// Requests and answers are whole; their descriptions are without secrets.
public struct CallEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// The request has been made from its description.
        case started
        /// It is being sent.
        case attempt
        /// An answer has arrived that the envelope takes for a success.
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
    public let kind: Kind
    public let tag: Tag?
    /// The request as it was at that point; `nil` if it could not be made.
    public let request: HTTPRequest?
    /// How many times it has been sent or is about to be.
    public let attempt: Int
    /// The time since the call began.
    public let elapsed: Duration
    /// The time of day.
    public let date: Date
}

extension Execution {
    /// Tells the observers, if there are any.
    func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ call: Call) {
        emit(kind(), call.prepared, attempt: call.attempt)
    }

    private func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ sent: HTTPRequest?, attempt: Int) {
        let observers = snapshot.settings.observers
        if observers.isEmpty { return }
        let event = CallEvent(
            callID: id, kind: kind(), tag: request.tag, request: sent, attempt: attempt,
            elapsed: client.clock.now - start, date: client.date())
        client.observation.async {
            for observer in observers { observer(event) }
        }
    }

    /// Tells the observers how the call has ended.
    func tellObservers(_ end: @autoclosure () -> Result<HTTPResponse, any Error>) {
        if snapshot.settings.observers.isEmpty { return }
        emit(.finished(end()), log.request, attempt: log.attempts)
    }
}
