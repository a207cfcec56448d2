/// Signs requests, after everything has been merged and the credential has been added.
///
/// ``ParameterSigner`` does what most backends ask for. One of your own has the whole request and its params at hand:
///
/// ```swift
/// struct BodySigner: RequestSigner {
///     func sign(_ request: inout HTTPRequest, params: Params) async throws {
///         let digest = MessageDigest.hmacSHA256(request.body ?? Data(), key: key)
///         request.headers["X-Signature"] = digest.base64
///     }
/// }
/// ```
///
/// It is asked for every attempt, and what it throws fails the call.
public protocol RequestSigner: Sendable {
    /// - Parameters:
    ///   - request: The request as it would go out.
    ///   - params: The params that are in its query and its body, merged, before they were encoded; those that stand in the path's own query,
    ///     or came there by the sign-in, as text.
    func sign(_ request: inout HTTPRequest, params: Params) async throws

    /// Under which names signatures are sent, which are hidden there wherever a request is shown.
    var secrets: Secrets { get }
}

extension RequestSigner {
    public var secrets: Secrets { Secrets() }
}
