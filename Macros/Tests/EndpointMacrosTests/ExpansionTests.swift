import Testing

@Suite("What is written of an endpoint") struct ExpansionTests {
    @Test("a placeholder takes the property of its name, and the other stored ones are params")
    func get() {
        Expansion.expect(
            """
            @Get("/rooms/{room}/users")
            struct Users {
                typealias Response = [User]
                let room: String
                var page = 1
                static let largest = 100
                var tag: Tag { .forum }
                var isFirst: Bool { page == 1 }
            }
            """,
            becomes: """
                struct Users {
                    typealias Response = [User]
                    let room: String
                    var page = 1
                    static let largest = 100
                    var tag: Tag { .forum }
                    var isFirst: Bool { page == 1 }
                }

                extension Users: Catena.Endpoint {
                    var path: Catena.Path {
                        "/rooms/{room}/users"
                    }
                    var method: Catena.HTTPMethod {
                        .get
                    }
                    var params: Catena.Params {
                        get throws {
                            var params = Catena.Params()
                            let room = CatenaMacros.EndpointPart.path(self.room)
                            try CatenaMacros.EndpointPart.set("room", to: room.value, in: &params)
                            try CatenaMacros.EndpointPart.set("page", to: self.page, in: &params)
                            return params
                        }
                    }
                }
                """)
    }

    @Test("attributes say where else a property goes, and under which name")
    func markers() {
        Expansion.expect(
            """
            @Put("/posts/{post-id}")
            struct Publish {
                typealias Response = Void
                @Param("post-id") let id: Int
                @Query var draft = false
                @Query("page_size") var pageSize: Int?
                @Header("X-Token") let token: String?
                @Unsent let filter: Filter
                @Param("kind") var kind: String { filter.kind }
                let `default`, other: Int
            }
            """,
            becomes: """
                struct Publish {
                    typealias Response = Void
                    let id: Int
                    var draft = false
                    var pageSize: Int?
                    let token: String?
                    let filter: Filter
                    var kind: String { filter.kind }
                    let `default`, other: Int
                }

                extension Publish: Catena.Endpoint {
                    var path: Catena.Path {
                        "/posts/{post-id}"
                    }
                    var method: Catena.HTTPMethod {
                        .put
                    }
                    var params: Catena.Params {
                        get throws {
                            var params = Catena.Params()
                            let id = CatenaMacros.EndpointPart.path(self.id)
                            try CatenaMacros.EndpointPart.set("post-id", to: id.value, in: &params)
                            try CatenaMacros.EndpointPart.set("kind", to: self.kind, in: &params)
                            try CatenaMacros.EndpointPart.set("default", to: self.`default`, in: &params)
                            try CatenaMacros.EndpointPart.set("other", to: self.other, in: &params)
                            return params
                        }
                    }
                    var query: Catena.Params {
                        get throws {
                            var query = Catena.Params()
                            try CatenaMacros.EndpointPart.set("draft", to: self.draft, in: &query)
                            try CatenaMacros.EndpointPart.set("page_size", to: self.pageSize, in: &query)
                            return query
                        }
                    }
                    var headers: Catena.HTTPHeaders {
                        get throws {
                            var headers = Catena.HTTPHeaders()
                            try CatenaMacros.EndpointPart.set("X-Token", to: self.token, in: &headers)
                            return headers
                        }
                    }
                }
                """)
    }

    @Test("the body may be a value as JSON, or bytes of a type")
    func body() {
        Expansion.expect(
            """
            @Post("/posts")
            struct Publish {
                typealias Response = Post
                @Body let draft: Draft
            }
            @Patch("/image")
            struct Change {
                struct Response: Decodable {}
                @Body(contentType: "image/png") let image: Data?
            }
            """,
            becomes: """
                struct Publish {
                    typealias Response = Post
                    let draft: Draft
                }
                struct Change {
                    struct Response: Decodable {}
                    let image: Data?
                }

                extension Publish: Catena.Endpoint {
                    var path: Catena.Path {
                        "/posts"
                    }
                    var method: Catena.HTTPMethod {
                        .post
                    }
                    var body: Catena.EndpointBody? {
                        CatenaMacros.EndpointPart.body(self.draft)
                    }
                }

                extension Change: Catena.Endpoint {
                    var path: Catena.Path {
                        "/image"
                    }
                    var method: Catena.HTTPMethod {
                        .patch
                    }
                    var body: Catena.EndpointBody? {
                        CatenaMacros.EndpointPart.body(self.image, contentType: "image/png")
                    }
                }
                """)
    }

    @Test("what the protocol has anyway is no param, and what only has its name is one")
    func own() {
        Expansion.expect(
            """
            @Delete("/posts")
            struct Remove {
                static let format = ResponseFormat<String>.text
                let tag: Catena.Tag?
                var headers = HTTPHeaders()
                var query: Params { [:] }
                let body: String
            }
            """,
            becomes: """
                struct Remove {
                    static let format = ResponseFormat<String>.text
                    let tag: Catena.Tag?
                    var headers = HTTPHeaders()
                    var query: Params { [:] }
                    let body: String
                }

                extension Remove: Catena.Endpoint {
                    typealias BodyValue = Catena.EndpointBody?
                    var path: Catena.Path {
                        "/posts"
                    }
                    var method: Catena.HTTPMethod {
                        .delete
                    }
                    var params: Catena.Params {
                        get throws {
                            var params = Catena.Params()
                            try CatenaMacros.EndpointPart.set("body", to: self.body, in: &params)
                            return params
                        }
                    }
                }
                """)
    }

    @Test("the extension is as visible and as available as the struct, and conforms if the struct does not yet")
    func outside() {
        Expansion.expect(
            """
            @available(macOS 15, *)
            @Get("/")
            public struct Root: ForumEndpoint {
            }
            """,
            becomes: """
                @available(macOS 15, *)
                public struct Root: ForumEndpoint {
                }

                @available(macOS 15, *)
                extension Root {
                    public var path: Catena.Path {
                        "/"
                    }
                    public var method: Catena.HTTPMethod {
                        .get
                    }
                }
                """, conforming: false)
        Expansion.expect(
            """
            @Get("/")
            package struct Root<Response: Decodable & Sendable> {
            }
            """,
            becomes: """
                package struct Root<Response: Decodable & Sendable> {
                }

                extension Root: Catena.Endpoint {
                    package var path: Catena.Path {
                        "/"
                    }
                    package var method: Catena.HTTPMethod {
                        .get
                    }
                }
                """)
    }
}
