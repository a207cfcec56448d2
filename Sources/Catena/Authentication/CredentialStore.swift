import Synchronization

/// Keeps a credential between two runs of the app.
///
/// It is called from any thread, one save at a time.
public protocol CredentialStore<Credential>: Sendable {
    associatedtype Credential: Codable & Sendable

    /// What was saved last; `nil` if there is nothing.
    func load() throws -> Credential?

    /// Keeps a credential in place of the last one; `nil` removes it.
    func save(_ credential: Credential?) throws
}

/// Keeps a credential for as long as the app runs.
public final class MemoryCredentialStore<Credential: Codable & Sendable>: CredentialStore {
    private let credential: Mutex<Credential?>

    public init(_ credential: Credential? = nil) {
        self.credential = Mutex(credential)
    }

    public func load() -> Credential? { credential.withLock { $0 } }

    public func save(_ credential: Credential?) {
        self.credential.withLock { $0 = credential }
    }
}
