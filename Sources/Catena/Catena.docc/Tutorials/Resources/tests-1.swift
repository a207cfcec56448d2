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
}
