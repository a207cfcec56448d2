import Catena
import CatenaMacros
import CatenaTesting
import Foundation
import Testing

private struct Near: Encodable, Sendable { let kind: String }
private struct RoomID: Codable, Sendable { let number: Int }
private enum Sort: String, ParameterValue { case newest, oldest }

private protocol ForumEndpoint: Endpoint {}

extension ForumEndpoint {
    var tag: Catena.Tag { "forum" }
}

@Get("/rooms/{room}/users") private struct Members: ForumEndpoint {
    typealias Response = [User]
    let room: String
    var page: Int? = 1
    var sort = Sort.newest
    var near: Near?
    @Param("page_size") var pageSize = 20
    @Header("X-Token") var token: String?
    @Header("X-Build") var build = 7
    @Unsent var filter: (@Sendable (User) -> Bool)?
}

// The response type and the attribute share a name.
@Post("/rooms/{room-id}/posts") private struct Announce: ForumEndpoint {
    typealias Response = Post
    @Param("room-id") let room: Int
    let title: String
    let body: String
    @Query let draft: Bool
}

@Put("/posts/{id}") private struct Replace: ForumEndpoint {
    typealias Response = Void
    let id: UUID
    var version = 2
    @Body let draft: Draft
}

@Patch("/image") private struct ChangeImage: ForumEndpoint {
    static let format = ResponseFormat<String>.text
    @Body(contentType: "image/png") let image: Data?
}

@Delete("/rooms/{day}") private struct Remove: ForumEndpoint {
    typealias Response = JSON
    let date: String
    @Query var reason: [String] = ["spam", "old"]
    var day: String { date.replacing("/", with: "-") }
    @Param("era") var era: String { "AD" }
}

@Suite("Endpoints by macros") struct RunTests {
    private let stubs = Stubs()

    /// A client that has a host for the tag "forum".
    private var client: Client {
        let client = Client(testing: stubs)
        client.configure("forum") { $0.host = "https://forum.example.com" }
        return client
    }

    @Test("the call site is that of any endpoint: value, promise, request, batch")
    func call() async throws {
        stubs.get("/rooms/*/users").reply(data: [User(name: "Ann")])
        #expect(try await client.value(Members(room: "7")).map(\.name) == ["Ann"])
        #expect(try await client.call(Members(room: "7")).value.map(\.name) == ["Ann"])
        let results = try await client.batch(["7", "8"].map { Members(room: $0) }).value
        #expect(results.count == 2)
        try stubs.verify()
    }

    @Test("a GET: placeholder, query in the order of the properties, headers; nil is left out")
    func get() async throws {
        let request = try await client.request(for: Members(room: "a/b", near: Near(kind: "x"), token: "t")).preview()
        #expect(request.method == .get)
        #expect(
            request.url.absoluteString
                == "https://forum.example.com/rooms/a%2Fb/users?page=1&sort=newest&near%5Bkind%5D=x&page_size=20")
        #expect(request.headers["X-Token"] == "t")
        #expect(request.headers["X-Build"] == "7")
        let plain = try await client.request(for: Members(room: "7", page: nil)).preview()
        #expect(plain.url.query() == "sort=newest&page_size=20")
        #expect(plain.headers["X-Token"] == nil)
    }

    @Test("a POST: the params are the JSON, but for those of the query; 'body' is a name like others")
    func post() async throws {
        stubs.post("/rooms/7/posts").query(["draft": true]).when { $0.json == ["title": "Hi", "body": "Hello"] }.reply(data: Post(id: 1))
        #expect(try await client.value(Announce(room: 7, title: "Hi", body: "Hello", draft: true)).id == 1)
        try stubs.verify()
    }

    @Test("a body of its own, beside which params go to the query")
    func body() async throws {
        let id = UUID()
        let request = try await client.request(for: Replace(id: id, draft: Draft(text: "Hi"))).preview()
        #expect(request.method == .put)
        #expect(request.url.path() == "/posts/\(id)")
        #expect(request.url.query() == "version=2")
        #expect(request.body.flatMap { String(bytes: $0, encoding: .utf8) } == #"{"text":"Hi"}"#)
    }

    @Test("bytes of a type, or none")
    func bytes() async throws {
        let request = try await client.request(for: ChangeImage(image: Data([1, 2]))).preview()
        #expect(request.headers["Content-Type"] == "image/png")
        #expect(request.body == Data([1, 2]))
        #expect(try await client.request(for: ChangeImage(image: nil)).preview().body == nil)
        stubs.patch("/image").reply(text: "changed")
        #expect(try await client.value(ChangeImage(image: Data())) == "changed")
    }

    @Test("computed properties: one that fills a placeholder, and one that is marked")
    func computed() async throws {
        let request = try await client.request(for: Remove(date: "1/2")).preview()
        #expect(request.method == .delete)
        #expect(request.url.path() == "/rooms/1-2")
        #expect(request.url.query() == "reason%5B%5D=spam&reason%5B%5D=old&date=1/2&era=AD")
    }

    @Test("a value that encodes to one value fills a placeholder, another fails the call")
    func encodable() async throws {
        let error = await #expect(throws: APIError.self) { try await client.value(Room(id: RoomID(number: 7))) }
        #expect(error?.message.contains("{id}") == true)
        #expect(try await client.request(for: Named(name: .newest)).preview().url.path() == "/named/newest")
    }
}

@Get("/rooms/{id}") private struct Room: ForumEndpoint {
    typealias Response = JSON
    let id: RoomID
}

@Get("/named/{name}") private struct Named: ForumEndpoint {
    typealias Response = JSON
    let name: Sort
}
