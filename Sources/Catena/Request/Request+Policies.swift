import Foundation

extension RequestSteps {
    /// Sets whether the call sends the tag's credential. Without this step it does, if the tag has ``Profile/authentication``.
    ///
    /// A call that signs a user in needs `authenticated(false)`.
    @_specialize(where Self == Request)
    public consuming func authenticated(_ isAuthenticated: Bool = true) -> Self {
        request.options[\.isAuthenticated] = isAuthenticated
        return self
    }

    /// Sets the media types that the call accepts, in the order of preference. A successful response of another type fails the call with
    /// ``APIError/Kind/decoding``.
    ///
    /// ```swift
    /// API.get("/report").accept("application/pdf", "image/*").download(to: file)
    /// ```
    ///
    /// A response without a body, or with an error status, may have any type.
    @_specialize(where Self == Request)
    public consuming func accept(_ types: String...) -> Self {
        let types = types.isEmpty ? ["*/*"] : types
        request.headerChanges.set.set(types.joined(separator: ", "), for: "Accept")
        request.options[\.acceptedTypes] = AcceptedTypes(types)
        return self
    }

    /// Sets when the call uses a stored response, in place of the tag's policy. It has an effect only if the tag has a ``Profile/cache``.
    @_specialize(where Self == Request)
    public consuming func cache(_ policy: CachePolicy) -> Self {
        request.options[\.cachePolicy] = policy
        return self
    }

    /// Sets whether this call shares the response of an identical active call. Only GET and HEAD calls do; see ``once(_:)`` for the others.
    @_specialize(where Self == Request)
    public consuming func dedupe(_ shares: Bool = true) -> Self {
        request.options[\.dedupe] = shares
        return self
    }

    /// Lets this call join an identical active one, whatever its method, so that a button that is tapped twice sends one request.
    ///
    /// ```swift
    /// API.tag(.forum).post("/orders").json(["room": 7]).once().execute(as: Order.self)
    /// ```
    ///
    /// Calls are identical if they agree in method, address, headers, body, tag, user and cookies, as far as ``Profile/requestKeyRules`` compare
    /// them. A call that joins receives the response or the failure of the first one. A call that begins afterwards is sent.
    ///
    /// The call fails with ``APIError/Kind/invalidRequest`` if it cannot be joined. Such calls are streams, downloads, and calls whose body is
    /// read while it is sent.
    ///
    /// - Parameter isOnce: Whether the call joins; `false` removes the step.
    @_specialize(where Self == Request)
    public consuming func once(_ isOnce: Bool = true) -> Self {
        request.options[\.isOnce] = isOnce
        return self
    }

    /// Sets the order in which calls start that wait for a limit.
    @_specialize(where Self == Request)
    public consuming func priority(_ priority: CallPriority) -> Self {
        request.options[\.priority] = priority
        return self
    }

    /// Starts a second attempt if the first one has no response after a delay, and uses whichever response arrives first.
    ///
    /// ```swift
    /// API.tag(.search).get("/suggestions").param("q", text).hedge(after: .milliseconds(80)).execute(as: [String].self)
    /// ```
    ///
    /// Catena cancels the other attempt. A second attempt uses the retry budget of the tag, and does not start if the budget is empty.
    ///
    /// A call that must not be sent twice fails with ``APIError/Kind/invalidRequest`` and is not sent. Such calls are streams, downloads, calls
    /// whose body can be read only once, and calls with a method that is not idempotent and without ``idempotencyKey(_:)``.
    ///
    /// - Parameter delay: The time before the second attempt starts, including the sign-in of the first. Choose one that is longer than most
    ///   responses take. `nil` turns off the second attempt, also if the tag has one.
    @_specialize(where Self == Request)
    public consuming func hedge(after delay: Duration?) -> Self {
        request.options[\.hedge] = Hedge(delay: delay, isOwn: true)
        return self
    }

    /// Sends an `Idempotency-Key`, by which the server recognizes a repeated request. The call can then be retried with any method.
    ///
    /// All attempts of a call have the same key.
    ///
    /// - Parameter key: The key, such as the number of an order. Without it, each run has a random key.
    @_specialize(where Self == Request)
    public consuming func idempotencyKey(_ key: String? = nil) -> Self {
        request.options[\.idempotencyKey] = key.map { .fixed(IdempotencyKey($0)) } ?? .random
        return self
    }
}

/// The source of a call's idempotency key.
enum IdempotencyKeySource: Sendable {
    case fixed(IdempotencyKey)
    case random

    /// The key of one run. A random key differs at each access.
    var key: IdempotencyKey {
        switch self {
        case .fixed(let key): return key
        case .random:
            var generator = SystemRandomNumberGenerator()
            return .random(using: &generator)
        }
    }
}

/// A key by which a server recognizes a repeated request, so that a POST can be retried (draft-ietf-httpapi-idempotency-key-header).
///
/// A key is created once per call and sent with each of its attempts.
struct IdempotencyKey: Sendable, Equatable {
    static let header = "Idempotency-Key"

    let value: String

    init(_ value: String) {
        self.value = value
    }

    /// Returns a random key: a UUID of version 4 (RFC 9562 §5.4).
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
