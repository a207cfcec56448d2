import CatenaPlatform

extension CookieJar {
    /// Creates a jar whose cookies outlive the process, in a file that only its owner can read or in the keychain.
    ///
    /// ```swift
    /// let jar = CookieJar(store: FileCredentialStore(file: folder.appending(path: "cookies.json"))) { try? signIn.credential()?.userID }
    /// ```
    ///
    /// Session cookies, which have no expiry, are not stored. Stored cookies belong to the user who is signed in. If another user signs in, or that
    /// user signs out, the jar removes all cookies. Cookies that were set before a sign-in belong to the user who signs in.
    ///
    /// - Parameters:
    ///   - store: The store of the cookies. If it cannot be read, the jar starts empty; ``save()`` throws its write errors.
    ///   - isPublicSuffix: As for ``init(isPublicSuffix:)``.
    ///   - user: Returns the user who is signed in, or `nil` if no user is. The jar calls it at every use.
    public convenience init(
        store: any CredentialStore<KeptCookies>,
        isPublicSuffix: (@Sendable (_ domain: String) -> Bool)? = nil,
        user: @escaping @Sendable () -> String?
    ) {
        self.init(
            now: { Date() }, suffixes: PublicSuffixes(list: isPublicSuffix),
            keeper: CookieKeeper(user: user, load: { (try? store.load()) ?? nil }, write: { try store.save($0) }))
    }
}
