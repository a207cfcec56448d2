// What is known from the start and never refreshed. Each is an ``Authentication`` like any other, whose user is told by a digest of the
// secret, or has the name that goes with the password: what was made twice from the same one is the same user. Without a secret nobody is
// signed in, as where a variable of the environment is not set.

extension RequestAuthentication where Self == Authentication<BearerAuthenticator> {
    /// Sends a token that never changes as `Authorization: Bearer …`.
    ///
    /// ```swift
    /// API.configure(.forum) { $0.authentication = .bearer(token) }
    /// ```
    public static func bearer(_ token: String) -> Self {
        Authentication(BearerAuthenticator(), store: .fixed(token))
    }
}

extension RequestAuthentication where Self == Authentication<BasicAuthenticator> {
    /// Sends a name and a password that never change as `Authorization: Basic …`. Whoever has the name is the same user, whatever the
    /// password.
    public static func basic(user: String, password: String) -> Self {
        let credential = user.isEmpty ? nil : BasicCredential(user: user, password: password)
        return Authentication(BasicAuthenticator(), store: MemoryCredentialStore(credential))
    }
}

extension RequestAuthentication where Self == Authentication<HeaderAuthenticator> {
    /// Sends a key that never changes in a header.
    ///
    /// ```swift
    /// API.configure(.weather) { $0.authentication = .apiKey(key, header: "X-API-Key") }
    /// ```
    public static func apiKey(_ key: String, header: String) -> Self {
        Authentication(HeaderAuthenticator(header), store: .fixed(key))
    }
}

extension RequestAuthentication where Self == Authentication<QueryAuthenticator> {
    /// Sends a key that never changes as a parameter of the query, where every server on the way may log it.
    public static func apiKey(_ key: String, query: String) -> Self {
        Authentication(QueryAuthenticator(query), store: .fixed(key))
    }
}

extension CredentialStore where Self == MemoryCredentialStore<BearerToken> {
    fileprivate static func fixed(_ secret: String) -> Self {
        MemoryCredentialStore(secret.isEmpty ? nil : BearerToken(accessToken: secret, user: MessageDigest.sha256(secret).hex))
    }
}
