// An SDK for a service with the API of Anthropic's messages: events with names, content in blocks, tool calls in pieces of JSON, `event: error`.
import Catena

/// A model of the service.
public struct Messages: Sendable {
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
            defaults.host = "https://messages.example.com/v1"
            defaults.headers = ["anthropic-version": "2023-06-01"]
            defaults.authentication = .apiKey(key, header: "x-api-key")
            defaults.retry = .exponential(limit: 2)
        }
    }

    /// Sends a conversation, and returns the reply once it is complete.
    ///
    /// - Parameters:
    ///   - messages: The conversation so far.
    ///   - tools: The functions that the model may ask the app to call.
    ///   - maximum: The maximum number of tokens of the reply.
    ///   - text: Receives the pieces of the text as they arrive, on the main actor.
    /// - Throws: ``MessageError`` if the service refuses the call, or fails or stops in the middle of the reply. `CancellationError` if the
    ///   task is cancelled, which ends the request.
    public func reply(
        to messages: [Message],
        tools: [Tool] = [],
        maximum: Int = 1024,
        text: @MainActor (String) -> Void = { _ in }
    ) async throws -> Reply {
        let prompt = Prompt(model: model, maximum: maximum, messages: messages, tools: tools.isEmpty ? nil : tools)
        var assembly = ReplyAssembly()
        do {
            for try await event in client.post("/messages").json(prompt).events(as: MessageEvent.self) {
                if case .stop = event { return assembly.reply }
                if let piece = assembly.add(event) { await text(piece) }
            }
        } catch let error as APIError {
            throw MessageError(error) ?? error
        }
        throw MessageError(type: "incomplete", message: "The reply has ended without its last event.")
    }
}

/// The error if the service refuses a call or cannot continue a reply.
public struct MessageError: Error, Equatable {
    /// The type of the error, such as `overloaded_error`.
    public let type: String
    public let message: String

    init(type: String, message: String) {
        self.type = type
        self.message = message
    }

    /// Returns `nil` for an error that is not from the service, such as that of a lost connection.
    init?(_ error: APIError) {
        guard error.kind == .business || error.kind == .status else { return nil }
        self.init(type: "\(error.code)", message: error.message)
    }
}
