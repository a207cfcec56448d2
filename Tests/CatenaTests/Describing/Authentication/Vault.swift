import TestSupport

@testable import Catena

/// The token storage of an app.
final class Vault: Sendable {
    private let held: Mutex<String?>
    /// Counts the reads of the token.
    let asked = Counter()
    /// Runs during each read, with the number of the read from 1 on.
    private let event: @Sendable (Vault, Int) async throws -> Void

    init(_ token: String?, whileAsked event: @escaping @Sendable (Vault, Int) async throws -> Void = { _, _ in }) {
        held = Mutex(token)
        self.event = event
    }

    func change(to token: String?) {
        held.withLock { $0 = token }
    }

    func token() async throws -> String? {
        asked.increment()
        try await event(self, asked.count)
        return held.withLock { $0 }
    }

    /// An authentication that reads the token from this storage.
    var authentication: TokenAuthentication { .bearer { try await self.token() } }
}
