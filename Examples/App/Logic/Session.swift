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
            // The form explains the end of the session, so that no screen has to.
            tag.onError = { error, _ in
                let isOver = error.kind == .missingCredential || (error.status == 401 && error.underlying is RefreshError)
                return isOver ? .cancelSilently : .proceed
            }
        }
        client.sessions(of: .forum) { [weak self] change in self?.follow(change) }
    }

    public func signIn(email: String, password: String) async {
        isBusy = true
        defer { isBusy = false }
        do {
            try authentication.signIn(try await forum.signIn(email: email, password: password))
            message = nil
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
    }

    /// Shows the form at the end of the session. A refresh that cannot be reached does not end it.
    private func follow(_ change: SessionChange) {
        if case .refused = change.kind {
            try? authentication.signOut()
            message = "Please sign in again."
        }
        isSignedIn = !change.isEnd
    }
}
