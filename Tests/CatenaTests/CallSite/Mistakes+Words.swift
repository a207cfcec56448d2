// Steps, patterns and endpoints that are written as in other libraries.
extension Mistake {
    static let bodies = [
        Mistake(
            name: "a dictionary as a body",
            code: """
                func save(_ members: [String: Any]) {
                    API.post("/rooms").body(members).execute(.void)
                }
                """,
            line: 2,
            message:
                "'body' is unavailable: a body needs its kind: `json(…)` or `form(…)` for an object or an Encodable value, `body(file:)` for a file, `body(_:contentType:)` for Data"
        ),
        Mistake(
            name: "a text as a body",
            code: """
                func save(_ text: String) {
                    API.post("/notes").body(text, contentType: "text/plain").execute(.void)
                }
                """,
            line: 2,
            message:
                "'body(_:contentType:)' is unavailable: a body with a content type is `Data`: `Data(text.utf8)` for a text; `json(…)` or `form(…)` for an object or an Encodable value"
        ),
        Mistake(
            name: "json() to read",
            code: """
                func me() {
                    API.get("/me").json().then { me in print(me) }
                }
                """,
            line: 2,
            message:
                "'json()' is unavailable: `json(…)` sends a body: read a response by `value()` or `execute()`, which give a `JSON` without a type"
        ),
        Mistake(
            name: "json(as:) to read",
            code: """
                func names() async throws -> [String] {
                    try await API.get("/names").json(as: [String].self)
                }
                """,
            line: 2,
            message: "'json(as:)' is unavailable: `json(…)` sends a body: read a response by `value(as:)` or `execute(as:)`"
        ),
        Mistake(
            name: "an endpoint without a response",
            code: """
                struct RoomList: Endpoint {
                    var path: Path { "/rooms" }
                }
                """,
            line: 1,
            message: "type 'RoomList' does not conform to protocol 'Endpoint'",
            note: "ambiguous inference of associated type 'Response': 'Data' vs. 'Void'"),
    ]

    static let patterns = [
        Mistake(
            name: "the error of a catch with a matcher",
            code: """
                func me() async {
                    do {
                        _ = try await API.get("/me").value()
                    } catch .offline {
                        print(error.localizedDescription)
                    } catch {}
                }
                """,
            line: 5,
            message: "expansion of macro 'error' requires leading '#'"),
        Mistake(
            name: "a matcher with arguments in a closure",
            code: """
                func me() {
                    API.get("/me").execute().catch { error in
                        switch error {
                        case .status(500...): print("later")
                        default: print(error)
                        }
                    }
                }
                """,
            line: 4,
            message: "pattern with associated values does not match enum case 'status'"),
        Mistake(
            name: "an event of a call in a switch",
            code: """
                func watch() {
                    API.observe { event in
                        switch event {
                        case .finished(let result): print(result)
                        default: break
                        }
                    }
                }
                """,
            line: 4,
            message: "type 'ErrorMatcher' has no member 'finished'"),
        Mistake(
            name: "a code compared with a variable",
            code: """
                func isLocked(_ error: APIError, _ code: String) -> Bool {
                    error.code == code
                }
                """,
            line: 2,
            message: "referencing operator function '==' on 'StringProtocol' requires that 'ErrorCode' conform to 'StringProtocol'"),
        Mistake(
            name: "a code compared with an integer variable",
            code: """
                func isGone(_ error: APIError, _ code: Int) -> Bool {
                    error.code == code
                }
                """,
            line: 2,
            message: "referencing operator function '==' on 'BinaryInteger' requires that 'ErrorCode' conform to 'BinaryInteger'"),
    ]

    static let sending = [
        Mistake(
            name: "a class without an actor in then",
            code: """
                final class Model {
                    var names: [String] = []

                    func load() {
                        API.get("/names").execute(as: [String].self)
                            .then { names in self.names = names }
                    }
                }
                """,
            line: 6,
            message: "sending 'self' risks causing data races"),
        Mistake(
            name: "a class without an actor that awaits",
            code: """
                final class Names {
                    var all: [String] = []

                    func load() async throws { all = try await API.get("/names").value() }
                }

                @MainActor final class Screen {
                    let names = Names()

                    func load() async throws { try await names.load() }
                }
                """,
            line: 10,
            message: "sending 'self.names' risks causing data races"),
        Mistake(
            name: "a class without an actor in a task",
            code: """
                final class Model {
                    var names: [String] = []

                    func load() {
                        Task { names = try await API.get("/names").value() }
                    }
                }
                """,
            line: 5,
            message:
                "passing closure as a 'sending' parameter risks causing data races between code in the current task and concurrent execution of the closure"
        ),
    ]
}
