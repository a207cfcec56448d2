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
