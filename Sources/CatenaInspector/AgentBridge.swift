import Catena
import Foundation

/// Passes the tool calls of an agent on to the inspector of an app. It answers the rest itself, so that an agent can start before the app.
struct AgentBridge: Sendable {
    typealias Refusal = Doorkeeper.Refusal

    let finder: InspectorFinder
    private let client = InspectorFinder.client(deadline: .seconds(30), bodyLimit: Self.longestAnswer)

    /// An answer has a page whose characters may each take six bytes, and some words.
    private static let longestAnswer = 8 * AgentAnswer.longest

    init(_ finder: InspectorFinder) {
        self.finder = finder
    }

    /// The protocol towards the agent.
    var agents: AgentProtocol { AgentProtocol { tool, arguments in await answer(tool, arguments) } }

    private func answer(_ tool: AgentTool, _ arguments: JSON) async -> AgentAnswer {
        do throws(Refusal) {
            return try await passOn(tool, arguments, to: try await finder.find())
        } catch {
            return AgentAnswer(refusal: error)
        }
    }

    private func passOn(_ tool: AgentTool, _ arguments: JSON, to place: InspectorFinder.Place) async throws(Refusal) -> AgentAnswer {
        var output = JSONOutput()
        output.object { output in
            output.member("jsonrpc", "2.0")
            output.member("id", 1)
            output.member("method", "tools/call")
            output.key("params")
            output.object { output in
                output.member("name", tool.rawValue)
                output.key("arguments")
                output.value(arguments.object == nil ? [:] : arguments)
            }
        }
        let answer: JSON
        do {
            answer = try await client.host("http://127.0.0.1:\(place.port)").post(Path(Doorkeeper.agentPath))
                .header("X-Inspector-Key", place.key).body(output.data, contentType: "application/json").value()
        } catch {
            throw .init(status: 502, words: "The inspector of \(place.app) has not answered: \(error.localizedDescription)")
        }
        guard let content = answer.result.content.array else {
            throw .init(
                status: 502, words: "The inspector of \(place.app) does not know this: \(answer.error.message.string ?? "no reason")")
        }
        return AgentAnswer(content.compactMap(\.text.string), isError: answer.result.isError.bool == true)
    }
}
