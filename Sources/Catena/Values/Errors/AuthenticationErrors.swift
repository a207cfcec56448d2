extension APIError.Kind {
    /// No user is signed in although the call needs a credential, or the user who made the call has been replaced by another one.
    public static let missingCredential = Self("missingCredential")
    /// The credential was refreshed too often in a short time.
    public static let excessiveRefresh = Self("excessiveRefresh")
}

/// The ``APIError/underlying`` error of a call that failed because its credential could not be refreshed. The call's error itself is the error of the
/// refresh.
public struct RefreshError: Error, Sendable, CustomStringConvertible {
    /// The error of the refresh.
    public let cause: any Error
    /// The error of the refused request, or `nil` if the refresh came before the request was sent.
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

    /// Creates the error of a call from the error of one of its closures. An `APIError` passes unchanged; other errors become `underlying`.
    ///
    /// A cancellation in the closure is a failure unless the call itself is cancelled. Otherwise one cancelled sign-in would suppress the errors of
    /// all waiting calls.
    static func failure(of step: String, _ error: any Error) -> any Error {
        if error.isCancellation, Task.isCancelled { return CancellationError() }
        if var error = error as? APIError, error.kind != .cancelled {
            // Clear the reason, because it applies to the closure's call only.
            error.contents.repeatReason = nil
            return error
        }
        return APIError(.other, message: "\(step): \(APIError.wrapping(error).message)", underlying: error)
    }

    /// Creates the error of a call whose refresh failed.
    static func refreshFailure(_ cause: any Error, original: APIError?) -> any Error {
        if cause is CancellationError { return cause }
        var error = APIError.wrapping(cause)
        error.underlying = RefreshError(cause: cause, original: original)
        // Clear both, because they describe the refresh and not this call.
        error.contents.own = nil
        error.contents.repeatReason = nil
        return error
    }
}
