import Catena
import Foundation

/// A message of a conversation.
public struct Message: Encodable, Sendable {
    let role: String
    let content: [Content]

    /// Makes a message of the user.
    public static func user(_ text: String) -> Message { Message(role: "user", content: [.text(text)]) }

    /// Makes the message that a reply was, which precedes the results of its tool calls.
    public static func assistant(_ reply: Reply) -> Message {
        let text = reply.text.isEmpty ? [] : [Content.text(reply.text)]
        return Message(role: "assistant", content: text + reply.toolCalls.map { .call($0) })
    }

    /// Makes the result of a tool call.
    public static func result(_ text: String, of call: ToolCall) -> Message {
        Message(role: "user", content: [.result(text, id: call.id)])
    }
}

/// A function that the model may ask the app to call.
public struct Tool: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case name, description
        case schema = "input_schema"
    }

    let name: String
    let description: String
    let schema: JSON

    /// - Parameter input: The JSON schema of the input.
    public init(_ name: String, _ description: String, input: JSON) {
        self.name = name
        self.description = description
        schema = input
    }
}

/// A function that the model asks the app to call.
public struct ToolCall: Equatable, Sendable {
    public let id: String
    public let name: String
    /// The input as JSON, which has arrived in pieces. It is invalid if the reply ended within it.
    public internal(set) var input = ""

    /// Returns the input decoded as a type.
    public func input<Input: Decodable>(as type: Input.Type) throws -> Input {
        try JSONDecoder().decode(type, from: Data((input.isEmpty ? "{}" : input).utf8))
    }
}

/// A reply of the model.
public struct Reply: Equatable, Sendable {
    public internal(set) var text = ""
    public internal(set) var toolCalls: [ToolCall] = []
    /// The reason why the reply ended, such as `end_turn`, `max_tokens` or `tool_use`.
    public internal(set) var stopReason: String?
    /// The number of tokens of the conversation.
    public internal(set) var inputTokens = 0
    /// The number of tokens of the reply.
    public internal(set) var outputTokens = 0
}
