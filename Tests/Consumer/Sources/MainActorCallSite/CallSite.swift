// The sentences of CallSite in a module whose default isolation is the main actor. Models, tags and helpers in the closures of requests are nonisolated,
// because those closures run off the main actor. This file is compiled, not run.
import Catena

// MARK: Types of an app

nonisolated struct User: Codable, Sendable {
    let name: String
}

nonisolated struct Room: Codable, Sendable {
    let name: String
}

nonisolated struct Token: Codable, Sendable {
    let value: String
}

nonisolated func token() -> String { "made-up" }

nonisolated extension Tag {
    static let forum: Tag = "forum"
    static let wallet: Tag = "wallet"
}

// MARK: Start-up, once for each subsystem

nonisolated func configure() {
    API.configure(.forum) { forum in
        forum.host = "https://forum.example.com/api"
        forum.timeout = .seconds(10)
        forum.retry = .exponential(limit: 2)
    }
    API.configure(.wallet) { wallet in
        wallet.host = "https://wallet.example.com"
        wallet.envelope = .standard.codes("result.code").message("result.text").data("payload").success(0, "OK")
    }
    API.commonParams { tag in
        tag == .forum ? ["app": "ios", "v": "3.2"] : [:]
    }
    API.commonHeaders { tag in
        ["Authorization": tag == .wallet ? "Bearer \(token())" : nil]
    }
}

// MARK: Anywhere

final class Spinner {
    func stop() {}
}

final class Screen {
    let spinner = Spinner()
    let roomID = 7
    let size = 20
    let optionalText: String? = nil
    let email = "a@example.com"
    let password = "made-up"
    var shown: [User] = []

    func show(_ users: [User]) { shown = users }
    func show(_ users: [User], _ rooms: [Room]) { shown = users }
    func greet(_ user: User) {}
    func alert(_ message: String) {}
    func alert(_ code: ErrorCode, _ message: String) {}
    func signIn() {}
    func explain(_ message: String) {}

    func list() {
        API.tag(.forum)
            .path("/v1/rooms/\(roomID)/users")
            .method(.get)
            .params(["page": 1, "size": size, "ids": [1, 2, 3], "q": optionalText])
            .execute(as: [User].self)
            .then { users in self.show(users) }
            .catch { error in self.alert(error.code, error.message) }
            .finally { self.spinner.stop() }
    }

    func dynamic() {
        API.host("https://example.com").get("/v1/users").execute()
            .then { ret in print(ret.users[0].name.string ?? "") }
    }

    func chain() {
        API.tag(.forum).post("/login").params(["email": email, "password": password]).execute(as: Token.self)
            .flatMap { token in API.tag(.forum).get("/me").header("X-Token", token.value).execute(as: User.self) }
            .then { user in self.greet(user) }
            .catch(.unauthorized) { _ in self.signIn() }
            .catch(.code(10086)) { error in self.explain(error.message) }
            .catch { error in self.alert(error.message) }
    }

    func unheard() {
        API.tag(.forum).post("/seen").param("room", roomID).query("via", "list").execute(.void)
    }

    func awaited() async throws {
        let users = try await API.tag(.forum).get("/users").value(as: [User].self)
        let rooms: [Room] = try await API.tag(.forum).get("/rooms").value()
        show(users, rooms)
    }
}

// MARK: One place for a subsystem's calls

nonisolated enum ForumAPI {
    static var base: Request { API.tag(.forum) }

    static func users(in room: String) -> Promise<[User]> {
        base.path("/v1/rooms/{room}/users").params(["room": room]).execute()
    }
}
