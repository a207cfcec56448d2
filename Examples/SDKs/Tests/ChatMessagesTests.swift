import Catena
import CatenaTesting
import ChatMessages
import Testing

@Suite struct ChatMessagesTests {
    private struct Place: Decodable, Equatable { let city: String }

    private let stubs = Stubs()
    private var chat: Messages { Messages("small", key: "made-up", client: Client(testing: stubs)) }

    /// Returns an event as the service sends it, with its name before its data.
    private static func event(_ type: String, _ members: String = "") -> String {
        "event: \(type)\ndata: {\"type\":\"\(type)\"\(members.isEmpty ? "" : ",")\(members)}\n\n"
    }

    private static let start = event(
        "message_start",
        #""message":{"id":"m-1","type":"message","role":"assistant","content":[],"model":"small","stop_reason":null,"#
            + #""stop_sequence":null,"usage":{"input_tokens":25,"output_tokens":1}}"#)
    private static let stop = event("message_stop")

    private static func text(_ text: String) -> String {
        event("content_block_delta", #""index":0,"delta":{"type":"text_delta","text":"\#(text)"}"#)
    }

    private static func input(_ json: String) -> String {
        event("content_block_delta", #""index":1,"delta":{"type":"input_json_delta","partial_json":"\#(json)"}"#)
    }

    private static func end(_ reason: String) -> String {
        event("message_delta", #""delta":{"stop_reason":"\#(reason)","stop_sequence":null},"usage":{"output_tokens":15}"#)
    }

    private static let block = event("content_block_start", #""index":0,"content_block":{"type":"text","text":""}"#)
    private static let failure = #"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#

    private static func events(_ texts: String...) -> StubReply {
        .text(texts.joined(), contentType: "text/event-stream").dripping(11)
    }

    /// Stubs the replies to the next calls.
    private func stub(_ replies: StubReply...) {
        for reply in replies {
            stubs.post("/v1/messages").header("x-api-key", "made-up").header("anthropic-version", "2023-06-01")
                .json(containing: ["model": "small", "max_tokens": 1024, "stream": true]).times(1).reply(reply)
        }
    }

    @MainActor
    @Test("the text comes in pieces, pings and unknown events are ignored, and the reply has its usage")
    func text() async throws {
        stub(
            Self.events(
                Self.start, Self.block, Self.event("ping"), Self.text("Hello"), Self.event("news", #""text":"?""#), Self.text(" there"),
                Self.event("content_block_stop", #""index":0"#), Self.end("end_turn"), Self.stop))
        var pieces: [String] = []
        let reply = try await chat.reply(to: [.user("Hi")]) { pieces.append($0) }
        #expect(pieces == ["Hello", " there"])
        #expect(reply.text == "Hello there" && reply.stopReason == "end_turn" && reply.toolCalls.isEmpty)
        #expect(reply.inputTokens == 25 && reply.outputTokens == 15)
    }

    @MainActor
    @Test("a tool call is assembled from pieces of JSON, and its result is sent back")
    func tools() async throws {
        stub(
            Self.events(
                Self.start, Self.block, Self.text("One moment."), Self.event("content_block_stop", #""index":0"#),
                Self.event("content_block_start", #""index":1,"content_block":{"type":"tool_use","id":"t-1","name":"weather","input":{}}"#),
                Self.input(""), Self.input(#"{\"ci"#), Self.input(#"ty\": \"Oslo\"}"#), Self.event("content_block_stop", #""index":1"#),
                Self.end("tool_use"), Self.stop),
            Self.events(Self.start, Self.stop))
        let tools = [Tool("weather", "Returns the weather in a city.", input: ["type": "object"])]
        let reply = try await chat.reply(to: [.user("Is it raining in Oslo?")], tools: tools)
        let call = try #require(reply.toolCalls.first)
        #expect(call.id == "t-1" && call.name == "weather" && reply.toolCalls.count == 1)
        #expect(try call.input(as: Place.self) == Place(city: "Oslo"))
        #expect(reply.text == "One moment." && reply.stopReason == "tool_use")

        _ = try await chat.reply(to: [.user("Is it?"), .assistant(reply), .result("rain", of: call)])
        let sent = try #require(stubs.requests.last?.json)
        #expect(sent.messages[1].content[1] == ["type": "tool_use", "id": "t-1", "name": "weather", "input": ["city": "Oslo"]])
        #expect(sent.messages[2].content[0] == ["type": "tool_result", "tool_use_id": "t-1", "content": "rain"])
    }

    @MainActor
    @Test("an error in mid-stream and an error in place of the reply are one error of the SDK", arguments: [true, false])
    func failure(inMidStream: Bool) async throws {
        stub(
            inMidStream
                ? Self.events(Self.start, Self.block, Self.text("Hel"), "event: error\ndata: \(Self.failure)\n\n")
                : .json(text: Self.failure, status: 400))
        var pieces: [String] = []
        let error = await #expect(throws: MessageError.self) { try await chat.reply(to: [.user("Hi")]) { pieces.append($0) } }
        #expect(error?.type == "overloaded_error" && error?.message == "Overloaded")
        #expect(pieces == (inMidStream ? ["Hel"] : []))
    }

    @MainActor
    @Test("a reply that ends without its last event is incomplete")
    func incomplete() async throws {
        stub(Self.events(Self.start, Self.block, Self.text("Hel")))
        let error = await #expect(throws: MessageError.self) { try await chat.reply(to: [.user("Hi")]) }
        #expect(error?.type == "incomplete")
    }

    @MainActor
    @Test("cancelling the task closes the connection in the middle of the reply")
    func cancelled() async throws {
        let server = try LoopbackServer()
        let first = Self.start + Self.text("Hel")
        server.post("/v1/messages") { _ in
            .chunked([first, Self.text("lo")]).header("Content-Type", "text/event-stream").stalled(after: first.utf8.count)
        }
        let client = Client()
        let chat = Messages("small", key: "made-up", client: client)
        client.configureDefaults { $0.host = "\(server.url)/v1" }
        let (arrived, arrival) = Promise<String>.pending()
        let task = Task { try await chat.reply(to: [.user("Hi")]) { arrival.fulfill($0) } }
        #expect(try await arrived.value == "Hel")
        task.cancel()
        await server.connectionsClosed(1)
        await #expect(throws: CancellationError.self) { try await task.value }
        server.stop()
    }
}
