import Catena
import CatenaTesting
import Foundation
import Testing

@Suite("Media types that a call accepts", .limitedParallelism)
struct AcceptedTypesTests {
    private let stubs = Stubs()

    private func reply(_ type: String?, status: Int = 200, _ text: String) -> StubReply {
        let reply = StubReply.text(text, status: status)
        return type.map { reply.header("Content-Type", $0) } ?? reply
    }

    @Test(
        "a response of another type fails the call in every terminal",
        arguments: [
            (["application/json"], "application/json; charset=utf-8", nil), (["application/json"], "Application/JSON", nil),
            (["application/json"], "text/html", "text/html"), (["text/*"], "text/html", nil), (["*/*"], "image/png", nil),
            (["application/pdf", "IMAGE/*"], "image/png", nil), (["application/pdf", "image/*"], "images/png", "images/png"),
        ] as [([String], String, String?)])
    func types(accepted: [String], type: String, refused: String?) async throws {
        let client = Client(testing: stubs)
        client.configureDefaults { $0.acceptedTypes = accepted }
        stubs.get("/a").reply(reply(type, "1"))
        let request = client.get("/a")
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await request.value() }, { _ = try await request.execute(.data).value }, { try await request.execute(.void).value },
            { for try await _ in request.stream() {} },
        ]
        for call in calls {
            do {
                try await call()
                #expect(refused == nil)
            } catch let error as APIError {
                #expect(error.kind == .decoding)
                #expect(error.status == 200)
                #expect(error.message.hasPrefix("The response is \(refused ?? "?"), but the call accepts "))
            }
        }
        #expect(stubs.requests.allSatisfy { $0.headers["Accept"] == accepted.joined(separator: ", ") })
    }

    /// Steps that change the accepted types of a request, with the header and the types that remain.
    static let orders: [(name: String, header: String?, accepts: Bool, steps: @Sendable (Request) -> Request)] = [
        ("header", "text/html", true, { $0.set(\.acceptedTypes, ["text/plain"]).header(.accept, "text/html") }),
        ("header in lower case", "text/html", true, { $0.set(\.acceptedTypes, ["text/plain"]).header("accept", "text/html") }),
        ("headers", "text/html", true, { $0.set(\.acceptedTypes, ["text/plain"]).headers(["X-Other": "1", "Accept": "text/html"]) }),
        ("removed", nil, true, { $0.set(\.acceptedTypes, ["text/plain"]).header("Accept", nil) }),
        ("the tag's removed", nil, true, { $0.header("accept", nil) }),
        ("set after the header", "text/plain", false, { $0.header(.accept, "text/html").set(\.acceptedTypes, ["text/plain"]) }),
        (
            "set after an added header", "text/plain", false,
            { $0.header(.accept, adding: "text/html").set(\.acceptedTypes, ["text/plain"]) }
        ),
        ("set after the removal", "text/html", true, { $0.header("Accept", nil).set(\.acceptedTypes, ["text/html"]) }),
        ("another header", "text/plain", false, { $0.set(\.acceptedTypes, ["text/plain"]).header("X-Other", "text/html") }),
    ]

    @Test("a call is asked for and accepts what the later of two steps names", arguments: orders.map(\.name))
    func laterStep(name: String) async throws {
        let row = try #require(Self.orders.first { $0.name == name })
        let client = Client(testing: stubs)
        client.configureDefaults { $0.acceptedTypes = ["text/plain"] }
        stubs.get("/a").reply(reply("text/html", "1"))
        let call: Promise<String> = row.steps(client.get("/a")).execute(.string)
        let result = await call.result
        #expect(stubs.requests.map { $0.headers["Accept"] } == [row.header])
        #expect(((try? result.get()) == "1") == row.accepts)
    }

    @Test("a call's types replace its tag's, an error status keeps its own error, and an empty body is accepted whatever its type")
    func precedence() async throws {
        let client = Client(testing: stubs)
        client.configureDefaults { $0.acceptedTypes = ["text/plain"] }
        stubs.get("/a").reply(reply("text/html", "1"))
        stubs.get("/refused").reply(reply("text/html", status: 403, "<p>"))
        stubs.get("/empty").reply(reply("text/html", ""))
        #expect(try await client.get("/a").set(\.acceptedTypes, ["text/html", "text/xml"]).execute(.string).value == "1")
        #expect(stubs.requests.first?.headers["Accept"] == "text/html, text/xml")
        #expect(try await client.get("/a").header("Accept", "text/html").execute(.string).value == "1")
        #expect(try await client.get("/a").set(\.acceptedTypes, []).execute(.string).value == "1")
        stubs.get("/events").reply(reply("text/event-stream", "data: 1\n\n"))
        for try await event in client.get("/events").events() {
            #expect(event.data == "1")
            break
        }
        let error = await #expect(throws: APIError.self) { try await client.get("/refused").execute(.void).value }
        #expect(error?.status == 403)
        try await client.get("/empty").execute(.void).value
    }
}
