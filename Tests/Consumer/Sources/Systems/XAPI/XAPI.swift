// An app migrated from xAPI: subsystems, promises from the chain, common params and headers, an error with a code and a message.
import Catena

extension Tag {
    static let forum: Tag = "forum"
    static let wallet: Tag = "wallet"
}

public struct User: Codable, Sendable {
    let name: String
}

struct Session: Codable, Sendable {
    let token: String
}

public struct Balance: Codable, Sendable {
    public let cents: Int
}

public func configure(token: @escaping @Sendable () async -> String?) {
    API.configureDefaults { defaults in
        defaults.timeout = .seconds(10)
        defaults.retry = .exponential(limit: 2)
    }
    API.configure(.forum) { forum in forum.host = "https://forum.example.com/api" }
    API.configure(.wallet) { wallet in
        wallet.host = "https://wallet.example.com"
        wallet.envelope = .standard.codes("result.code").message("result.text").data("payload").success(0, "OK")
        wallet.retry = .never
    }
    API.commonParams { tag in tag == .forum ? ["app": "ios", "v": "3.2"] : [:] }
    API.commonHeaders { _ in ["X-Token": await token()] }
}

enum Forum {
    static var base: Request { API.tag(.forum) }

    static func users(in room: String, page: Int = 1) -> Promise<[User]> {
        base.get("/v1/rooms/{room}/users").params(["room": room, "page": page]).execute()
    }

    static func logIn(_ email: String, _ password: String) -> Promise<Session> {
        base.post("/login").encoding(.form).commonParams(.merged).params(["email": email, "password": password]).execute()
    }

    static func me(_ session: Session) -> Promise<User> {
        base.get("/me").header("X-Token", session.token).execute()
    }
}

@MainActor
public final class Screen {
    public private(set) var text = ""
    public private(set) var isLoading = false

    public init() {}

    public func open(_ room: String) -> Promise<[User]> {
        isLoading = true
        Forum.base.post("/v1/seen").param("room", room).query("via", "list").execute(.void)
        return Forum.users(in: room)
            .then { users in self.text = users.map(\.name).joined(separator: ", ") }
            .catch(.unauthorized) { _ in self.text = "Sign in, please." }
            .catch(.code(10086)) { error in self.text = "Closed: \(error.message)" }
            .catch { error in self.text = "\(error.code): \(error.message)" }
            .finally { self.isLoading = false }
    }

    public func logIn(_ email: String, _ password: String) -> Promise<User> {
        Forum.logIn(email, password)
            .flatMap { session in Forum.me(session) }
            .then { user in self.text = "Hello \(user.name)" }
            .catch { error in self.text = error.message }
    }

    public func headline() -> Promise<JSON> {
        API.host("https://news.example.com").get("/latest").execute()
            .then { news in self.text = news.items[0].title.string ?? "No news" }
    }

    public func balance() async throws -> Balance {
        try await API.tag(.wallet).get("/balance").value()
    }
}
