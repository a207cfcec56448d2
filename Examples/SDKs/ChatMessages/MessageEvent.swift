// The bodies that the service receives and the events that it sends.
import Catena

struct Prompt: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case model, messages, tools, stream
        case maximum = "max_tokens"
    }

    let model: String
    let maximum: Int
    let messages: [Message]
    let tools: [Tool]?
    let stream = true
}

/// A part of a message.
enum Content: Encodable, Sendable {
    case text(String)
    case call(ToolCall)
    case result(String, id: String)

    private enum Key: String, CodingKey {
        case type, text, id, name, input, content
        case callID = "tool_use_id"
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .text(let text):
            try members.encode("text", forKey: .type)
            try members.encode(text, forKey: .text)
        case .call(let call):
            try members.encode("tool_use", forKey: .type)
            try members.encode(call.id, forKey: .id)
            try members.encode(call.name, forKey: .name)
            try members.encode(call.input(as: JSON.self), forKey: .input)
        case .result(let text, let id):
            try members.encode("tool_result", forKey: .type)
            try members.encode(id, forKey: .callID)
            try members.encode(text, forKey: .content)
        }
    }
}

/// An event of a reply. Events of unknown types are ignored, because the service may add some.
enum MessageEvent: Decodable, Sendable {
    case start(Start)
    case block(index: Int, Block)
    case text(String)
    case input(index: Int, json: String)
    case end(reason: String?, Usage)
    case stop
    case other

    struct Start: Decodable, Sendable { let usage: Usage }

    struct Usage: Decodable, Sendable {
        private enum CodingKeys: String, CodingKey {
            case input = "input_tokens"
            case output = "output_tokens"
        }

        let input: Int?
        let output: Int?
    }

    struct Block: Decodable, Sendable {
        let type: String
        let id: String?
        let name: String?
    }

    private struct Delta: Decodable {
        private enum CodingKeys: String, CodingKey {
            case text
            case json = "partial_json"
            case reason = "stop_reason"
        }

        let text: String?
        let json: String?
        let reason: String?
    }

    private enum Key: String, CodingKey {
        case type, index, message, delta, usage
        case block = "content_block"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        switch try members.decode(String.self, forKey: .type) {
        case "message_start": self = .start(try members.decode(Start.self, forKey: .message))
        case "content_block_start":
            self = .block(index: try members.decode(Int.self, forKey: .index), try members.decode(Block.self, forKey: .block))
        case "content_block_delta":
            let delta = try members.decode(Delta.self, forKey: .delta)
            if let text = delta.text {
                self = .text(text)
            } else if let json = delta.json {
                self = .input(index: try members.decode(Int.self, forKey: .index), json: json)
            } else {
                self = .other
            }
        case "message_delta":
            let reason = try members.decode(Delta.self, forKey: .delta).reason
            self = .end(reason: reason, try members.decode(Usage.self, forKey: .usage))
        case "message_stop": self = .stop
        default: self = .other
        }
    }
}

/// Puts a reply together from its events.
struct ReplyAssembly {
    private(set) var reply = Reply()
    /// The positions in the reply of the tool calls, by the index of their blocks.
    private var positions: [Int: Int] = [:]

    /// Adds an event, and returns its piece of the text, if it has one.
    mutating func add(_ event: MessageEvent) -> String? {
        switch event {
        case .start(let message): note(message.usage)
        case .block(let index, let block):
            guard block.type == "tool_use", let id = block.id, let name = block.name else { break }
            positions[index] = reply.toolCalls.count
            reply.toolCalls.append(ToolCall(id: id, name: name))
        case .text(let text):
            reply.text += text
            return text
        case .input(let index, let json):
            if let position = positions[index] { reply.toolCalls[position].input += json }
        case .end(let reason, let usage):
            reply.stopReason = reason
            note(usage)
        case .stop, .other: break
        }
        return nil
    }

    /// Takes over the counts, which are totals and not differences.
    private mutating func note(_ usage: MessageEvent.Usage) {
        reply.inputTokens = usage.input ?? reply.inputTokens
        reply.outputTokens = usage.output ?? reply.outputTokens
    }
}
