import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("Requests of agents to the inspector", .limitedParallelism) struct AgentRequestTests {
    private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#

    private func send(_ text: String, _ probe: Probe) -> Request {
        probe.post("/api/mcp").body(Data(text.utf8), contentType: "application/json")
    }

    @Test(
        "a message is a POST, whose answer is JSON; a notification has none",
        arguments: [
            (ping, 200, #"{"jsonrpc":"2.0","id":1,"result":{}}"#), (#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, 202, ""),
        ])
    func messages(text: String, status: Int, body: String) async throws {
        let probe = try Probe()
        let port = probe.inspector.url.port ?? 0
        let answer = try await RawExchange.run(
            port: port,
            "POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Inspector-Key: \(probe.inspector.key)\r\n"
                + "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.hasSuffix("\r\n\r\n\(body)"))
    }

    @Test("a message that is no message is refused with its error", arguments: ["", "{", "[]"])
    func malformed(text: String) async throws {
        let probe = try Probe()
        let failure = await send(text, probe).execute(.data).result
        guard case .failure(let error as APIError) = failure else { return #expect(Bool(false), "\(failure)") }
        #expect(error.status == 400)
        #expect(try JSON(parsing: error.body ?? Data()).error.code.int ?? 0 < -32000)
    }

    @Test("other methods, other revisions, other pages and requests without the key are refused")
    func refused() async throws {
        let probe = try Probe()
        let ping = send(Self.ping, probe)
        let requests: [(Request, Int)] = [
            (probe.get("/api/mcp"), 405), (probe.delete("/api/mcp"), 405), (ping.header("MCP-Protocol-Version", "2024-11-05"), 400),
            (ping.header("X-Inspector-Key", nil), 401), (ping.header("X-Inspector-Key", "0"), 401),
            (ping.header("Origin", "http://evil.example.com"), 403),
        ]
        for (request, status) in requests {
            let failure = await request.execute(.data).result
            guard case .failure(let error as APIError) = failure else {
                #expect(Bool(false), "\(failure)")
                continue
            }
            #expect(error.status == status)
            if status == 405 { #expect(error.response?.headers["Allow"] == "POST") }
        }
        for revision in AgentProtocol.versions { try await ping.header("MCP-Protocol-Version", revision).execute(.void).value }
    }

    @Test("an agent leaves the code of the printed address to the page")
    func code() async throws {
        let probe = try Probe()
        let secrets = probe.inspector.secrets
        try await send(Self.ping, probe).execute(.void).value
        #expect(secrets.open(with: secrets.code) == secrets.key)
        try await probe.get("/api/hello").execute(.void).value
        #expect(secrets.open(with: secrets.code) == nil)
    }

    @Test("all calls are recorded for five minutes after a request of an agent, whether or not a page was open meanwhile")
    func recording() async throws {
        let clock = VirtualClock()
        let probe = try Probe { ($0.linger, $0.clock) = (.seconds(10), clock) }
        probe.stubs.get("/*").reply(data: 1)
        clock.advance(by: .seconds(11))
        _ = try await probe.client.get("/unseen").value()
        try await send(Self.ping, probe).execute(.void).value
        clock.advance(by: .seconds(200))
        _ = try await probe.client.get("/one").value()
        try await send(Self.ping, probe).execute(.void).value
        clock.advance(by: .seconds(200))
        _ = try await probe.client.get("/two").value()
        clock.advance(by: .seconds(101))
        _ = try await probe.client.get("/late").value()
        #expect(try await probe.rows().map(\.path.string) == ["/two", "/one"])

        // Neither ends what the other one needs.
        let attention = try #require(probe.inspector.core.attention)
        attention.begin()
        attention.attend(for: .seconds(5))
        clock.advance(by: .seconds(50))
        _ = try await probe.client.get("/page").value()
        attention.attend(for: .seconds(100))
        attention.end()
        clock.advance(by: .seconds(50))
        _ = try await probe.client.get("/agent").value()
        clock.advance(by: .seconds(51))
        _ = try await probe.client.get("/gone").value()
        #expect(try await probe.rows().map(\.path.string) == ["/agent", "/page", "/two", "/one"])
        attention.stop()
        attention.attend(for: .seconds(100))
        _ = try await probe.client.get("/stopped").value()
        #expect(try await probe.rows().count == 4)
    }

    @Test("an inspector that shows a file has no calls for agents")
    func archive() async throws {
        var settings = InspectorSettings()
        (settings.port, settings.keyFolder, settings.announce) = (0, nil, { _ in })
        let viewer = try Inspector.start(.archive(Data(#"{"log":{"entries":[]}}"#.utf8)), settings)
        defer { viewer.stop() }
        #expect(AgentTools(source: viewer.core).answer(.listCalls, nil).texts == ["There is no such call."])
        #expect(AgentTools(source: viewer.core).answer(.showCall, ["id": 1]).isError)
    }
}
