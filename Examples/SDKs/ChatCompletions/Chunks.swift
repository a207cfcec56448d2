// The bodies that the service receives and sends.
import Catena

struct Prompt: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case model, messages, tools, stream
        case streamOptions = "stream_options"
    }

    let model: String
    let messages: [Message]
    let tools: [Tool]?
    let stream = true
    let streamOptions = ["include_usage": true]
}

struct CalledTool: Encodable, Sendable {
    struct Function: Encodable, Sendable {
        let name: String
        let arguments: String
    }

    let id: String
    let type = "function"
    let function: Function

    init(_ call: ToolCall) {
        id = call.id
        function = Function(name: call.name, arguments: call.arguments)
    }
}

/// A piece of a reply. The last one has the usage and no choice.
struct Chunk: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
        private enum CodingKeys: String, CodingKey {
            case delta
            case finishReason = "finish_reason"
        }

        let delta: Delta
        let finishReason: String?
    }

    struct Delta: Decodable, Sendable {
        private enum CodingKeys: String, CodingKey {
            case content
            case toolCalls = "tool_calls"
        }

        let content: String?
        let toolCalls: [ToolPiece]?
    }

    /// A piece of a tool call. The first piece of a call has its ID and name, the others continue the arguments.
    struct ToolPiece: Decodable, Sendable {
        struct Function: Decodable, Sendable {
            let name: String?
            let arguments: String?
        }

        let index: Int
        let id: String?
        let function: Function?
    }

    let choices: [Choice]
    let usage: Usage?
}

/// Puts a reply together from its chunks.
struct ReplyAssembly {
    private(set) var reply = Reply()
    /// The positions in the reply of the tool calls, by the index that their pieces have in common.
    private var positions: [Int: Int] = [:]

    /// Adds a chunk, and returns its piece of the text, if it has one.
    mutating func add(_ chunk: Chunk) -> String? {
        if let usage = chunk.usage { reply.usage = usage }
        guard let choice = chunk.choices.first else { return nil }
        if let reason = choice.finishReason { reply.finishReason = reason }
        for piece in choice.delta.toolCalls ?? [] { add(piece) }
        guard let text = choice.delta.content, !text.isEmpty else { return nil }
        reply.text += text
        return text
    }

    private mutating func add(_ piece: Chunk.ToolPiece) {
        let position = positions[piece.index] ?? reply.toolCalls.count
        if position == reply.toolCalls.count {
            reply.toolCalls.append(ToolCall())
            positions[piece.index] = position
        }
        if let id = piece.id { reply.toolCalls[position].id = id }
        if let name = piece.function?.name { reply.toolCalls[position].name += name }
        if let arguments = piece.function?.arguments { reply.toolCalls[position].arguments += arguments }
    }
}
