import Catena
import CatenaTesting
import StreamingChat
import Testing

@Suite struct StreamingChatTests {
    private let stubs = Stubs()
    private var chat: Chat { Chat("small", key: "made-up", client: Client(testing: stubs)) }
    private let failure = #"{"error":{"code":"overloaded","message":"Later."}}"#

    private func chunk(_ text: String) -> String { #"data: {"choices":[{"delta":{"content":"\#(text)"}}]}"# + "\n\n" }

    private func stubReply(_ reply: StubReply) {
        stubs.post("/v1/chat/completions").header("Authorization", "Bearer made-up").json(containing: ["stream": true]).reply(reply)
    }

    @MainActor
    @Test("a reply comes in pieces")
    func pieces() async throws {
        stubReply(.text(chunk("Hello") + chunk(" there") + "data: [DONE]\n\n", contentType: "text/event-stream").dripping(7))
        var received: [String] = []
        try await chat.reply(to: [Message("Hi")]) { received.append($0) }
        #expect(received == ["Hello", " there"])
    }

    @MainActor
    @Test("an error between two pieces ends the reply with an error of the SDK")
    func errorInBetween() async throws {
        stubReply(.text(chunk("Hel") + "data: \(failure)\n\n", contentType: "text/event-stream"))
        var received: [String] = []
        let error = await #expect(throws: ChatError.self) { try await chat.reply(to: [Message("Hi")]) { received.append($0) } }
        #expect(error?.code == "overloaded")
        #expect(received == ["Hel"])
    }

    @MainActor
    @Test("an error in place of the reply is the same error")
    func errorAtOnce() async throws {
        stubReply(.text(failure, status: 429, contentType: "application/json"))
        let error = await #expect(throws: ChatError.self) { try await chat.reply(to: [Message("Hi")]) { _ in } }
        #expect(error?.message == "Later.")
    }

    @Test("a whole answer, the models and a rating")
    func others() async throws {
        stubs.post("/v1/chat/completions").json(containing: ["stream": false])
            .reply(json: ["choices": [["message": ["role": "assistant", "content": "Yes."]]]])
        stubs.get("/v1/models").reply(json: ["object": "list", "data": [["id": "small"], ["id": "large"]]])
        stubs.post("/v1/ratings").json(["reply": "Yes.", "stars": 5]).reply(status: 204)
        #expect(try await chat.answer(to: "Is it?") == "Yes.")
        #expect(try await chat.models() == ["small", "large"])
        chat.rate("Yes.", 5)
        try await stubs.verifyWhenIdle()
    }
}
