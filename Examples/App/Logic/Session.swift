import Catena
import Foundation
import Observation

/// The session of the app's user, which all calls share.
@MainActor
@Observable
public final class Session {
    /// Whether the app shows its content instead of the sign-in form.
    public private(set) var isSignedIn = false
    /// A message about a failed sign-in, or the reason why the user must sign in again.
    public private(set) var message: String?
    /// Whether a sign-in is in progress.
    public private(set) var isBusy = false

    let forum: Forum
    private let authentication: Authentication<BearerAuthenticator>

    /// - Parameters:
    ///   - host: The address of the forum.
    ///   - client: The app's client, or in tests a client with stubs.
    ///   - store: The store that keeps the credential between two runs of the app.
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
            // Handle a refused credential in one place, so that no screen has to.
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

    /// Ends the session and cancels its calls.
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
