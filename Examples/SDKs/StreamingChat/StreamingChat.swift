// An SDK for a chat that streams its replies: events with pieces of text until [DONE], and possibly an error between them.
import Catena

/// A message of a conversation.
public struct Message: Codable, Sendable {
    public let role: String
    public let content: String

    /// Makes a message, by default of the user.
    public init(role: String = "user", _ content: String) {
        self.role = role
        self.content = content
    }
}

/// The error if the service refuses a call or cannot continue a reply.
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

/// A model of the service.
public struct Chat: Sendable {
    let client: Client
    let model: String

    /// - Parameters:
    ///   - model: The name of the model, which is one of ``models()``.
    ///   - key: The key of the user.
    ///   - client: The client. By default a new one, so that the SDK and the app do not share settings. Tests pass one with stubs.
    public init(_ model: String, key: String, client: Client = Client()) {
        self.model = model
        self.client = client
        client.configureDefaults { defaults in
            defaults.host = "https://chat.example.com/v1"
            defaults.authentication = .bearer(key)
            defaults.timeout = .seconds(30)
        }
    }

    /// Delivers the pieces of a reply as they arrive, on the main actor. Returns after the last piece.
    ///
    /// - Throws: ``ChatError``, also in the middle of a reply. `CancellationError` if the task is cancelled, which ends the request.
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

    /// Returns the whole reply to a question.
    public func answer(to question: String) async throws -> String? {
        let prompt = Prompt(model: model, messages: [Message(question)], stream: false)
        let completion: Completion = try await client.post("/chat/completions").json(prompt).value()
        return completion.choices.first?.message.content
    }

    /// Returns the names of the models that the user may use.
    public func models() async throws -> [String] {
        try await client.get("/models").set(\.unwrap, .path("data")).value(as: [JSON].self).compactMap(\.id.string)
    }

    /// Rates a reply, without waiting for the response.
    public func rate(_ reply: String, _ stars: Int) {
        client.post("/ratings").json(["reply": reply, "stars": stars]).execute(.void)
    }
}
