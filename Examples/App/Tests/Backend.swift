import Catena
import CatenaTesting

@testable import Topics

/// Stubs that replace the forum, and the parts of the app.
@MainActor
struct Backend {
    let stubs = Stubs()
    let session: Session
    let list: TopicList

    /// - Parameter token: The token of the signed-in user, or nil if no user is signed in.
    init(token: String? = "made-up") {
        let store = MemoryCredentialStore(token.map { BearerToken(accessToken: $0, refreshToken: "refresh", user: "7") })
        session = Session(host: "https://forum.example.com/api", client: Client(testing: stubs), store: store)
        list = TopicList(session)
    }

    func stubPage(_ page: Int, _ topics: [Topic], hasMore: Bool = true) {
        let items = topics.map { JSON(["id": $0.id, "title": $0.title, "isStarred": $0.isStarred]) }
        stubs.get("/topics").query(["page": page])
            .reply(json: ["code": 0, "data": ["items": JSON(array: items), "hasMore": JSON(booleanLiteral: hasMore)]])
    }

    static let tea = Topic(id: 1, title: "Tea", isStarred: false)
    static let rain = Topic(id: 2, title: "Rain", isStarred: true)
    static let moss = Topic(id: 3, title: "Moss", isStarred: false)
}
