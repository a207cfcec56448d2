import CatenaTesting
import Foundation
import Testing

@testable import Catena

private struct User: Codable, Sendable, Equatable {
    let name: String
}

private struct RoomUsers: Endpoint, Encodable {
    typealias Response = [User]
    let room: String
    var page: Int? = 1
    var secret = "not sent"
    var tag: Catena.Tag { "forum" }
    var path: Path { "/rooms/{room}/users" }

    private enum CodingKeys: CodingKey { case room, page }
}

private struct Post: Endpoint {
    typealias Response = User
    let text: String
    var tag: Catena.Tag? { "forum" }
    var path: Path { "/posts" }
    var method: HTTPMethod { .put }
    var params: Params { ["draft": true] }
    var query: Params { ["v": 2] }
    var headers: HTTPHeaders { ["X-A": "1", "X-B": nil] }
    var body: EndpointBody { .json(["text": text]) }
    func adjust(_ request: Request) -> Request { request.header("X-C", "3") }
}

private struct TokenOnly: Endpoint, Encodable {
    typealias Response = Void
    let token: String
    var path: Path { "/sign-out" }
    var method: HTTPMethod { .post }
    var headers: HTTPHeaders { ["X-Token": token] }
    func encode(to encoder: any Encoder) throws {}
}

private protocol ForumEndpoint: Endpoint {}

extension ForumEndpoint {
    var tag: Catena.Tag { "forum" }
    func error(in reading: EnvelopeResult) -> (any Error)? { reading.code == 42 ? ForumError.closed : nil }
}

private enum ForumError: Error { case closed }

private enum Forum: ForumEndpoint {
    typealias Response = JSON
    case user(Int)
    case join(room: String, password: String?)

    var path: Path {
        switch self {
        case .user(let id): "/users/\(id)"
        case .join(let room, _): "/rooms/\(room)/join"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .user: .get
        case .join: .post
        }
    }

    var params: Params {
        switch self {
        case .user: [:]
        case .join(_, let password): ["password": password]
        }
    }
}

private struct Download: Endpoint {
    typealias Response = Data
    var path: Path { "/file" }
}

private struct Greeting: Endpoint {
    static let format = ResponseFormat<String>.text
    var path: Path { "/greeting" }
}

private struct Length: Endpoint {
    static let format = ResponseFormat { reading in reading.response.body.count }
    var path: Path { "/length" }
}

private struct WalletError: Error, Equatable { let code: ErrorCode? }

private struct Payment: ResponseFamily, Decodable {
    let id: String
    static func commonError(in reading: EnvelopeResult) -> (any Error)? { reading.code == 7 ? WalletError(code: 7) : nil }
}

private struct Pay: Endpoint {
    typealias Response = Payment
    var path: Path { "/pay" }
    var body: EndpointBody? { nil }
    func error(in reading: EnvelopeResult) -> (any Error)? { reading.code == nil ? nil : ForumError.closed }
}

private struct Unsendable: Endpoint {
    struct Reason: Error {}
    typealias Response = JSON
    var path: Path { "/" }
    var params: Params { get throws { throw Reason() } }
}

private struct Listed: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/" }
    func encode(to encoder: any Encoder) throws { try [1, 2].encode(to: encoder) }
}

private struct Stored: Endpoint, Encodable {
    typealias Response = JSON
    let path: Path
    var page = 1
}

private struct AllStored: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path = "/a"
    var tag: Catena.Tag = "forum"
    var method = HTTPMethod.put
    var headers: HTTPHeaders = ["X-A": "1"]
    var page = 1
}

private struct OptionallyStored: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path = "/a"
    var tag: Catena.Tag?
    var method: HTTPMethod?
    var page = 1
}

/// Has properties with the protocol's names but other types, which are params.
private struct OtherTypes: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/a" }
    var tag: String
    var method: Int
    var headers: [String: String]
}

/// Encodes a member as `path` that is not its path.
private struct Listing: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/files" }
    let folder: String

    private enum CodingKeys: String, CodingKey { case folder = "path" }
}

/// Encodes its path under another name.
private struct Named: Endpoint, Encodable {
    typealias Response = JSON
    let path: Path

    private enum CodingKeys: String, CodingKey { case path = "route" }
}

@Suite(.limitedParallelism) struct EndpointTests {
    private func client(_ answer: String) -> (client: Client, stub: ClosureTransport) {
        let stub = ClosureTransport { _ in .json(answer) }
        let client = Client(transport: stub)
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        client.defaultHost = "https://example.com"
        return (client, stub)
    }

