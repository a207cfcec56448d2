extension APIError.Kind {
    /// Nobody is signed in, and the backend needs somebody, or somebody else is than who made the call; nothing was sent in that name.
    public static let missingCredential = Self("missingCredential")
    /// The credential was refreshed so often in a short time that it does not seem to help.
    public static let excessiveRefresh = Self("excessiveRefresh")
}

/// The cause of a call that failed because its credential could not be refreshed: ``APIError/underlying`` of its error, which itself is
/// what the refresh failed with.
public struct RefreshError: Error, Sendable, CustomStringConvertible {
    /// What the refresh failed with.
    public let cause: any Error
    /// The response that asked for the refresh; `nil` if the credential was refreshed before anything was sent.
    public let original: APIError?

    public var description: String {
        let reason = "The credential could not be refreshed: \(APIError.wrapping(cause))"
        return original.map { "\(reason); it was needed because of: \($0)" } ?? reason
    }
}

extension APIError {
    static let missingCredential = APIError(
        .missingCredential, message: "Nobody is signed in. A call that needs nobody says authenticated(false).")
    static let otherCredential = APIError(
        .missingCredential, message: "Who made the call is not signed in any more; it is not sent in another's name.")

    /// Names the closure that failed; what it threw is kept.
    ///
    /// That something was cancelled for which a closure waited is a failure like any other, unless the call itself is cancelled:
    /// else one cancelled sign-in would silence every screen.
    static func failure(of step: String, _ error: any Error) -> any Error {
        if error is CancellationError, Task.isCancelled { return error }
        if let error = error as? APIError, error.kind != .cancelled { return error }
        return APIError(.other, message: "\(step): \(APIError.wrapping(error).message)", underlying: error)
    }

    /// The error of a call whose refresh failed.
    static func refreshFailure(_ cause: any Error, original: APIError?) -> any Error {
        if cause is CancellationError { return cause }
        var error = APIError.wrapping(cause)
        error.underlying = RefreshError(cause: cause, original: original)
        // What the refresh was refused with is no error of this call's own.
        error.own = nil
        return error
    }
}
