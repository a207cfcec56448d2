import Catena
import CatenaTesting

/// A scenario of the tour.
struct Scenario: Sendable {
    let title: String
    /// The source of the call.
    let code: String
    /// Runs the scenario and returns its outcome. Throws if the outcome is not the expected one.
    let run: @Sendable () async throws -> String
}

struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

/// Records the steps of a chain.
final class Notes: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

extension Tour {
    var scenarios: [Scenario] {
        [signIn, envelopeOfItsOwn, dynamicValue, businessError, notFound, timeout, cancelled, together, rules]
    }

    private var signIn: Scenario {
        Scenario(
            title: "Log in, load the profile, then the list: one chain",
            code: """
                API.tag(.forum).post("/login").params(["email": "a@example.com", "password": "made-up"]).execute(as: Token.self)
                    .flatMap { token in API.tag(.forum).get("/me").header("X-Token", token.value).execute(as: Profile.self) }
                    .flatMap { me in API.tag(.forum).get("/v1/rooms/{room}/users").params(["room": me.room]).execute(as: [User].self) }
                    .then { users in show(users) }
                """
        ) {
            let notes = Notes()
            let users = try await API.tag(.forum).post("/login").params(["email": "a@example.com", "password": "made-up"])
                .execute(as: Token.self)
                .flatMap { token in API.tag(.forum).get("/me").header("X-Token", token.value).execute(as: Profile.self) }
                .flatMap { me in API.tag(.forum).get("/v1/rooms/{room}/users").params(["room": me.room]).execute(as: [User].self) }
                .then { users in notes.add("shown \(users.count)") }
                .value
            guard users.map(\.name) == ["Ada", "Grace"], notes.all == ["shown 2"] else { throw Unexpected(description: "\(users)") }
            return "[User] \(users.map(\.name))"
        }
    }

    private var envelopeOfItsOwn: Scenario {
        Scenario(
            title: "A backend with another envelope: the call looks the same",
            code: #"try await API.tag(.wallet).get("/balance").value(as: Balance.self)"#
        ) {
            let balance = try await API.tag(.wallet).get("/balance").value(as: Balance.self)
            guard balance.amount == "12.50" else { throw Unexpected(description: "\(balance)") }
            return "Balance \(balance.amount) \(balance.currency)"
        }
    }

    private var dynamicValue: Scenario {
        Scenario(
            title: "Without a type: a dynamic value, already unwrapped",
            code: """
                let ret = try await API.tag(.legacy).get("/news.php").value()
                ret.list[1].title.string
                """
        ) {
            let ret = try await API.tag(.legacy).get("/news.php").value()
            guard ret.list[1].title.string == "World", ret.count.int == 2 else { throw Unexpected(description: "\(ret)") }
            return "\"World\""
        }
    }

    private var businessError: Scenario {
        Scenario(
            title: "The backend says no, with HTTP status 200",
            code: """
                API.tag(.wallet).post("/pay").json(["amount": 100]).execute()
                    .catch(.code(10086)) { error in explain(error.message) }
                """
        ) {
            let notes = Notes()
            let result = await API.tag(.wallet).post("/pay").json(["amount": 100]).execute()
                .catch(.unauthorized) { _ in notes.add("sign in") }
                .catch(.code(10086)) { error in notes.add("\(error.code): \(error.message)") }
                .result
            guard case .failure = result, notes.all == ["10086: not enough money"] else { throw Unexpected(description: "\(notes.all)") }
            return "error \(notes.all[0])"
        }
    }

    private var notFound: Scenario {
        Scenario(
            title: "A 404: the envelope is read there too",
            code: """
                API.tag(.forum).get("/gone").execute()
                    .catch(.notFound) { error in alert(error.message) }
                """
        ) {
            let notes = Notes()
            _ = await API.tag(.forum).get("/gone").execute().catch(.notFound) { error in notes.add(error.message) }.result
            guard notes.all == ["this page has moved on"] else { throw Unexpected(description: "\(notes.all)") }
            return "error 404: \(notes.all[0])"
        }
    }

    private var timeout: Scenario {
        Scenario(
            title: "A server that never answers",
            code: #"API.tag(.forum).get("/slow").timeout(.milliseconds(300)).execute()"#
        ) {
            do {
                let value = try await API.tag(.forum).get("/slow").timeout(.milliseconds(300)).value()
                throw Unexpected(description: "\(value)")
            } catch let error as APIError {
                guard error.kind == .timeout, error.code == 110 else { throw error }
                return "error \(error.code): \(error.message)"
            }
        }
    }

    private var cancelled: Scenario {
        let backends = backends
        return Scenario(
            title: "A cancelled call: not a failure, so catch stays silent and finally runs",
            code: """
                let call = API.tag(.forum).get("/slow").execute().catch { … }.finally { spinner.stop() }
                call.cancel()
                """
        ) {
            let notes = Notes()
            let seen = backends.forum.server.requestCount
            let call = API.tag(.forum).get("/slow").execute()
                .catch { error in notes.add("catch \(error)") }
                .finally { notes.add("finally") }
            await backends.forum.server.requestsReceived(seen + 1)
            call.cancel()
            _ = await call.result
            await MainActor.run {}
            guard notes.all == ["finally"] else { throw Unexpected(description: "\(notes.all)") }
            return "finally, and nothing else"
        }
    }

    private var together: Scenario {
        Scenario(
            title: "Three backends at once",
            code: """
                Promise.all(
                    API.tag(.forum).get("/v1/rooms/7/users").execute(as: [User].self),
                    API.tag(.wallet).get("/balance").execute(as: Balance.self),
                    API.tag(.legacy).get("/news.php").execute())
                    .then { users, balance, news in show(users, balance, news) }
                """
        ) {
            let (users, balance, news) = try await Promise.all(
                API.tag(.forum).get("/v1/rooms/7/users").execute(as: [User].self),
                API.tag(.wallet).get("/balance").execute(as: Balance.self),
                API.tag(.legacy).get("/news.php").execute()
            ).value
            guard users.count == 2, balance.currency == "EUR", news.list[0].title.string == "Hello" else {
                throw Unexpected(description: "\(users) \(balance) \(news)")
            }
            return "\(users.count) users, \(balance.amount) \(balance.currency), \"Hello\""
        }
    }
}
