import Foundation

extension CookieJar {
    /// Makes a jar whose cookies outlive the process, in a file that only its owner can read or in the keychain.
    ///
    /// ```swift
    /// let jar = CookieJar(store: FileCredentialStore(file: folder.appending(path: "cookies.json"))) { try? signIn.credential()?.userID }
    /// ```
    ///
    /// Cookies without an end belong to a session and are not kept. What is kept belongs to the user who is signed in: if another one signs in, or
    /// that user signs out, the jar removes all cookies. Those that were set before a sign-in belong to the user who signs in.
    ///
    /// - Parameters:
    ///   - store: Where the cookies are kept. What it cannot read counts as nothing; ``save()`` throws what it cannot write.
    ///   - isPublicSuffix: As for ``init(isPublicSuffix:)``.
    ///   - user: Gives the user who is signed in, or `nil` if no user is. The jar asks for it whenever it is used.
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
