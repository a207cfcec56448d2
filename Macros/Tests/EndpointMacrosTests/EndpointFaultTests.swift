import Testing

@Suite("What is said of an endpoint as a whole") struct EndpointFaultTests {
    private static let noResponse = "'Root' does not say what its response is"

    @Test("without a response, one is added")
    func response() {
        Expansion.expect(
            """
            @Get("/")
            struct Root: Equatable {
            }
            """,
            says: .error(2, 8, Self.noResponse, fixes: "Add 'typealias Response = JSON'", "Add 'typealias Response = Void'"),
            fixed: """
                @Get("/")
                struct Root: Equatable {
                    typealias Response = JSON
                }
                """)
        Expansion.expect(
            "@Get(\"/\") struct Root {}",
            says: .error(1, 18, Self.noResponse, fixes: "Add 'typealias Response = JSON'", "Add 'typealias Response = Void'"),
            fixed: "@Get(\"/\") struct Root {\n    typealias Response = JSON\n}")
    }

    @Test("classes and actors become structs")
    func classes() {
        for kind in ["final class", "class", "actor"] {
            let source = """
                @Get("/")
                public \(kind) Root {
                    typealias Response = JSON
                }
                """
            let column = kind.hasPrefix("final") ? 14 : 8
            Expansion.expect(
                source, says: .error(2, column, "'@Get' makes an endpoint of a struct", fixes: "Make it a struct"),
                fixed: source.replacing(kind, with: "struct"))
        }
    }

    @Test("enums do not", arguments: ["enum", "extension", "protocol"])
    func enums(kind: String) {
        Expansion.expect("@Get(\"/\") \(kind) Root {}", says: .error(1, 11, "'@Get' makes an endpoint of a struct"))
    }

    @Test("a private struct inside another type becomes fileprivate")
    func privateStruct() {
        let nested = """
            enum Forum {
                @Get("/")
                private struct Root { typealias Response = JSON }
            }
            """
        Expansion.expect(
            nested, says: .error(3, 5, "'@Get' cannot extend a private type inside another", fixes: "Make it fileprivate"),
            fixed: nested.replacing("private", with: "fileprivate"))
    }

    @Test("the attributes of properties stand in endpoints")
    func markers() {
        Expansion.expect(
            """
            struct Root {
                @Query let page: Int
            }
            """, says: .error(2, 5, "'@Query' marks a property of a struct with '@Get', '@Post' and the like"))
        Expansion.expect(
            """
            @Get("//")
            struct Users {
                typealias Response = JSON
                @Query func page() {}
            }
            """,
            says: .error(4, 5, "'@Query' marks a property"),
            .error(1, 7, "a path, not an address: the host is that of the endpoint's tag"))
    }
}
