import Catena
import Foundation

/// A request or a notification of an agent in JSON-RPC 2.0.
///
/// Batches are refused, because the Model Context Protocol has none since 2025-06-18.
struct AgentMessage: Sendable {
    /// The id of a request, a text or a number, or `nil` for a notification, which has no answer.
    let id: JSON?
    let method: String
    let params: JSON

    /// The maximum number of bytes of a message.
    static let longest = 1 << 20
    /// The maximum number of bytes of an id, which every answer repeats.
    private static let longestID = 256

    /// Returns the message in these bytes, or `nil` for a response, because a server without requests expects none.
    static func parsed(_ bytes: Data) throws(AgentFault) -> AgentMessage? {
        guard bytes.count <= longest else { throw .tooLong }
        let json: JSON
        do throws(JSONSyntaxError) {
            json = try JSON(parsing: bytes)
        } catch {
            throw AgentFault(.parseError, "The message is \(error)")
        }
        guard let members = json.object else { throw AgentFault(.invalidRequest, "The message is no object. There are no batches.") }
        var id: JSON?
        if let given = members["id"] { id = try checked(given) }
        guard json.jsonrpc.string == "2.0" else { throw AgentFault(.invalidRequest, "\"jsonrpc\" is not \"2.0\".", id: id) }
        guard let method = json.method.string else {
            if members["method"] == nil, members["result"] != nil || members["error"] != nil { return nil }
            throw AgentFault(.invalidRequest, "\"method\" is no text.", id: id)
        }
        guard json.params.object != nil || members["params"] == nil else {
            throw AgentFault(.invalidParams, "\"params\" is no object.", id: id)
        }
        return AgentMessage(id: id, method: method, params: json.params)
    }

    private static func checked(_ id: JSON) throws(AgentFault) -> JSON {
        guard id.string != nil || id.double != nil, id.encoded.count <= longestID else {
            throw AgentFault(.invalidRequest, "\"id\" is no text and no number, or has more than \(longestID) bytes.")
        }
        return id
    }
}

/// An error of JSON-RPC: the message was not understood.
struct AgentFault: Error {
    /// The codes of JSON-RPC 2.0 §5.1.
    enum Code: Int {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
    }

    let code: Code
    let words: String
    let id: JSON?

    init(_ code: Code, _ words: String, id: JSON? = nil) {
        (self.code, self.words, self.id) = (code, words, id)
    }

    static let tooLong = AgentFault(.invalidRequest, "The message has more than \(AgentMessage.longest) bytes.")

    /// The answer that says what is wrong. Its id is null if the message had no valid one.
    var message: Data { message(to: id) }

    func message(to id: JSON?) -> Data {
        var output = JSONOutput()
        output.object { output in
            output.member("jsonrpc", "2.0")
            output.member("id", json: id?.encoded)
            output.key("error")
            output.object { output in
                output.member("code", code.rawValue)
                output.member("message", words)
            }
        }
        return output.data
    }
}
