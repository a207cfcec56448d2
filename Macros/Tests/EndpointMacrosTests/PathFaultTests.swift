import Testing

@Suite("What is said of a path") struct PathFaultTests {
    /// Returns a struct that has an attribute and a property `room`.
    private static func users(_ attribute: String) -> String {
        """
        \(attribute)
        struct Users {
            typealias Response = JSON
            let room: String
        }
        """
    }

    @Test("a placeholder without a property: one is added, indented as the others are")
    func missing() {
        Expansion.expect(
            """
            enum Forum {
                @Get("/rooms/{room}/users/{user-id}")
                struct Users {
                  typealias Response = JSON
                }
            }
            """,
            says: .error(2, 18, "'{room}' has no property", fixes: "Add 'let room: String'"),
            .error(2, 31, "'{user-id}' has no property", fixes: "Add '@Param(\"user-id\") let userId: String'"),
            fixed: """
                enum Forum {
                    @Get("/rooms/{room}/users/{user-id}")
                    struct Users {
                      let room: String
                      @Param("user-id") let userId: String
                      typealias Response = JSON
                    }
                }
                """)
        Expansion.expect(
            "@Get(\"/{room}\") struct Room { typealias Response = JSON }",
            says: .error(1, 8, "'{room}' has no property", fixes: "Add 'let room: String'"),
            fixed: "@Get(\"/{room}\") struct Room { let room: String; typealias Response = JSON }")
    }

    @Test("a property whose name differs in its case only is sent under the name of the placeholder")
    func similar() {
        Expansion.expect(
            """
            @Get("/rooms/{room_id}")
            struct Room {
                typealias Response = JSON
                let roomID: String
            }
            """,
            says: .error(1, 14, "'{room_id}' has no property", fixes: "Send 'roomID' as 'room_id'"),
            fixed: """
                @Get("/rooms/{room_id}")
                struct Room {
                    typealias Response = JSON
                    @Param("room_id") let roomID: String
                }
                """)
        Expansion.expect(
            """
            @Get("/tags/{tag}")
            struct Named {
                typealias Response = JSON
                let tag: Tag
            }
            """, says: .error(1, 13, "'{tag}' has no property"))
    }

    @Test(
        "braces that do not match",
        arguments: [
            ("/rooms/{room/users", 14, "'{' without '}'", "Add '}'", "/rooms/{room}/users"),
            ("/rooms/{room", 14, "'{' without '}'", "Add '}'", "/rooms/{room}"),
            ("/{room}/x}", 16, "'}' without '{'", "Remove '}'", "/{room}/x"),
            ("/{room}/{", 15, "'{' without a name and '}'", "Remove '{'", "/{room}/"),
        ])
    func braces(path: String, column: Int, message: String, fix: String, fixed: String) {
        Expansion.expect(
            Self.users("@Get(\"\(path)\")"), says: .error(1, column, message, fixes: fix), fixed: Self.users("@Get(\"\(fixed)\")"))
    }

    @Test("double braces")
    func doubleBraces() {
        Expansion.expect(
            Self.users("@Get(\"/{{room}}\")"),
            says: .error(1, 8, "'{' without a name and '}'", fixes: "Remove '{'"), .error(1, 15, "'}' without '{'", fixes: "Remove '}'"),
            fixed: Self.users("@Get(\"/{room}\")"))
    }

    @Test(
        "what is no placeholder and no path",
        arguments: [
            ("\"/{room}/{}\"", 15, "'{}' is not a placeholder: its name has letters, digits, '_' and '-'"),
            ("\"/{room}/{a b}\"", 15, "'{a b}' is not a placeholder: its name has letters, digits, '_' and '-'"),
            ("\"https://example.com/{room}\"", 7, "a path, not an address: the host is that of the endpoint's tag"),
            ("\"//example.com/{room}\"", 7, "a path, not an address: the host is that of the endpoint's tag"),
            ("\"/{room}\\n\"", 14, "a path has no escapes and no control characters"),
            ("path", 6, "the path is a string literal on one line"),
            ("\"/ro\" + \"oms\"", 6, "the path is a string literal on one line"),
        ])
    func malformed(argument: String, column: Int, message: String) {
        Expansion.expect(Self.users("@Get(\(argument))"), says: .error(1, column, message))
    }

    @Test("a fragment, and an interpolation")
    func replaced() {
        Expansion.expect(
            Self.users("@Get(\"/{room}#top\")"), says: .error(1, 14, "a fragment is never sent", fixes: "Remove it"),
            fixed: Self.users("@Get(\"/{room}\")"))
        Expansion.expect(
            Self.users("@Get(\"/rooms/\\(self.room)/users\")"),
            says: .error(1, 6, "the path has placeholders such as '{room}' in place of interpolations", fixes: "Write placeholders"),
            fixed: Self.users("@Get(\"/rooms/{room}/users\")"))
    }

    @Test("the name of a property after a colon is a warning")
    func colon() {
        Expansion.expect(
            Self.users("@Get(\"/rooms/:room/users\")"),
            becomes: """
                struct Users {
                    typealias Response = JSON
                    let room: String
                }

                extension Users: Catena.Endpoint {
                    var path: Catena.Path {
                        "/rooms/:room/users"
                    }
                    var method: Catena.HTTPMethod {
                        .get
                    }
                    var params: Catena.Params {
                        get throws {
                            var params = Catena.Params()
                            try CatenaMacros.EndpointPart.set("room", to: self.room, in: &params)
                            return params
                        }
                    }
                }
                """,
            warns: .warning(1, 14, "':room' is sent as it is", fix: "Write '{room}'"),
            fixed: Self.users("@Get(\"/rooms/{room}/users\")"))
    }
}
