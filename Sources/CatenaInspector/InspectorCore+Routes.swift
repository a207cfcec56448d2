import Catena
import CatenaLoopback
import Foundation

extension InspectorCore {
    /// What a request is answered.
    func respond(to request: RecordedRequest) async -> LoopbackResponse {
        do throws(Doorkeeper.Refusal) {
            try door.checkPlace(request)
            guard request.path.hasPrefix("/api/") else {
                guard request.method == .get || request.method == .head, let file = page.response(to: request.path) else {
                    throw .init(status: 404, words: "There is no such page.")
                }
                return file
            }
            try door.checkKey(request)
            return try await answer(request, request.path.split(separator: "/").dropFirst().map(String.init))
        } catch {
            return .refusal(error.status, error.words)
        }
    }

    private func answer(_ request: RecordedRequest, _ path: [String]) async throws(Doorkeeper.Refusal) -> LoopbackResponse {
        switch (request.method.name, path.first ?? "", path.count) {
        case ("GET", "hello", 1): return hello
        case ("GET", "events", 1): return feed.connect()
        case ("GET", "calls", 1): return try list(request)
        case ("POST", "clear", 1):
            store.clear()
            feed.tell("cleared", Data("{}".utf8))
            return .json(text: "{}")
        default: throw .init(status: 404, words: "There is nothing at \(request.path).")
        }
    }

    private var hello: LoopbackResponse {
        var output = JSONOutput()
        let (client, isArchive): (Client?, Bool) =
            switch subject {
            case .calls(let client): (client, false)
            case .archive: (nil, true)
            }
        output.object { hello in
            hello.member("app", ProcessInfo.processInfo.processName)
            hello.member("version", API.version)
            hello.member("showsSecrets", showsSecrets)
            hello.member("limit", store.limits.calls)
            let view = view()
            hello.member("now", milliseconds: view.epoch(view.now))
            hello.key("tags")
            hello.array(client?.configuredTags ?? []) { $0.string($1) }
            hello.member("har", isArchive)
        }
        return .json(output.data)
    }

    private func list(_ request: RecordedRequest) throws(Doorkeeper.Refusal) -> LoopbackResponse {
        let query = try CallQuery(request)
        let view = view()
        var (rows, hasMore): ([CallRow], Bool) = ([], false)
        for trace in store.calls().reversed() where query.mayBe(trace) {
            let row = CallRow(trace, trace.contents, view)
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
        return .json(output.data)
    }
}
