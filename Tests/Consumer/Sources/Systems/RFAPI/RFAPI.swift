// An app migrated from RFAPI: requests by name from a rule file, a closure for each call, groups that end with their screen.
import Catena
import CatenaRules
import Foundation

let rules = """
    {
        "DEFAULT": { "Base": "https://forum.example.com/api/", "Headers": { "X-App": "3.2" } },
        "@topics": {
            "TopicList": { "Path": "topics", "Parameters": { "size": 20 }, "Response Type": 3, "Response Class": "Topic" },
            "Topic": { "Path": "topics/{id}", "Response Type": 2, "Response Class": "Topic" },
            "NewTopic": { "Path": "topics", "Method": "POST", "Authorization": true, "Response Type": 2, "Response Class": "Topic" },
            "SeenTopic": { "Path": "topics/{id}/seen", "Method": "POST", "Response Type": 1 }
        }
    }
    """

public struct Topic: Codable, Sendable {
    let id: Int
    let title: String
}

public func configure(token: String) throws {
    API.rules.register(Topic.self)
    try API.rules.load(Data(rules.utf8))
    API.rules.authorizationHeaders = ["X-Token": token]
    API.onError { error, _ in error.code == 10010 ? .cancelSilently : .proceed }
}

@MainActor
public final class TopicScreen {
    public private(set) var titles: [String] = []
    public private(set) var message: String?
    public private(set) var isLoading = false

    public init() {}

    public func load(page: Int, then: @escaping @MainActor @Sendable () -> Void) {
        isLoading = true
        API.request(named: "TopicList") { context in
            context.params = ["page": page]
            context.group = "topic screen"
            context.success = { _, topics in self.titles = topics.as([Topic].self)?.map(\.title) ?? [] }
            context.failure = { _, error in self.message = error.message }
            context.finished = { _, _ in
                self.isLoading = false
                then()
            }
        }
    }

    public func open(_ id: Int) -> Promise<Topic> {
        API.request(named: "SeenTopic").param("id", id).execute(.void)
        return API.request(named: "Topic").param("id", id).group("topic screen").execute()
            .then { topic in self.titles = [topic.title] }
            .catch(.notFound) { _ in self.message = "There is no such topic." }
            .catch { error in self.message = error.localizedDescription }
    }

    public func publish(_ title: String) async throws -> Topic {
        try await API.request(named: "NewTopic").param("title", title).value()
    }

    public func leave() {
        API.calls.cancel(group: "topic screen")
    }
}
