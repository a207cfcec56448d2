// An SDK for a service with the API of OpenAI's chat completions: text in pieces, tool calls in pieces of JSON, the usage last, then [DONE].
import Catena

/// A model of the service.
public struct Completions: Sendable {
    let client: Client
    let model: String

    /// - Parameters:
    ///   - model: The name of the model.
    ///   - key: The key of the user.
    ///   - client: The client. By default a new one, so that the SDK and the app do not share settings. Tests pass one with stubs.
    public init(_ model: String, key: String, client: Client = Client()) {
        self.model = model
        self.client = client
        client.configureDefaults { defaults in
            defaults.host = "https://completions.example.com/v1"
            defaults.authentication = .bearer(key)
            defaults.retry = .exponential(limit: 2)
        }
    }

    /// Sends a conversation, and returns the reply once it is complete.
    ///
    /// - Parameters:
    ///   - messages: The conversation so far.
    ///   - tools: The functions that the model may ask the app to call.
    ///   - text: Receives the pieces of the text as they arrive, on the main actor.
    /// - Throws: ``ChatError`` if the service refuses the call or fails in the middle of the reply. `CancellationError` if the task is
    ///   cancelled, which ends the request.
    public func reply(
        to messages: [Message],
        tools: [Tool] = [],
        text: @MainActor (String) -> Void = { _ in }
    ) async throws -> Reply {
        let prompt = Prompt(model: model, messages: messages, tools: tools.isEmpty ? nil : tools)
        var assembly = ReplyAssembly()
        do {
            for try await chunk in client.post("/chat/completions").json(prompt).events(as: Chunk.self, until: "[DONE]") {
                if let piece = assembly.add(chunk) { await text(piece) }
            }
        } catch let error as APIError {
            throw ChatError(error) ?? error
        }
        return assembly.reply
    }
}

/// The error if the service refuses a call or cannot continue a reply.
public struct ChatError: Error, Equatable {
    /// The code of the service, such as `rate_limit_exceeded`.
    public let code: String
    public let message: String

    /// Returns `nil` for an error that is not from the service, such as that of a lost connection.
    init?(_ error: APIError) {
        guard error.kind == .business || error.kind == .status else { return nil }
        code = "\(error.code)"
        message = error.message
    }
}
