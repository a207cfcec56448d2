/// Receives the error of a failed call with the request as its steps describe it, and decides how the call ends.
public typealias ErrorHandler = @Sendable (APIError, Request) async -> ErrorDecision

/// An error handler that calls can tell from others.
struct AppErrorHandler: Sendable {
    let closure: AppClosure
    let handle: ErrorHandler
}

/// The way in which a failed call ends.
public enum ErrorDecision: Sendable {
    /// The call fails with the error.
    case proceed
    /// The call fails with another error.
    case replace(with: APIError)
    /// The call ends as if it had been cancelled: `catch` does not run, `finally` does, and awaiting throws a `CancellationError`. Use it
    /// for errors that the handler has dealt with.
    case cancelSilently
}
