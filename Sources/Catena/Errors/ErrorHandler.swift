/// Sees the error of a failed call, with the request as it was described, and says how the call goes on.
public typealias ErrorHandler = @Sendable (APIError, Request) async -> ErrorDecision

/// How a failed call goes on.
public enum ErrorDecision: Sendable {
    /// It fails with the error.
    case proceed
    /// It fails with another error.
    case replace(with: APIError)
    /// It ends as if it had been cancelled: `catch` is not called, `finally` is, and awaiting it throws a `CancellationError`. For
    /// what has been dealt with.
    case stop
}

extension Execution {
    /// The error with which the call ends, after the handlers have seen it.
    func failure(_ error: any Error) async -> any Error {
        guard !task.isCancelled, var error = Self.leaving(error) as? APIError else { return CancellationError() }
        error.text = snapshot.settings.errorMessages?(error)
        for handler in [profile.onError, snapshot.settings.errorHandler] {
            guard let handler else { continue }
            switch await handler(error, request) {
            case .proceed: break
            case .stop:
                log.note(stopped: error)
                return CancellationError()
            case .replace(let other):
                // Cancelling is what `stop` is for.
                guard other.kind != .cancelled else { return CancellationError() }
                error = other
                error.text = snapshot.settings.errorMessages?(other) ?? other.text
            }
        }
        return error
    }

    /// The error as it leaves a call: an ``APIError``, or a `CancellationError`, however a transport spells it.
    static func leaving(_ error: any Error) -> any Error {
        let error = APIError.wrapping(error)
        guard error.kind == .cancelled else { return error }
        // Cancelled by whom? Only the call's own cancellation is none of a failure.
        return Task.isCancelled ? CancellationError() : APIError(.other, message: error.message, underlying: error.underlying ?? error)
    }
}
