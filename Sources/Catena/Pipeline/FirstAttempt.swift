/// A direct call into which its stages come.
struct StagedCall: Sendable {
    /// As it is when it comes to them.
    let call: Call
    let first: FirstAttempt
    /// What is left of its time; `nil` if it has no deadline.
    let left: Duration?
}

/// The attempt that a direct call has made before its stages came into it. They take it over as if they had made it: what it was signed in
/// with, and how it failed, are each told once.
final class FirstAttempt: Sendable {
    private struct Contents {
        var signedIn: (Call, AuthenticationPass)?
        var failure: (any Error)?
    }

    private let contents: Mutex<Contents>

    /// - Parameter failure: `nil` if nothing was sent, since the credential has to be waited for.
    init(signedIn: (Call, AuthenticationPass)?, failure: (any Error)?) {
        contents = Mutex(Contents(signedIn: signedIn, failure: failure))
    }

    func takeSignedIn() -> (Call, AuthenticationPass)? { contents.withLock { $0.signedIn.take() } }

    func takeFailure() -> (any Error)? { contents.withLock { $0.failure.take() } }
}
