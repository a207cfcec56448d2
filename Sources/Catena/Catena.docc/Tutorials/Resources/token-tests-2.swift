import Catena
import CatenaTesting
import Testing

@testable import RoomsKit

@Test("a refused token is replaced, and the call sent again")
func refused() async throws {
    let stubs = Stubs()
    stubs.get("/rooms.json").header("Authorization", "Bearer old").reply(status: 401)
    stubs.get("/rooms.json").header("Authorization", "Bearer new").reply(data: [Room(id: 1, name: "Lobby")])

    let tokens = Tokens("old", "new")
    let client = Client(testing: stubs)
    client.configure(.forum) { forum in
        Forum.configure(&forum)
        forum.authentication = .bearer { await tokens.next() }
    }

    #expect(try await Forum(client: client).rooms(page: 1) == [Room(id: 1, name: "Lobby")])
    try stubs.verify()
}

/// Returns the given tokens in order, then `nil`.
actor Tokens {
    private var tokens: [String]

    init(_ tokens: String...) {
        self.tokens = tokens
    }

    func next() -> String? {
        tokens.isEmpty ? nil : tokens.removeFirst()
    }
}
