// Credentials that are never refreshed. Each is an ``Authentication`` whose user is the digest of the secret, or the name that belongs to the
// password. So two sign-ins with the same secret have the same user. With an empty secret, such as an unset environment variable, no user is signed
// in.

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
    /// Sends a name and a password that never change as `Authorization: Basic …`. The name alone identifies the user.
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
    /// Sends a key that never changes as a query param, which every server on the way may log.
    public static func apiKey(_ key: String, query: String) -> Self {
        Authentication(QueryAuthenticator(query), store: .fixed(key))
    }
}

extension CredentialStore where Self == MemoryCredentialStore<BearerToken> {
    fileprivate static func fixed(_ secret: String) -> Self {
        MemoryCredentialStore(secret.isEmpty ? nil : BearerToken(accessToken: secret, user: MessageDigest.sha256(secret).hex))
    }
}
