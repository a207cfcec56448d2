import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Decoding in calls", .limitedParallelism)
struct DecodingCallTests {
    private struct Room: Decodable, Sendable, Equatable {
        let id: Int
        let owner: Owner?
    }

    private struct Owner: Decodable, Sendable, Equatable {
        let name: String
    }

    private func client(_ body: String) -> Client {
        let client = Client(transport: ClosureTransport { _ in .json(body) })
        client.configureDefaults { $0.host = "https://example.com" }
        client.configure("php") { $0.decoding = .lenient }
        return client
    }

    @Test("a call's decoding mode replaces its tag's")
    func settings() async throws {
        let client = client(#"{"code":0,"data":{"id":"7","owner":[]}}"#)
        #expect(try await client.tag("php").get("/").value(as: Room.self) == Room(id: 7, owner: nil))
        #expect(try await client.get("/").set(\.decoding, .lenient).value(as: Room.self) == Room(id: 7, owner: nil))
        await #expect(throws: APIError.self) { try await client.get("/").value(as: Room.self) }
        await #expect(throws: APIError.self) { try await client.tag("php").get("/").set(\.decoding, .strict).value(as: Room.self) }
    }

    @Test("with lenient defaults, missing keys have default values")
    func defaults() async throws {
        let room = try await client(#"{"code":0,"data":{"owner":{}}}"#).get("/").set(\.decoding, .lenient(.defaults)).value(as: Room.self)
        #expect(room == Room(id: 0, owner: Owner(name: "")))
    }

    @Test("an error names the path, the wanted type and the value")
    func error() async throws {
        let client = client(#"{"code":0,"data":{"id":"x"}}"#)
        let error = await #expect(throws: APIError.self) { try await client.tag("php").get("/").value(as: Room.self) }
        #expect(error?.kind == .decoding)
        #expect(error?.message.hasPrefix(#"Cannot decode Room at "id" (wanted Int, but it is the string "x"). It begins: "#) == true)
    }

    @Test("the error of an undecodable secret does not show it")
    func secret() async throws {
        struct Session: Decodable, Sendable { let token: Int }
        let client = client(#"{"code":0,"data":{"token":"made-up-secret"}}"#)
        let error = await #expect(throws: APIError.self) { try await client.tag("php").get("/").value(as: Session.self) }
        #expect(error?.message.contains("made-up") == false)
        #expect(error.map { "\($0.underlying.map { "\($0)" } ?? "")".contains("made-up") } == false)
    }

    @Test("pages and lines of JSON use the decoding mode of their tag")
    func others() async throws {
        let pages = client(#"{"code":0,"data":{"items":[{"id":"1"},{"id":2}],"total":"2"}}"#)
        let page = try await pages.tag("php").get("/").value(as: Page<Room>.self)
        #expect(page.items.map(\.id) == [1, 2])
        #expect(page.total == 2)
        let lines = client("{\"id\":\"1\"}\n{\"id\":2}\n")
        var ids: [Int] = []
        for try await room in lines.tag("php").get("/").lines(as: Room.self) { ids.append(room.id) }
        #expect(ids == [1, 2])
    }
}
