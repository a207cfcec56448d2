extension APIError.Kind {
    /// No user is signed in although the call needs a credential, or another user is signed in than the one who made the call, whose
    /// credential it does not use.
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
        .missingCredential, message: "No user is signed in. Sign in first, or call authenticated(false) if the call needs no credential.")
    static let otherCredential = APIError(
        .missingCredential, message: "The user who made the call is no longer signed in, and it is not sent with the credential of another."
    )

    /// Names the closure that failed; what it threw is kept.
    ///
    /// That something was cancelled for which a closure waited is a failure like any other, unless the call itself is cancelled:
    /// else one cancelled sign-in would silence every screen.
    static func failure(of step: String, _ error: any Error) -> any Error {
        if error is CancellationError, Task.isCancelled { return error }
        if var error = error as? APIError, error.kind != .cancelled {
            // The call that has failed there is another one.
            error.repeatReason = nil
            return error
        }
        return APIError(.other, message: "\(step): \(APIError.wrapping(error).message)", underlying: error)
    }

    /// The error of a call whose refresh failed.
    static func refreshFailure(_ cause: any Error, original: APIError?) -> any Error {
        if cause is CancellationError { return cause }
        var error = APIError.wrapping(cause)
        error.underlying = RefreshError(cause: cause, original: original)
        // What the refresh was refused with is no error of this call's own, and that its request was not processed no reason to repeat this one.
        (error.own, error.repeatReason) = (nil, nil)
        return error
    }
}
