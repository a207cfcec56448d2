import Catena
import Foundation
import Observation

/// Who is signed in. The calls of an app share one.
@MainActor
@Observable
public final class Session {
    /// Whether the app shows its content, and not the form to sign in.
    public private(set) var isSignedIn = false
    /// What went wrong when signing in, or why it is necessary again.
    public private(set) var message: String?
    /// Whether a sign-in is under way.
    public private(set) var isBusy = false

    let forum: Forum
    private let authentication: Authentication<BearerAuthenticator>

    /// - Parameters:
    ///   - host: Where the forum is.
    ///   - client: The client of the app, or in tests one with stubs.
    ///   - store: Where the credential is kept between two runs of the app.
    public init(
        host: String, client: Client = .shared, store: any CredentialStore<BearerToken> = MemoryCredentialStore<BearerToken>()
    ) {
        let forum = Forum(client: client)
        let authentication = Authentication(BearerAuthenticator { old in try await forum.refresh(old) }, store: store)
        (self.forum, self.authentication) = (forum, authentication)
        isSignedIn = (try? authentication.credential()) != nil
        client.configure(.account) { account in
            account.host = host
            account.timeout = .seconds(10)
        }
        client.configure(.forum) { tag in
            tag.host = host
            tag.timeout = .seconds(10)
            tag.retry = .exponential(limit: 2)
            tag.authentication = authentication
            // One place decides what happens when the forum no longer accepts the credential: no screen has to.
            tag.onError = { [weak self] error, _ in
                guard error.status == 401 || error.kind == .missingCredential else { return .proceed }
                await self?.end()
                return .cancelSilently
            }
        }
    }

    public func signIn(email: String, password: String) async {
        isBusy = true
        defer { isBusy = false }
        do {
            try authentication.signIn(try await forum.signIn(email: email, password: password))
            message = nil
            isSignedIn = true
        } catch is CancellationError {
        } catch {
            message = error.localizedDescription
        }
    }

    /// Ends the session, and the calls that were made in it.
    public func signOut() {
        try? authentication.signOut()
        forum.client.calls.cancel(tag: .forum)
        message = nil
        isSignedIn = false
    }

    private func end() {
        guard isSignedIn else { return }
        try? authentication.signOut()
        message = "Please sign in again."
        isSignedIn = false
    }
}
