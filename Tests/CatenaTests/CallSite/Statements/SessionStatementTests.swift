import CatenaTesting
import Foundation
import Testing

@testable import Catena

private struct SearchQuery: Endpoint, Encodable {
    typealias Response = [Int]
    let text: String
    let page: Int
    var path: Path { "/search" }
}

private struct Order: Endpoint, Encodable {
    typealias Response = Receipt
    let item: Int
    let token: String
    var path: Path { "/orders" }
    var method: HTTPMethod { .post }
    var headers: HTTPHeaders { ["X-Token": token] }

    private enum Key: CodingKey { case item }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(item, forKey: .item)
    }
}

private struct SessionError: Error, Equatable { let name: String }

private struct Receipt: ResponseFamily, Decodable, Equatable {
    let id: Int

    static func commonError(in reading: EnvelopeResult) -> (any Error)? { reading.code == 1 ? SessionError(name: "common") : nil }
    static func specificError(in reading: EnvelopeResult) -> (any Error)? {
        reading.code == 1 || reading.code == 2 ? SessionError(name: "specific") : nil
    }
}

/// The behaviour that a team relies on after a library of sessions and methods.
@Suite("Statements 14 to 16: the session", .limitedParallelism)
struct SessionStatementTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
        client.onDiagnostic { _ in }
    }

    @Test("14: a session executes methods and can cancel all active ones; a provider returns hosts by key and environment, or throws")
    func session() async throws {
        stubs.get("/search").times(1).reply(data: [1])
        #expect(try await client.call(SearchQuery(text: "a", page: 1)).value == [1])
        stubs.get("/search").reply(.unanswered)
        // The clock stands still, so that no limit ends the calls before they are cancelled.
        let still = Client(testing: stubs, clock: VirtualClock())
        let calls = (0..<3).map { still.call(SearchQuery(text: "a", page: $0)) }
        still.calls.cancelAll()
        #expect(calls.allSatisfy { !$0.isPending } && still.calls.tasks().isEmpty)
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }

        client.configureDefaults { $0.hostProvider = HostTable(["wallet": "//wallet.example.com", "cards": "//cards.example.com:8080"]) }
        client.environments.configureDefaults(in: .staging) { $0.hostProvider = HostTable(["wallet": "http://10.0.0.7"]) }
        func address(_ request: Request) async throws -> String { try await request.get("/a").preview().address.text }
        #expect(try await address(client.tag("wallet")) == "https://wallet.example.com/a")
        #expect(try await address(client.tag("wallet").host(key: "cards")) == "https://cards.example.com:8080/a")
        client.environments.current = .staging
        #expect(try await address(client.tag("wallet")) == "http://10.0.0.7/a")
        let error = await #expect(throws: APIError.self) { try await client.tag("wallet").host(key: "cards").get("/a").value() }
        #expect(error?.underlying as? HostError == .unknownKey(HostKey("cards", tag: "wallet", environment: .staging)))
        #expect(stubs.requests(to: "/a").isEmpty)
    }

    @Test("15: a method has one type of response; its encoded properties go to the query or to a JSON body; headers are optional")
    func methods() async throws {
        stubs.get("/search").reply(data: [7])
        stubs.post("/orders").reply(data: ["id": 8])
        let found: [Int] = try await client.value(SearchQuery(text: "a b", page: 2))
        let receipt: Receipt = try await client.value(Order(item: 5, token: "made-up"))
        #expect(found == [7] && receipt == Receipt(id: 8))
        #expect(
            stubs.requests.compactMap(\.sent?.sentLine) == [
                "GET https://stubs.test/search?text=a%20b&page=2", "POST https://stubs.test/orders",
            ])
        #expect(stubs.requests.map { $0.headers["X-Token"] } == [nil, "made-up"])
        #expect(stubs.requests.map(\.text) == ["", #"{"item":5}"#])
        let form = try await client.request(for: Order(item: 5, token: "made-up")).encoding(.form).preview()
        #expect(form.sentBody == "item=5")
    }

    @Test(
        "16: responses of a backend share common, specific, network and decoding errors, and may have any format"
    )
    func families() async throws {
        func failure(_ reply: StubReply) async -> APIError? {
            stubs.post("/orders").times(1).reply(reply)
            return await #expect(throws: APIError.self) { try await client.value(Order(item: 5, token: "made-up")) }
        }
        for (reply, error) in [
            (StubReply.json(["code": 1]), SessionError(name: "common")), (.json(["code": 2]), SessionError(name: "specific")),
        ] {
            stubs.post("/orders").times(1).reply(reply)
            await #expect(throws: error) { try await client.value(Order(item: 5, token: "made-up")) }
        }
        stubs.post("/orders").times(1).reply(json: ["id": 8])
        #expect(try await client.value(Order(item: 5, token: "made-up")) == Receipt(id: 8))
        #expect(await failure(.offline)?.kind == .offline)
        #expect(await failure(.json(["id": "eight"]))?.kind == .decoding)

        struct Greeting: Endpoint {
            static let format = ResponseFormat<String>.text
            var path: Path { "/greeting" }
        }
        struct Feed: Endpoint {
            static let format = ResponseFormat { try Feed.titles(in: $0.response.body) }
            var path: Path { "/feed.xml" }

            static func titles(in xml: Data) throws -> [String] {
                guard String(decoding: xml, as: UTF8.self).hasPrefix("<") else { throw SessionError(name: "no XML") }
                return String(decoding: xml, as: UTF8.self).matches(of: /<title>(.*?)<\/title>/).map { String($0.1) }
            }
        }
        stubs.get("/greeting").reply(body: Data([0x67, 0x72, 0xFC, 0xDF]), contentType: "text/plain; charset=iso-8859-1")
        #expect(try await client.value(Greeting()) == "grüß")
        stubs.get("/feed.xml").sequence(.text("<f><title>a</title><title>b</title></f>", contentType: "text/xml"), .text("?"))
        #expect(try await client.value(Feed()) == ["a", "b"])
        #expect(await #expect(throws: APIError.self) { try await client.value(Feed()) }?.underlying is SessionError)
    }
}
