import TestSupport

@testable import Catena

/// Where an app keeps its token.
final class Vault: Sendable {
    private let held: Mutex<String?>
    /// How many times it was asked.
    let asked = Counter()
    /// What happens while it is asked for the nth time, from 1 on.
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

    /// A sign-in that asks it.
    var authentication: TokenAuthentication { .bearer { try await self.token() } }
}
