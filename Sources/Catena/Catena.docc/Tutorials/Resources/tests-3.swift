import Catena
import CatenaTesting
import Testing

@testable import RoomsKit

func forum(_ stubs: Stubs) -> Forum {
    Stubs.forbidNetwork()
    let client = Client(testing: stubs)
    client.configure(.forum) { $0.host = "https://forum.example.com" }
    return Forum(client: client)
}

@Test("the rooms of a page are decoded")
func rooms() async throws {
    let stubs = Stubs()
    stubs.get("/rooms.json").query(["page": 2]).reply(data: [Room(id: 1, name: "Lobby")])
    #expect(try await forum(stubs).rooms(page: 2) == [Room(id: 1, name: "Lobby")])
    try stubs.expect(.get, "/rooms.json").times(1)
}

@Test("a closed forum is an error with the forum's code")
func closed() async throws {
    let stubs = Stubs()
    stubs.get("/rooms.json").reply(code: 10086, message: "The forum is closed")
    let error = await #expect(throws: APIError.self) { try await forum(stubs).rooms(page: 1) }
    #expect(error?.code == 10086)
}
