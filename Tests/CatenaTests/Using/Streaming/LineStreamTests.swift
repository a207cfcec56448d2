import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct LineStreamTests {
    static func client(_ answer: @escaping @Sendable () -> TransportResponse) -> Client {
        let client = Client(transport: ClosureTransport { _ in answer() })
        client.defaultHost = "https://example.com"
        return client
    }

    @Test("lines arrive without their breaks, even if they are cut between pieces") func lines() async throws {
        let client = Self.client { .pieces(["one\ntw", "o\r", "\nthr", "ee"]) }
        #expect(try await client.get("/a").lines().collected() == ["one", "two", "three"])
    }

    @Test("a line is delivered as soon as its break has arrived") func promptly() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/a") { _ in .chunked(["one\r", "\ntwo"]).stalled(after: 4, by: gate) }
        let client = Client()
        var iterator = client.host(server.url).get("/a").lines().makeAsyncIterator()
        #expect(try await iterator.next() == "one")
        gate.open()
        #expect(try await iterator.next() == "two")
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test(
        "lines are decoded with the declared charset",
        arguments: [
            ("text/plain", [0xC3, 0xA9, 0x0A], "é"), ("text/plain; charset=utf-8", [0xC3, 0xA9, 0x0A], "é"),
            ("text/plain; charset=iso-8859-1", [0xE9, 0x0A], "é"), ("text/plain; charset=ISO-8859-1", [0xC3, 0xA9], "é"),
            ("text/plain; charset=gbk", [0xD6, 0xD0, 0x0A], "中"), ("text/plain", [0xE9, 0x0A], "\u{FFFD}"),
        ] as [(String, [UInt8], String)])
    func charset(type: String, bytes: [UInt8], text: String) async throws {
        let client = Self.client { TransportResponse(status: 200, headers: ["Content-Type": type], body: TransportBody(Data(bytes))) }
        #expect(try await client.get("/a").lines().collected() == [text])
    }

    @Test("a charset whose line breaks are not single bytes is refused") func utf16() async throws {
        let client = Self.client { .text("a", headers: ["Content-Type": "text/plain; charset=utf-16"]) }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").lines().collected() }
        #expect(error?.kind == .decoding)
        #expect(error?.message.contains("charset") == true)
    }

    @Test("a line over the limit throws, and the error has its number") func tooLong() async throws {
        let client = Self.client { .pieces(["one\n123456\n"]) }
        var iterator = client.get("/a").lines(limit: 5).makeAsyncIterator()
        #expect(try await iterator.next() == "one")
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.kind == .bodyTooLarge)
        #expect(error?.message == "Line 2 is longer than the 5 bytes that are allowed.")
        #expect(error?.status == 200)
        #expect(try await iterator.next() == nil)
    }

    @Test("leaving the loop over lines closes the connection") func leaving() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text("one\ntwo").stalled(after: 4) }
        let client = Client()
        for try await line in client.host(server.url).get("/a").lines() {
            #expect(line == "one")
            break
        }
        await server.connectionsClosed(1)
    }

    // MARK: JSON lines

    struct User: Decodable, Sendable, Equatable {
        let name: String
    }

    @Test("values are decoded line by line, and blank lines are skipped") func values() async throws {
        let client = Self.client { .pieces(["{\"name\":\"a\"}\n\n  \n{\"na", "me\":\"b\"}\r\n\r\n{\"name\":\"c\"}"]) }
        #expect(try await client.get("/a").lines(as: User.self).collected() == ["a", "b", "c"].map { User(name: $0) })
    }

    @Test("lines may contain any JSON") func anyJSON() async throws {
        let client = Self.client { .pieces(["1\n\"a\"\nnull\n[2]"]) }
        #expect(try await client.get("/a").lines(as: JSON.self).collected() == [1, "a", .null, [2]])
    }

    @Test("a line that cannot be decoded ends the values with an error that has its number") func badLine() async throws {
        let client = Self.client { .pieces(["{\"name\":\"a\"}\n\n{\"name\":7}\n{\"name\":\"b\"}\n"]) }
        var iterator = client.get("/a").lines(as: User.self).makeAsyncIterator()
        #expect(try await iterator.next() == User(name: "a"))
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.kind == .decoding)
        #expect(error?.message.hasPrefix("Line 3: Cannot decode User at \"name\"") == true)
        #expect(error?.body == Data("{\"name\":7}".utf8))
        #expect(try await iterator.next() == nil)
    }

    @Test("the profile's decoder decodes the values of lines") func decoder() async throws {
        struct Snake: Decodable, Sendable { let firstName: String }
        let client = Self.client { .pieces(["{\"first_name\":\"a\"}\n"]) }
        client.configureDefaults {
            $0.decoder = JSONDecoder()
            $0.decoder?.keyDecodingStrategy = .convertFromSnakeCase
        }
        #expect(try await client.get("/a").lines(as: Snake.self).collected().map(\.firstName) == ["a"])
    }
}