    @Test("the encoded members of an endpoint fill the path, and the rest is the query")
    func encodable() async throws {
        let (client, stub) = client(#"{"code": 0, "data": [{"name": "a"}]}"#)
        #expect(try await client.value(RoomUsers(room: "a/b")) == [User(name: "a")])
        #expect(try await client.call(RoomUsers(room: "7", page: nil)).value == [User(name: "a")])
        #expect(
            stub.requests.map(\.sentLine) == [
                "GET https://forum.example.com/api/rooms/a%2Fb/users?page=1", "GET https://forum.example.com/api/rooms/7/users",
            ])
    }

    @Test("a request has the endpoint's method, params, query, headers, body and adjustments, which may be optional")
    func parts() async throws {
        let (client, stub) = client(#"{"code": 0, "data": {"name": "a"}}"#)
        #expect(try await client.value(Post(text: "hi")) == User(name: "a"))
        let sent = try #require(stub.requests.first)
        #expect(sent.sentLine == "PUT https://forum.example.com/api/posts?v=2&draft=true")
        #expect(sent.sentBody == #"{"text":"hi"}"#)
        #expect(sent.headers["X-A"] == "1" && sent.headers["X-B"] == nil && sent.headers["X-C"] == "3")
    }

    @Test("an endpoint that encodes nothing has no params, and a Void response needs no payload")
    func empty() async throws {
        let (client, stub) = client(#"{"code": 0}"#)
        try await client.value(TokenOnly(token: "made-up"))
        let sent = try #require(stub.requests.first)
        #expect(sent.sentLine == "POST https://example.com/sign-out" && sent.sentBody == nil)
        #expect(sent.headers["X-Token"] == "made-up")
    }

    @Test("an enum can be an endpoint with a case for each call, and the caller chooses the result type")
    func cases() async throws {
        let (client, stub) = client(#"{"code": 0, "data": {"name": "a"}}"#)
        #expect(try await client.value(Forum.user(7)).name.string == "a")
        #expect(try await client.call(Forum.join(room: "x", password: "made-up"), as: User.self).value == User(name: "a"))
        #expect(try await client.value(Forum.join(room: "x", password: nil), as: User.self) == User(name: "a"))
        #expect(
            stub.requests.map(\.sentLine) == [
                "GET https://forum.example.com/api/users/7", "POST https://forum.example.com/api/rooms/x/join",
                "POST https://forum.example.com/api/rooms/x/join",
            ])
        #expect(stub.requests.map(\.sentBody) == [nil, #"{"password":"made-up"}"#, nil])
    }

    @Test("a response of type Data is the whole body, and an endpoint may have a response format of its own")
    func formats() async throws {
        let (client, _) = client(#"{"code": 0, "data": "x"}"#)
        #expect(try await client.value(Download()).count == 24)
        #expect(try await client.value(Greeting()) == #"{"code": 0, "data": "x"}"#)
        #expect(try await client.value(Length()) == 24)
    }

    @Test("an endpoint has errors of its own, which come after those of its family")
    func errors() async throws {
        let (closed, _) = client(#"{"code": 42, "msg": "closed"}"#)
        #expect(await #expect(throws: ForumError.self) { try await closed.value(Forum.user(1)) } == .closed)
        let error = await closed.call(Forum.user(1)).result.error as? APIError
        #expect(error?.underlying as? ForumError == .closed)
        #expect(error?.code == 42 && error?.message == "closed")
        let (seven, _) = client(#"{"code": 7}"#)
        #expect(await #expect(throws: WalletError.self) { try await seven.value(Pay()) } == WalletError(code: 7))
        let (eight, _) = client(#"{"code": 8}"#)
        #expect(await #expect(throws: ForumError.self) { try await eight.value(Pay()) } == .closed)
    }

    @Test("an endpoint that fails to describe its request rejects the call before it is sent")
    func faults() async throws {
        let (client, stub) = client("{}")
        let thrown = await #expect(throws: APIError.self) { try await client.value(Unsendable()) }
        #expect(thrown?.underlying is Unsendable.Reason)
        let listed = await #expect(throws: APIError.self) { try await client.call(Listed()).value }
        #expect(listed?.kind == .invalidRequest && listed?.message.contains("array") == true)
        #expect(stub.requests.isEmpty)
    }

    @Test("a stored path is not a param, but another member that is encoded as path is one")
    func storedPath() async throws {
        let client = client("{}").client
        func line(_ endpoint: some Endpoint) async throws -> String { try await client.request(for: endpoint).preview().sentLine }
        #expect(try await line(Stored(path: "/a")) == "GET https://example.com/a?page=1")
        #expect(try await line(Stored(path: "/{page}")) == "GET https://example.com/1")
        #expect(try await line(Listing(folder: "x")) == "GET https://example.com/files?path=x")
        #expect(try await line(Listing(folder: "/files")) == "GET https://example.com/files?path=/files")
        #expect(try await line(Named(path: "/a")) == "GET https://example.com/a?route=/a")
    }

    @Test("a stored tag, method and headers are not params, unless they have other types")
    func storedParts() async throws {
        let client = client("{}").client
        let all = try await client.request(for: AllStored()).preview()
        #expect(all.sentLine == "PUT https://forum.example.com/api/a")
        #expect(all.sentBody == #"{"page":1}"#)
        #expect(all.headers["X-A"] == "1")
        #expect(try await client.request(for: OptionallyStored()).preview().sentLine == "GET https://example.com/a?page=1")
        let some = try await client.request(for: OptionallyStored(tag: "forum", method: .delete)).preview()
        #expect(some.sentLine == "DELETE https://forum.example.com/api/a?page=1")
        let others = try await client.request(for: OtherTypes(tag: "x", method: 2, headers: ["a": "b"])).preview()
        #expect(others.sentLine == "GET https://example.com/a?tag=x&method=2&headers%5Ba%5D=b")
    }

    @Test("tag, method and headers are Encodable")
    func encodableParts() throws {
        struct Parts: Encodable {
            var tag: Catena.Tag = "forum"
            var method = HTTPMethod.put
            var headers: HTTPHeaders = ["X-A": "1", "X-B": "2"]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.encode(Parts()), as: UTF8.self)
                == #"{"headers":{"X-A":"1","X-B":"2"},"method":"PUT","tag":"forum"}"#)
    }

    @Test("the request of an endpoint can be previewed and extended by steps")
    func request() async throws {
        let (client, stub) = client(#"{"code": 0, "data": []}"#)
        let request = client.request(for: RoomUsers(room: "7")).param("page", 9)
        #expect(try await request.preview().sentLine == "GET https://forum.example.com/api/rooms/7/users?page=9")
        #expect(stub.requests.isEmpty)
        #expect(request.request.absoluteURL == "https://forum.example.com/api/rooms/{room}/users")
        #expect(request.description == request.request.description)
    }

    @Test("a request of an endpoint keeps the type of its response through every step")
    func typed() async throws {
        let (client, stub) = client(#"{"code": 0, "data": [{"name": "a"}]}"#)
        let request = client.request(for: RoomUsers(room: "7")).retry(.never).param("page", 9).header("X-A", "1")
            .timeout(.seconds(300)).onProgress { _ in }.id("users").set(
                \.interceptors, [Interceptor("call") { call, next in try await next(call) }])
        let users = try await request.value()
        #expect(users == [User(name: "a")])
        #expect(try await request.execute().map { users in users.count }.value == 1)
        #expect(try await request.value(as: JSON.self)[0].name.string == "a")
        #expect(try await request.response(as: [User].self).payload == users)
        #expect(try await request.string() == #"{"code": 0, "data": [{"name": "a"}]}"#)
        try await request.void()
        #expect(stub.requests.count == 6)
        #expect(stub.requests.allSatisfy { $0.sentLine == "GET https://forum.example.com/api/rooms/7/users?page=9" })
        #expect(stub.requests.allSatisfy { $0.headers["X-A"] == "1" })
    }

    @Test("an endpoint with a Void, Data or custom response has the same result after a step")
    func otherTypes() async throws {
        let (client, _) = client(#"{"code": 0}"#)
        try await client.request(for: TokenOnly(token: "made-up")).retry(.never).value()
        #expect(try await client.request(for: Download()).retry(.never).value() == Data(#"{"code": 0}"#.utf8))
        #expect(try await client.request(for: Greeting()).retry(.never).execute().value == #"{"code": 0}"#)
        #expect(try await client.request(for: Length()).retry(.never).value() == 11)
    }

    @Test("the path of an endpoint encodes what it interpolates")
    func interpolated() async throws {
        struct Member: Endpoint {
            typealias Response = JSON
            let name: String
            var path: Path { "/members/\(name)/details" }
        }
        let (client, stub) = client(#"{"code": 0, "data": 1}"#)
        for name in ["a/b", "a?b", "a#b", "a{page}b"] { _ = try await client.value(Member(name: name)) }
        let sent = ["a%2Fb", "a%3Fb", "a%23b", "a%7Bpage%7Db"].map { "GET https://example.com/members/\($0)/details" }
        #expect(stub.requests.map(\.sentLine) == sent)
        let error = await #expect(throws: APIError.self) { try await client.value(Member(name: "")) }
        #expect(error?.message.contains("behind \"/members/\": the value is empty") == true)
    }
}
