import Foundation

extension RequestSteps {
    /// Sets whether the call sends the tag's credential. Without this step it does, if the tag has one (``Profile/authentication``).
    ///
    /// The call that signs a user in has `authenticated(false)`.
    @_specialize(where Self == Request)
    public consuming func authenticated(_ isAuthenticated: Bool = true) -> Self {
        request.options.isAuthenticated = isAuthenticated
        return self
    }

    /// Sets the media types that the call accepts, in the order of preference; a successful response of another type fails as `decoding`.
    ///
    /// ```swift
    /// API.get("/report").accept("application/pdf", "image/*").download(to: file)
    /// ```
    ///
    /// A response without a body may have any type, and so may one that reports a failure.
    @_specialize(where Self == Request)
    public consuming func accept(_ types: String...) -> Self {
        let types = types.isEmpty ? ["*/*"] : types
        request.headerChanges.set.set(types.joined(separator: ", "), for: "Accept")
        request.options.acceptedTypes = AcceptedTypes(types)
        return self
    }

    /// Sets when the call uses a stored response, in place of the tag's policy. It has an effect only if the tag has a ``Profile/cache``.
    @_specialize(where Self == Request)
    public consuming func cache(_ policy: CachePolicy) -> Self {
        request.options.cachePolicy = policy
        return self
    }

    /// Sets whether this call shares the response of an identical active call. Only GET and HEAD calls do.
    @_specialize(where Self == Request)
    public consuming func dedupe(_ shares: Bool = true) -> Self {
        request.options.dedupe = shares
        return self
    }

    /// Sets the order in which calls start that wait for a limit.
    @_specialize(where Self == Request)
    public consuming func priority(_ priority: CallPriority) -> Self {
        request.options.priority = priority
        return self
    }

    /// Starts a second attempt beside the first if that has no response after a while, and takes the first response.
    ///
    /// ```swift
    /// API.tag(.search).get("/suggestions").param("q", text).hedge(after: .milliseconds(80)).execute(as: [String].self)
    /// ```
    ///
    /// The other attempt is cancelled. A second attempt counts in the retry budget of the tag; once nothing is left there is none.
    /// Only for what may be sent twice: a call whose method is not idempotent and that has no ``idempotencyKey(_:)``, a stream, a download and a body that
    /// can be read only once fail with `invalidRequest`, unsent.
    ///
    /// - Parameter delay: How long the first attempt has, its sign-in included; longer than most responses take. `nil`: there is no second attempt,
    ///   whatever the tag says.
    @_specialize(where Self == Request)
    public consuming func hedge(after delay: Duration?) -> Self {
        request.options.hedge = Hedge(delay: delay, isOwn: true)
        return self
    }

    /// Sends an `Idempotency-Key`, by which the server recognizes a repeated request. The call may then be retried whatever its method is.
    ///
    /// All attempts of a call have the same key.
    ///
    /// - Parameter key: The key, such as the number of an order. Without one, each execution gets a random one.
    @_specialize(where Self == Request)
    public consuming func idempotencyKey(_ key: String? = nil) -> Self {
        request.options.idempotencyKey = key.map { .fixed(IdempotencyKey($0)) } ?? .random
        return self
    }
}

/// Where the key of a call comes from.
enum IdempotencyKeySource: Sendable {
    case fixed(IdempotencyKey)
    case random

    /// The key of one execution.
    var key: IdempotencyKey {
        switch self {
        case .fixed(let key): return key
        case .random:
            var generator = SystemRandomNumberGenerator()
            return .random(using: &generator)
        }
    }
}

/// Tells a server that two requests are one (draft-ietf-httpapi-idempotency-key-header): with it a POST can be tried again.
///
/// Made once for a call and sent with each of its attempts.
struct IdempotencyKey: Sendable, Equatable {
    static let header = "Idempotency-Key"

    let value: String

    /// A key of the caller's own, such as the number of an order.
    init(_ value: String) {
        self.value = value
    }

    /// A random key: a UUID of version 4 (RFC 9562 §5.4).
    static func random(using generator: inout some RandomNumberGenerator) -> IdempotencyKey {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = MessageDigest(bytes: bytes).hex
        let ends = [0, 8, 12, 16, 20, 32]
        let groups = zip(ends, ends.dropFirst()).map { digits.dropFirst($0).prefix($1 - $0) }
        return IdempotencyKey(groups.joined(separator: "-"))
    }

    func apply(to request: inout HTTPRequest) {
        request.headers[Self.header] = value
    }
}
