import Catena
import CatenaLoopback
import Foundation

extension InspectorCore {
    /// Returns the response to a message of an agent, over the streamable HTTP of the Model Context Protocol, without streams and sessions.
    func agentResponse(to request: StubRequest) async -> StubReply {
        guard request.method == .post else {
            return .refusal(405, "Messages of agents are sent by POST.").header("Allow", "POST")
        }
        if let version = request.headers["MCP-Protocol-Version"], !AgentProtocol.versions.contains(version) {
            return .refusal(400, "The protocol's revisions are \(AgentProtocol.versions.joined(separator: ", ")).")
        }
        attention?.attend(for: agentLinger)
        let tools = AgentTools(source: self)
        let agents = AgentProtocol { tool, arguments in tools.answer(tool, arguments) }
        return switch await agents.reply(to: request.body) {
        case .none: .status(202)
        case .message(let message): .json(message)
        case .refusal(let message): .json(message, status: 400)
        }
    }
}

extension InspectorCore: AgentSource {
    /// Agents pass on what they read, so they never get secrets, even if the page shows them.
    private var agentView: CallView {
        var view = view()
        view.showsSecrets = false
        return view
    }

    func rows(_ query: CallQuery) -> Data { list(query, agentView) }

    func details(of id: UInt64) throws(Doorkeeper.Refusal) -> Data { detail(of: try call("\(id)"), agentView) }

    func again(_ id: UInt64) throws(Doorkeeper.Refusal) { try again(try call("\(id)")) }

    func addStub(_ effect: Data) throws(Doorkeeper.Refusal) -> Data { try effects.add(effect) }

    func removeStub(_ id: String) throws(Doorkeeper.Refusal) {
        guard effects.all.contains(where: { "\($0.id)" == id && $0.name == "stub" }) else {
            throw .init(status: 404, words: "There is no such stub any more.")
        }
        try effects.remove(id)
    }
}
