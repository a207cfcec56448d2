// Dynamic values, promises that are awaited, and arguments of the wrong type.
extension Mistake {
    static let awaiting = [
        Mistake(
            name: "execute() with await",
            code: """
                func touch() async throws {
                    try await API.post("/touch").execute()
                }
                """,
            line: 2,
            message: "no 'async' operations occur within 'await' expression",
            isWarning: true),
        Mistake(
            name: "call(_:) of an endpoint with await",
            given: "struct Touch: Endpoint { typealias Response = JSON; var path: Path { \"/touch\" } }",
            code: """
                func touch() async throws {
                    try await API.call(Touch())
                }
                """,
            line: 2,
            message: "no 'async' operations occur within 'await' expression",
            isWarning: true),
    ]

    static let dynamic = [
        Mistake(
            name: "a JSON of a mixed literal",
            code: """
                func order() -> JSON {
                    JSON(["items": [["sku": "s1", "price": 1]], "total": 2])
                }
                """,
            line: 2,
            message: "cannot convert value of type '[[String : Any]]' to expected dictionary value type '(any ParameterValue)?'"),
        Mistake(
            name: "a JSON part of a mixed array",
            code: """
                func save() {
                    API.post("/orders").multipart { form in form.json([["sku": "s1", "price": 1]], name: "items") }.execute(.void)
                }
                """,
            line: 2,
            message: "conflicting arguments to generic parameter 'some Encodable & Sendable'"),
        Mistake(
            name: "common params of a dictionary",
            code: """
                func start(_ common: [String: Any]) {
                    API.commonParams { _ in common }
                }
                """,
            line: 2,
            message: "cannot convert value of type '[String : Any]' to closure result type 'Params'"),
        Mistake(
            name: "a dictionary in the closure of common params",
            code: """
                func start(_ common: [String: Any]) {
                    API.commonParams { _ in try Params(dictionary: common) }
                }
                """,
            line: 2,
            message: "capture of 'common' with non-Sendable type '[String : Any]' in a '@Sendable' closure"),
        Mistake(
            name: "dictionaries as a value",
            code: """
                func rooms() async throws {
                    print(try await API.get("/rooms").value(as: [[String: Any]].self))
                }
                """,
            line: 2,
            message: "'value(as:)' is unavailable: `Any` cannot be decoded: use `JSON`, such as `value(as: [JSON].self)`"),
    ]

    static let arguments = [
        Mistake(
            name: "a setting of a tag as an option of a call",
            code: """
                func send() {
                    API.post("/logs").json(["a": 1]).set(\\.transformBody, .gzip).execute(.void)
                }
                """,
            line: 2,
            message: "cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'Key.Type'"),
        Mistake(
            name: "a header name that is not declared",
            code: """
                func rooms() {
                    API.get("/rooms").header(.screen, "lobby").execute(.void)
                }
                """,
            line: 2,
            message: "type 'String' has no member 'screen'"),
        Mistake(
            name: "a text as an idempotency key",
            code: """
                func order(_ number: String) {
                    API.post("/orders").set(\\.idempotencyKey, number).execute(.void)
                }
                """,
            line: 2,
            message: "cannot convert value of type 'String' to expected argument type 'IdempotencyKey'"),
        Mistake(
            name: "a log with a closure",
            code: """
                func start() {
                    API.log { line in print(line) }
                }
                """,
            line: 2,
            message: "extra trailing closure passed in call"),
    ]
}
