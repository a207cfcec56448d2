import Catena
import CatenaTesting
import Testing

@testable import RoomsKit

@Test("a busy forum is called again")
func busy() async throws {
    let stubs = Stubs()
    stubs.get("/rooms.json").sequence(.status(503), .connectionLost, .reply(data: [Room(id: 1, name: "Lobby")]))
    #expect(try await forum(stubs).rooms(page: 1) == [Room(id: 1, name: "Lobby")])
    try stubs.expect(.get, "/rooms.json").times(3)
    #expect(stubs.clock.now == .milliseconds(1500))
}
