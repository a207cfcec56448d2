/// A direct call into which its stages come.
struct StagedCall: Sendable {
    /// As it is when it comes to them.
    let call: Call
    let first: FirstAttempt
    /// What is left of its time; `nil` if it has no deadline.
    let left: Duration?
}

/// The attempt that a direct call has made before its stages came into it. They take it over as if they had made it: what came of its sign-in,
/// and how it failed, are each taken once.
final class FirstAttempt: Sendable {
    typealias SignIn = Result<(call: Call, pass: AuthenticationPass), any Error>

    private struct Contents {
        var signIn: SignIn?
        var failure: (any Error)?
    }

    private let contents: Mutex<Contents>

    /// - Parameter signIn: `nil` if there is none, or if the credential has to be waited for.
    init(signIn: SignIn? = nil) {
        contents = Mutex(Contents(signIn: signIn))
    }

    /// Notes how it has failed; nothing was sent unless it has.
    func fail(_ error: any Error) { contents.withLock { $0.failure = error } }

    func takeSignIn() -> SignIn? { contents.withLock { $0.signIn.take() } }

    func takeFailure() -> (any Error)? { contents.withLock { $0.failure.take() } }
}
