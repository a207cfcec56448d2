import Catena
import Foundation

/// A message of a conversation.
public struct Message: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case role, content
        case toolCallID = "tool_call_id"
        case toolCalls = "tool_calls"
    }

    let role: String
    let content: String?
    var toolCallID: String?
    var toolCalls: [CalledTool]?

    /// Makes a message of the user.
    public static func user(_ content: String) -> Message { Message(role: "user", content: content) }

    /// Makes the message that a reply was, which precedes the results of its tool calls.
    public static func assistant(_ reply: Reply) -> Message {
        Message(
            role: "assistant", content: reply.text.isEmpty ? nil : reply.text,
            toolCalls: reply.toolCalls.isEmpty ? nil : reply.toolCalls.map { CalledTool($0) })
    }

    /// Makes the result of a tool call.
    public static func result(_ content: String, of call: ToolCall) -> Message {
        Message(role: "tool", content: content, toolCallID: call.id)
    }
}

/// A function that the model may ask the app to call.
public struct Tool: Encodable, Sendable {
    private struct Function: Encodable, Sendable {
        let name: String
        let description: String
        let parameters: JSON
    }

    private let type = "function"
    private let function: Function

    /// - Parameter parameters: The JSON schema of the arguments.
    public init(_ name: String, _ description: String, parameters: JSON) {
        function = Function(name: name, description: description, parameters: parameters)
    }
}

/// A function that the model asks the app to call.
public struct ToolCall: Equatable, Sendable {
    public internal(set) var id = ""
    public internal(set) var name = ""
    /// The arguments as JSON. The model may have made invalid JSON.
    public internal(set) var arguments = ""

    /// Returns the arguments decoded as a type.
    public func arguments<Arguments: Decodable>(as type: Arguments.Type) throws -> Arguments {
        try JSONDecoder().decode(type, from: Data(arguments.utf8))
    }
}

/// A reply of the model.
public struct Reply: Equatable, Sendable {
    public internal(set) var text = ""
    public internal(set) var toolCalls: [ToolCall] = []
    /// The reason why the reply ended, such as `stop`, `length` or `tool_calls`.
    public internal(set) var finishReason: String?
    public internal(set) var usage: Usage?
}

/// The number of tokens that a reply has cost.
public struct Usage: Decodable, Equatable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case prompt = "prompt_tokens"
        case completion = "completion_tokens"
    }

    public let prompt: Int
    public let completion: Int
}
