import Catena
import Foundation

/// The tools of agents, as `tools/list` describes them.
enum AgentTool: String, CaseIterable, Sendable {
    case listCalls = "list_calls"
    case showCall = "show_call"
    case readBody = "read_body"
    case explainEnvelope = "explain_envelope"
    case showTimeline = "show_timeline"
    case copyCall = "copy_call"
    case repeatCall = "repeat_call"
    case addStub = "add_stub"
    case removeStub = "remove_stub"

    /// Whether the tool changes nothing in the app. Others need the app's permission.
    var isReadOnly: Bool {
        switch self {
        case .listCalls, .showCall, .readBody, .explainEnvelope, .showTimeline, .copyCall: true
        case .repeatCall, .addStub, .removeStub: false
        }
    }

    private var words: String {
        let needs = "Needs the app's permission (agentsMayAct)."
        return switch self {
        case .listCalls:
            "Lists the app's HTTP calls, newest first: id, tag, method, host, path, state, status, code, message, start in milliseconds since 1970, "
                + "duration in milliseconds, bytes, attempts and source. While no page is open and no agent has asked for five minutes, "
                + "the inspector keeps only calls that failed."
        case .showCall:
            "Shows one call: every attempt with request, response and phases, the stages of the call, how the envelope was read, decisions and the error. "
                + "Long texts are cut; read_body has bodies whole."
        case .readBody: "Returns the body of a request or a response as text, or as base64 if it is no text."
        case .explainEnvelope:
            "Says which key of the response was read as code, message and payload, and why the call is a success or a failure."
        case .showTimeline:
            "Shows when each attempt and each stage of a call began and ended, in milliseconds from its beginning, and what retry, cache and sign-in decided."
        case .copyCall: "Returns a call as a curl command, as Swift code, or as a stub for a test."
        case .repeatCall: "Sends a call's request to the server again. It may have effects there, such as a second order. \(needs)"
        case .addStub: "Lets the app's calls to a path receive this response in place of the server's, until the stub is removed. \(needs)"
        case .removeStub: "Removes a stub. \(needs)"
        }
    }

    var arguments: [AgentArgument] {
        let id = AgentArgument("id", .number, "The id of the call, from list_calls.", isRequired: true)
        let cursor = AgentArgument("cursor", .text, "Where the page begins, from the answer before. Left out: the first page.")
        return switch self {
        case .listCalls:
            [
                AgentArgument("tag", .text, "Only calls of this tag."),
                AgentArgument("status", .text, "Only calls with this status, such as 404 or 4xx."),
                AgentArgument("text", .text, "Only calls with this text in method, address, message, code, tag or kind of error."),
                AgentArgument("failures", .truth, "Whether only failed calls are listed."),
                AgentArgument("limit", .number, "The number of calls on a page, at most 200. Left out: 50."),
                cursor,
            ]
        case .showCall, .explainEnvelope, .showTimeline: [id, cursor]
        case .readBody:
            [
                id, AgentArgument("of", .choice(["request", "response"]), "Which body.", isRequired: true),
                AgentArgument("attempt", .number, "The number of the attempt. Left out: the last one."), cursor,
            ]
        case .copyCall: [id, AgentArgument("as", .choice(["curl", "swift", "stub"]), "The form.", isRequired: true), cursor]
        case .repeatCall: [id]
        case .addStub:
            [
                AgentArgument("path", .text, "The path, which begins with a slash; * matches any text.", isRequired: true),
                AgentArgument("method", .text, "The method. Left out: any."),
                AgentArgument("tag", .text, "The tag whose calls are meant. Left out: all."),
                AgentArgument("status", .number, "The status, from 200 to 599. Left out: 200."),
                AgentArgument("headers", .texts, "The headers of the response, each with its value."),
                AgentArgument("body", .text, "The body of the response."),
                AgentArgument("delay", .number, "Milliseconds until the response."),
            ]
        case .removeStub: [AgentArgument("id", .number, "The id of the stub, from add_stub.", isRequired: true)]
        }
    }

    /// Throws unless the arguments are those that the tool has declared.
    func check(_ given: JSON) throws(Doorkeeper.Refusal) {
        let arguments = arguments
        for member in given.object?.members ?? [] {
            guard let argument = arguments.first(where: { $0.name == member.key }) else {
                let known = arguments.map(\.name).joined(separator: ", ")
                throw .init(status: 400, words: "There is no argument \"\(member.key.cut(to: 100))\". \(rawValue) has: \(known).")
            }
            guard member.value.isNull || argument.kind.fits(member.value) else {
                throw .init(status: 400, words: "\"\(argument.name)\" has to be \(argument.kind.words).")
            }
        }
        for argument in arguments where argument.isRequired && given[argument.name].isNull {
            throw .init(status: 400, words: "\"\(argument.name)\" is missing.")
        }
    }

    /// The result of `tools/list`.
    static var list: Data {
        var output = JSONOutput()
        output.object { output in
            output.key("tools")
            output.array(allCases) { $1.write(into: &$0) }
        }
        return output.data
    }

    private func write(into output: inout JSONOutput) {
        output.object { output in
            output.member("name", rawValue)
            output.member("description", words)
            output.key("inputSchema")
            output.object { output in
                output.member("type", "object")
                output.key("properties")
                output.object { output in for argument in arguments { argument.write(into: &output) } }
                output.key("required")
                output.array(arguments.filter(\.isRequired)) { $0.string($1.name) }
                output.member("additionalProperties", false)
            }
            output.key("annotations")
            output.object { output in
                output.member("readOnlyHint", isReadOnly)
                if !isReadOnly { output.member("destructiveHint", true) }
                output.member("openWorldHint", self == .repeatCall)
            }
        }
    }
}
