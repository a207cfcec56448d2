import Catena
import CatenaLoopback
import Foundation

extension InspectorCore {
    /// Returns the response to a request.
    func respond(to request: StubRequest) async -> StubReply {
        do throws(Doorkeeper.Refusal) {
            try door.checkPlace(request)
            guard request.path.hasPrefix("/api/") else {
                guard request.method == .get || request.method == .head, let file = page.response(to: request.path) else {
                    throw .init(status: 404, words: "There is no such page.")
                }
                return file
            }
            switch (request.method.name, request.path) {
            case ("GET", "/api/proof"): return try door.proofs(for: request)
            case ("POST", "/api/open"): return try door.key(for: request)
            default: try door.checkKey(request)
            }
            store.takeIn()
            return try await answer(request, request.path.split(separator: "/").dropFirst().map(String.init))
        } catch {
            return .refusal(error.status, error.words)
        }
    }

    private func answer(_ request: StubRequest, _ path: [String]) async throws(Doorkeeper.Refusal) -> StubReply {
        switch (request.method.name, path.first ?? "", path.count) {
        case ("GET", "hello", 1): return hello
        case ("GET", "events", 1): return feed.connect()
        case ("GET", "calls", 1): return .json(list(try CallQuery(request.queryItems.map { ($0.name, $0.value) }), view()))
        case ("GET", "calls", 2): return .json(detail(of: try call(path[1]), view()))
        case ("POST", "calls", 3) where path[2] == "again":
            try again(try call(path[1]))
            return .done
        case ("POST", "clear", 1):
            store.clear()
            feed.tell("cleared", Data("{}".utf8))
            return .done
        case ("POST", "effects", 1): return .json(try effects.add(request.body))
        case ("DELETE", "effects", 1):
            effects.removeAll()
            return .done
        case ("DELETE", "effects", 2):
            try effects.remove(path[1])
            return .done
        case ("GET", "har", 1): return try archive(request)
        case ("GET", "archive", 1):
            guard case .archive(let archive) = subject else { throw .init(status: 404, words: "The inspector shows no HAR file.") }
            return .json(archive)
        case (_, "mcp", 1): return await agentResponse(to: request)
        default: throw .init(status: 404, words: "There is nothing at \(request.path).")
        }
    }

    private var client: Client? {
        if case .calls(let client) = subject { client } else { nil }
    }

    private var hello: StubReply {
        var output = JSONOutput()
        output.object { hello in
            hello.member("app", name)
            hello.member("version", API.version)
            hello.member("showsSecrets", showsSecrets)
            hello.member("limit", store.limits.calls)
            let view = view()
            hello.member("now", milliseconds: view.epoch(view.now))
            hello.key("tags")
            hello.array(client?.configuredTags ?? []) { $0.string($1) }
            hello.member("har", client == nil)
            hello.member("renewal", door.secrets.pageRenewal)
        }
        return .json(output.data)
    }

    func call(_ id: String) throws(Doorkeeper.Refusal) -> InspectedCall {
        guard let number = UInt64(id), let inspected = store.call(number) else {
            throw .init(status: 404, words: "The call is not kept any more.")
        }
        return inspected
    }

    /// Returns the JSON of one call.
    func detail(of inspected: InspectedCall, _ view: CallView) -> Data {
        let contents = inspected.contents
        var output = JSONOutput()
        let home = client?.home(of: inspected.tag) ?? (nil, [:])
        CallDetail(inspected: inspected, contents: contents, view: view, home: home, previous: previous(inspected, contents)).write(
            into: &output)
        return output.data
    }

    /// Returns the last call before this one that succeeded and has its tag, method, host and path.
    private func previous(_ inspected: InspectedCall, _ contents: InspectedCall.Contents) -> InspectedCall? {
        guard let request = contents.request else { return nil }
        return store.calls().last { other in
            guard other.callID < inspected.callID, other.tag == inspected.tag else { return false }
            let contents = other.contents
            guard case .success = contents.end?.result, let former = contents.request else { return false }
            return former.method == request.method && former.address.path == request.address.path
                && former.address.host == request.address.host
        }
    }

    /// Returns the JSON of a part of the list, newest first.
    func list(_ query: CallQuery, _ view: CallView) -> Data {
        var (rows, hasMore): ([CallRow], Bool) = ([], false)
        var calls = store.calls()[...]
        // If the call is no longer stored, no earlier call is either.
        if let before = query.before { calls = calls[..<(calls.lastIndex { $0.callID == before } ?? 0)] }
        for inspected in calls.reversed() where query.mayBe(inspected) {
            let row = CallRow(inspected, inspected.contents, view)
            guard query.fits(row) else { continue }
            if rows.count == query.limit {
                hasMore = true
                break
            }
            rows.append(row)
        }
        var output = JSONOutput()
        output.object { list in
            list.key("calls")
            list.array(rows) { $1.write(into: &$0) }
            list.member("more", hasMore)
        }
        return output.data
    }
}
