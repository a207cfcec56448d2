import Catena

extension Tag {
    static let forum: Tag = "forum"
    /// The tag for signing in and refreshing, on the same host. It has no credential, so that its calls cannot end the session.
    static let account: Tag = "account"
}

/// A topic of the forum.
public struct Topic: Codable, Equatable, Identifiable, Sendable {
    public let id: Int
    public let title: String
    public var isStarred: Bool
}

/// The calls to the forum.
struct Forum: Sendable {
    let client: Client

    func signIn(email: String, password: String) async throws -> BearerToken {
        try await client.tag(.account).post("/login").params(["email": email, "password": password]).value()
    }

    func refresh(_ old: BearerToken) async throws -> BearerToken {
        try await client.tag(.account).post("/token").params(["refresh": old.refreshToken]).value()
    }

    func topics(page: Int) async throws -> Page<Topic> {
        try await client.tag(.forum).get("/topics").query("page", page).value()
    }

    func star(_ topic: Topic.ID, _ isStarred: Bool) -> Promise<Void> {
        client.tag(.forum).path("/topics/{id}/star").method(isStarred ? .put : .delete).param("id", topic).execute(.void)
    }
}
