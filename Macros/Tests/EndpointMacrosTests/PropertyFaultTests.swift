import Testing

@Suite("What is said of properties") struct PropertyFaultTests {
    /// Returns an endpoint with properties.
    private static func endpoint(_ properties: String, _ verb: String = "Post") -> String {
        """
        @\(verb)("/rooms/{room}")
        struct Change {
            typealias Response = JSON
            let room: String
            \(properties)
        }
        """
    }

    struct Case: Sendable {
        let property: String
        let column: Int
        let message: String
        let fix: String
        let fixed: String
    }

    private static let notSent = "cannot be sent: it is a function or a tuple"
    private static let contentType = "(contentType: \"application/octet-stream\")"

    private static let cases = [
        Case(
            property: "@Query @Header(\"A\") let a: Int", column: 12, message: "'a' goes to one place, not to two", fix: "Remove '@Header'",
            fixed: "@Query let a: Int"),
        Case(
            property: "@Query static let a = 1", column: 5, message: "a static property is not sent", fix: "Remove '@Query'",
            fixed: "static let a = 1"),
        Case(
            property: "@Query(\"room\") let a: Int", column: 5, message: "'a' fills '{room}' already", fix: "Remove '@Query'",
            fixed: "let a: Int"),
        Case(
            property: "let act: () -> Void", column: 14, message: "'act' \(notSent)", fix: "Do not send it",
            fixed: "@Unsent let act: () -> Void"),
        Case(
            property: "let act: (@Sendable () -> Void)?", column: 14, message: "'act' \(notSent)", fix: "Do not send it",
            fixed: "@Unsent let act: (@Sendable () -> Void)?"),
        Case(
            property: "var at: (Int, Int)", column: 13, message: "'at' \(notSent)", fix: "Do not send it",
            fixed: "@Unsent var at: (Int, Int)"),
        Case(
            property: "let path: String", column: 9, message: "'@Post' makes 'path' itself",
            fix: "Call it 'pathValue', and send it as 'path'", fixed: "@Param(\"path\") let pathValue: String"),
        Case(
            property: "@Body let image: Data?", column: 5, message: "'image' is not JSON: say what it is", fix: "Add '\(contentType)'",
            fixed: "@Body\(contentType) let image: Data?"),
    ]

    @Test("a property that is sent twice or in no place", arguments: cases)
    func fixable(example: Case) {
        Expansion.expect(
            Self.endpoint(example.property), says: .error(5, example.column, example.message, fixes: example.fix),
            fixed: Self.endpoint(example.fixed))
    }

    @Test(
        "a property for which there is no proposal",
        arguments: [
            ("var params: Params { [:] }", 5, 9, "'@Post' makes 'params' itself"),
            ("@Query let a: Int\n    var query: Int { a }", 6, 9, "'@Post' makes 'query' itself"),
            ("@Header(\"A\") let a: Int\n    let headers: HTTPHeaders", 5, 22, "'a' is sent nowhere: 'headers' is written by hand"),
            ("@Header(\"A B\") let a: Int", 5, 13, "'A B' is not the name of a header"),
            ("@Header(name) let a: Int", 5, 13, "the name is a string literal"),
            ("@Param(\"\") let a: Int", 5, 12, "the name is empty"),
            ("@Body let a: Int\n    @Body let b: Int", 6, 15, "there is a body already: 'a'"),
            ("let (a, b) = (1, 2)", 5, 9, "each property stands by itself, and not inside '#if'"),
            ("#if DEBUG\n    let a = 1\n    #endif", 5, 5, "each property stands by itself, and not inside '#if'"),
        ])
    func plain(properties: String, line: Int, column: Int, message: String) {
        Expansion.expect(Self.endpoint(properties), says: .error(line, column, message))
    }

    @Test("what may not have a value, or has several, fills no placeholder")
    func unfit() {
        let optional = """
            @Get("/rooms/{room}")
            struct Room {
                typealias Response = JSON
                let room: String?
            }
            """
        Expansion.expect(
            optional, says: .error(4, 15, "'{room}' needs a value, which an optional may not have", fixes: "Remove '?'"),
            fixed: optional.replacing("?", with: ""))
        for type in ["[String]", "[String: Int]"] {
            Expansion.expect(
                optional.replacing("String?", with: type), says: .error(4, 15, "'{room}' takes a single value"))
        }
    }

    @Test("a GET sends no body")
    func bodyOfGet() {
        Expansion.expect(
            Self.endpoint("@Body let draft: Draft", "Get"),
            says: .error(5, 15, "'@Get' sends no body", fixes: "Send it in the query", "Make it a POST"),
            fixed: Self.endpoint("let draft: Draft", "Get"))
        Expansion.expect(
            Self.endpoint("var body: EndpointBody { .json(room) }", "Get"),
            says: .error(5, 9, "'@Get' sends no body", fixes: "Make it a POST"),
            fixed: Self.endpoint("var body: EndpointBody { .json(room) }", "Post"))
    }
}
