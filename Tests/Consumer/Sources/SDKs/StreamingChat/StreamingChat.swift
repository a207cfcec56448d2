// An SDK for a chat that streams its replies: events with pieces of text until [DONE], and an error that may come in between.
import Catena

public struct Message: Codable, Sendable {
    public let role: String
    public let content: String

    public init(role: String = "user", _ content: String) {
        self.role = role
        self.content = content
    }
}

public struct ChatError: Error, Decodable {
    public let code: String
    public let message: String
}

struct Prompt: Encodable, Sendable {
    let model: String
    let messages: [Message]
    let stream: Bool
}

struct Chunk: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
        struct Delta: Decodable, Sendable { let content: String? }
        let delta: Delta
    }

    let choices: [Choice]
}

struct Failure: Decodable {
    let error: ChatError
}

struct Completion: Decodable, Sendable {
    struct Choice: Decodable, Sendable { let message: Message }
    let choices: [Choice]
}

public struct Chat: Sendable {
    let client: Client
    let model: String

    public init(_ model: String, key: String, client: Client = Client()) {
        self.model = model
        self.client = client
        client.configureDefaults { defaults in
            defaults.host = "https://chat.example.com/v1"
            defaults.authentication = .bearer(key)
            defaults.timeout = .seconds(30)
        }
    }

    public func reply(to messages: [Message], piece: @MainActor (String) -> Void) async throws {
        let request = client.post("/chat/completions").json(Prompt(model: model, messages: messages, stream: true))
        do {
            for try await chunk in request.events(as: Chunk.self, until: "[DONE]") {
                if let text = chunk.choices.first?.delta.content { await piece(text) }
            }
        } catch let error as APIError {
            throw (try? error.decoded(as: Failure.self))?.error ?? error
        }
    }

    public func answer(to question: String) async throws -> String? {
        let prompt = Prompt(model: model, messages: [Message(question)], stream: false)
        let completion: Completion = try await client.post("/chat/completions").json(prompt).value()
        return completion.choices.first?.message.content
    }

    public func models() async throws -> [String] {
        try await client.get("/models").unwrap(.path("data")).value(as: [JSON].self).compactMap(\.id.string)
    }

    public func rate(_ reply: String, _ stars: Int) {
        client.post("/ratings").json(["reply": reply, "stars": stars]).void()
    }
}
