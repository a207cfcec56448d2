extension Mistake {
    static let all = closures + tuples + values + awaiting + bodies + dynamic + arguments + names + patterns + unused + isolation + sending

    private static let closures = [
        Mistake(
            name: "await in map",
            given: "func name(of id: Int) async throws -> String { \"\" }",
            code: """
                func names() -> Promise<String> {
                    API.get("/me").execute(as: Int.self)
                        .map { id in try await name(of: id) }
                }
                """,
            line: 3,
            message:
                "cannot pass function of type '@Sendable (Int) async throws -> String' to parameter expecting synchronous function type"),
        Mistake(
            name: "a missing return in map",
            code: """
                func next() -> Promise<Int> {
                    API.get("/me").execute(as: Int.self)
                        .map { id in
                            print(id)
                            id + 1
                        }
                }
                """,
            line: 5,
            message: "missing return in closure expected to return 'Int'"),
        Mistake(
            name: "a missing return in flatMap",
            code: """
                func rooms() {
                    API.get("/me").execute(as: Int.self)
                        .flatMap { id in
                            print(id)
                            API.get("/rooms").query("user", id).execute(as: [Int].self)
                        }
                        .then { rooms in print(rooms) }
                }
                """,
            line: 3,
            message: "type 'Any' does not conform to the 'Sendable' protocol"),
        Mistake(
            name: "several statements in flatMap",
            code: """
                func rooms() {
                    API.get("/me").execute(as: Int.self)
                        .flatMap { id in
                            print(id)
                            return API.get("/rooms").query("user", id).execute(as: [Int].self)
                        }
                        .then { rooms in print(rooms) }
                }
                """,
            line: 5,
            message: "cannot convert value of type 'Promise<[Int]>' to closure result type 'Promise<Any>'"),
        Mistake(
            name: "a then that continues",
            code: """
                func rooms() {
                    API.get("/me").execute(as: Int.self)
                        .then { id in API.get("/rooms").query("user", id).execute(as: [Int].self) }
                        .then { rooms in print(rooms.count) }
                }
                """,
            line: 4,
            message: "value of type 'Int' has no member 'count'"),
        Mistake(
            name: "arithmetic in a long chain",
            code: """
                func total() {
                    API.get("/a").execute(as: Int.self)
                        .map { number in Double(number) * 0.5 + 1 }
                        .flatMap { number in API.get("/b").query("q", number * 2 + 1).execute(as: Int.self) }
                        .map { number in Double(number) * 0.25 + 2 * Double(number) - 1 }
                        .then { number in print(number) }
                }
                """,
            line: 2,
            message:
                "the compiler is unable to type-check this expression in reasonable time; try breaking up the expression into distinct sub-expressions"
        ),
    ]

    private static let tuples = [
        Mistake(
            name: "a part of the tuple of all",
            code: """
                func all(_ count: Promise<Int>, _ name: Promise<String>) {
                    Promise.all(count, name, count, name)
                        .then { all in print(all.1) }
                }
                """,
            line: 3,
            message: "failed to produce diagnostic for expression; please submit a bug report"),
        Mistake(
            name: "an array of promises of several types",
            code: """
                func both() {
                    Promise.all([API.get("/a").execute(as: Int.self), API.get("/b").execute(as: String.self)])
                        .then { values in print(values) }
                }
                """,
            line: 2,
            // Which of the two types the compiler names first differs between builds.
            message: "cannot convert value of type 'Promise<"),
    ]

    private static let values = [
        Mistake(
            name: "value() of a type that cannot be decoded",
            given: "struct User: Sendable { let name: String }",
            code: """
                func user() async throws -> User {
                    try await API.get("/me").value()
                }
                """,
            line: 2,
            message: "cannot convert return expression of type 'JSON' to return type 'User'"),
        Mistake(
            name: "execute(as:) of a type that cannot be decoded",
            given: "struct User: Sendable { let name: String }",
            code: """
                func user() {
                    API.get("/me").execute(as: User.self).then { user in print(user.name) }
                }
                """,
            line: 2,
            message: "instance method 'execute(as:file:line:)' requires that 'User' conform to 'Decodable'"),
        Mistake(
            name: "a class that can be changed",
            given: "final class User: Decodable { var name = \"\" }",
            code: """
                func user() -> Promise<User> {
                    API.get("/me").execute()
                }
                """,
            line: 1,
            message: "type 'User' does not conform to the 'Sendable' protocol"),
        Mistake(
            name: "execute() without a value",
            code: """
                func touch() -> Promise<Void> {
                    API.post("/touch").execute()
                }
                """,
            line: 2,
            message: "'execute(file:line:)' is unavailable: where no value is wanted, write execute(.void)"),
        Mistake(
            name: "value(as:) without a value",
            code: """
                func touch() async throws {
                    try await API.post("/touch").value(as: Void.self)
                }
                """,
            line: 2,
            message: "'value(as:)' is unavailable: where no value is wanted, await void()"),
        Mistake(
            name: "void() without await in an async function",
            code: """
                func touch() async throws {
                    API.post("/touch").void()
                }
                """,
            line: 2,
            message: "expression is 'async' but is not marked with 'await'"),
        Mistake(
            name: "an awaited word in a function that is not async",
            code: """
                func touch() {
                    API.post("/touch").void()
                }
                """,
            line: 2,
            message: "'async' call in a function that does not support concurrency"),
        Mistake(
            name: "an awaited word in a chain",
            code: """
                func touch() {
                    API.post("/touch").void().then { print("done") }
                }
                """,
            line: 2,
            message: "'void(file:line:)' is unavailable: void() is awaited; a promise is execute(.void)"),
        Mistake(
            name: "an awaited word for a promise",
            code: """
                func text() {
                    let later: Promise<String> = API.get("/text").string()
                    later.then { text in print(text) }
                }
                """,
            line: 2,
            message: "'string(file:line:)' is unavailable: string() is awaited; a promise is execute(.string)"),
        Mistake(
            name: "await before execute(.void)",
            code: """
                func touch() async throws {
                    try await API.post("/touch").execute(.void)
                }
                """,
            line: 2,
            message: "no 'async' operations occur within 'await' expression",
            isWarning: true),
        Mistake(
            name: "then with a promise",
            code: """
                func signIn() {
                    API.post("/login").execute().then { token in
                        print(token)
                        return API.get("/me").execute()
                    }
                }
                """,
            line: 2,
            message: "'then' is unavailable: a closure that returns a promise needs flatMap, which passes on the value of that promise"),
        Mistake(
            name: "an endpoint whose path is a text",
            code: """
                struct Me: Endpoint {
                    typealias Response = JSON
                    var path: String { "/me" }
                }
                """,
            line: 1,
            message: "type 'Me' does not conform to protocol 'Endpoint'"),
        Mistake(
            name: "the value of a response",
            code: """
                func names() async throws -> [String] {
                    let response = try await API.get("/names").response(as: [String].self)
                    return response.value
                }
                """,
            line: 3,
            message: "'value' has been renamed to 'payload': a response has its value as payload"),
        Mistake(
            name: "retry(.none)",
            code: """
                func touch() {
                    API.post("/touch").retry(.none).execute(.void)
                }
                """,
            line: 2,
            message: "type 'RetryPolicy' has no member 'none'"),
        Mistake(
            name: "retry = .none",
            code: """
                func configure() {
                    API.configure("forum") { $0.retry = .none }
                }
                """, line: 2, message: "ambiguous use of 'none'"),
    ]

    private static let unused = [
        Mistake(
            name: "a request that is not sent",
            code: """
                func me() {
                    API.get("/me").then { me in print(me) }
                }
                """,
            line: 2,
            message: "value of type 'Request' has no member 'then'"),
        Mistake(
            name: "a request that is never used",
            code: """
                func touch() {
                    API.post("/touch").params(["page": 1])
                }
                """,
            line: 2,
            message: "result of call to 'params' is unused",
            isWarning: true),
        Mistake(
            name: "a changed value that is never used",
            code: """
                func next() {
                    API.get("/me").execute(as: Int.self).map { id in id + 1 }
                }
                """,
            line: 2,
            message: "result of call to 'map' is unused",
            isWarning: true),
    ]

    private static let isolation = [
        Mistake(
            name: "a screen in map",
            code: """
                @MainActor final class Screen {
                    var names: [String] = []

                    func load() {
                        API.get("/names").execute(as: [String].self)
                            .map { names in self.names = names }
                            .then { print("done") }
                    }
                }
                """,
            line: 6,
            message: "main actor-isolated property 'names' can not be mutated from a Sendable closure"),
        Mistake(
            name: "a plain model where the main actor is the default",
            given: "struct User: Codable, Sendable { let name: String }",
            code: """
                func user() async throws -> User {
                    try await API.get("/me").value()
                }
                """,
            line: 2,
            message:
                "main actor-isolated conformance of 'User' to 'Decodable' cannot satisfy conformance requirement for a 'Sendable' type parameter",
            options: mainActor),
        Mistake(
            name: "a plain tag where the main actor is the default",
            given: "extension Tag { static let forum: Tag = \"forum\" }",
            code: """
                func start() {
                    API.commonHeaders { tag in ["X-App": tag == .forum ? "ios" : nil] }
                }
                """,
            line: 2,
            message: "main actor-isolated static property 'forum' can not be referenced from a Sendable closure",
            options: mainActor),
        Mistake(
            name: "a plain function where the main actor is the default",
            given: "func token() -> String { \"made-up\" }",
            code: """
                func start() {
                    API.commonHeaders { _ in ["Authorization": "Bearer \\(token())"] }
                }
                """,
            line: 2,
            message: "call to main actor-isolated global function 'token()' in a synchronous nonisolated context",
            options: mainActor),
    ]

    private static let mainActor = ["-default-isolation", "MainActor"]
}
