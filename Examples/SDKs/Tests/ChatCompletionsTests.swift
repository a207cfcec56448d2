import Catena
import CatenaTesting
import ChatCompletions
import Testing

@Suite struct ChatCompletionsTests {
    private struct Place: Decodable, Equatable { let city: String }

    private let stubs = Stubs()
    private var chat: Completions { Completions("small", key: "made-up", client: Client(testing: stubs)) }

    /// Returns a chunk as the service sends it, with members that the SDK does not need.
    private static func chunk(_ choices: String, usage: String = "null") -> String {
        let head = #""id":"c-1","object":"chat.completion.chunk","created":1700000000,"model":"small","system_fingerprint":null"#
        return "data: {\(head),\"choices\":[\(choices)],\"usage\":\(usage)}\n\n"
    }

    private static func delta(_ delta: String, reason: String = "null") -> String {
        chunk(#"{"index":0,"delta":{\#(delta)},"logprobs":null,"finish_reason":\#(reason)}"#)
    }

    private static let usage = chunk("", usage: #"{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21}"#)
    private static let failure = #"{"error":{"message":"Slow down.","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#
    private static let refusal = "rate_limit_exceeded: Slow down."

    /// Stubs the replies to the next calls.
    private func stub(_ replies: StubReply...) {
        for reply in replies {
            stubs.post("/v1/chat/completions").header("Authorization", "Bearer made-up")
                .json(containing: ["model": "small", "stream": true, "stream_options": ["include_usage": true]]).times(1).reply(reply)
        }
    }

    private static func events(_ texts: String...) -> StubReply {
        .text(texts.joined(), contentType: "text/event-stream").dripping(11)
    }

    @MainActor
    @Test("the text comes in pieces, and the reply has all of it with its usage")
    func text() async throws {
        stub(
            Self.events(
                Self.delta(#""role":"assistant","content":"""#), Self.delta(#""content":"Hello""#), Self.delta(#""content":" there""#),
                Self.delta("", reason: #""stop""#), Self.usage, "data: [DONE]\n\n"))
        var pieces: [String] = []
        let reply = try await chat.reply(to: [.user("Hi")]) { pieces.append($0) }
        #expect(pieces == ["Hello", " there"])
        #expect(reply.text == "Hello there" && reply.finishReason == "stop" && reply.toolCalls.isEmpty)
        #expect(reply.usage?.prompt == 9 && reply.usage?.completion == 12)
    }

    @MainActor
    @Test("two tool calls are assembled from pieces of JSON, and their results are sent back")
    func tools() async throws {
        func piece(_ index: Int, _ arguments: String, head: String = "", name: String = "") -> String {
            Self.delta(#""tool_calls":[{"index":\#(index),\#(head)"function":{\#(name)"arguments":"\#(arguments)"}}]"#)
        }
        stub(
            Self.events(
                piece(0, "", head: #""id":"call_a","type":"function","#, name: #""name":"weather","#),
                piece(0, #"{\"ci"#), piece(0, #"ty\":\"Oslo\"}"#),
                piece(1, #"{\"city\":"#, head: #""id":"call_b","type":"function","#, name: #""name":"time","#),
                piece(1, #"\"Rome\"}"#), Self.delta("", reason: #""tool_calls""#), Self.usage, "data: [DONE]\n\n"),
            Self.events(Self.delta(#""content":"Yes.""#), "data: [DONE]\n\n"))
        let tools = [Tool("weather", "Returns the weather in a city.", parameters: ["type": "object"])]
        let reply = try await chat.reply(to: [.user("Is it raining in Oslo?")], tools: tools)
        #expect(reply.toolCalls.map(\.name) == ["weather", "time"] && reply.toolCalls.map(\.id) == ["call_a", "call_b"])
        #expect(try reply.toolCalls.map { try $0.arguments(as: Place.self) } == [Place(city: "Oslo"), Place(city: "Rome")])
        #expect(reply.finishReason == "tool_calls" && reply.text.isEmpty)
        let asked = try #require(stubs.requests.first?.json)
        #expect(asked.tools[0].function.name == "weather" && asked.messages[0].content == "Is it raining in Oslo?")

        let call = try #require(reply.toolCalls.first)
        _ = try await chat.reply(to: [.user("Is it?"), .assistant(reply), .result("rain", of: call)])
        let sent = try #require(stubs.requests.last?.json)
        #expect(sent.messages[1].tool_calls[0].function.arguments == #"{"city":"Oslo"}"#)
        #expect(sent.messages[2] == ["role": "tool", "content": "rain", "tool_call_id": "call_a"])
    }

    @MainActor
    @Test("an error in mid-stream and an error in place of the reply are one error of the SDK", arguments: [true, false])
    func failure(inMidStream: Bool) async throws {
        stub(
            inMidStream
                ? Self.events(Self.delta(#""content":"Hel""#), "data: \(Self.failure)\n\n") : .json(text: Self.failure, status: 400))
        var pieces: [String] = []
        let error = await #expect(throws: ChatError.self) { try await chat.reply(to: [.user("Hi")]) { pieces.append($0) } }
        #expect(error.map { "\($0.code): \($0.message)" } == Self.refusal)
        #expect(pieces == (inMidStream ? ["Hel"] : []))
    }

    @MainActor
    @Test("a reply that ends without [DONE] is incomplete")
    func incomplete() async throws {
        stub(Self.events(Self.delta(#""content":"Hel""#)))
        let error = await #expect(throws: APIError.self) { try await chat.reply(to: [.user("Hi")]) }
        #expect(error?.kind == .connectionLost)
    }

    @MainActor
    @Test("cancelling the task closes the connection in the middle of the reply")
    func cancelled() async throws {
        let server = try LoopbackServer()
        let first = Self.delta(#""content":"Hel""#)
        server.post("/v1/chat/completions") { _ in
            .chunked([first, Self.delta(#""content":"lo""#)]).header("Content-Type", "text/event-stream").stalled(after: first.utf8.count)
        }
        let client = Client()
        let chat = Completions("small", key: "made-up", client: client)
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
