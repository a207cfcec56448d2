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
    var path: String { "/rooms/{room}/users" }

    private enum CodingKeys: CodingKey { case room, page }
}

private struct Post: Endpoint {
    typealias Response = User
    let text: String
    var tag: Catena.Tag? { "forum" }
    var path: String { "/posts" }
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
    var path: String { "/sign-out" }
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

    var path: String {
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
    var path: String { "/file" }
}

private struct Greeting: Endpoint {
    static let format = ResponseFormat<String>.text
    var path: String { "/greeting" }
}

private struct Length: Endpoint {
    static let format = ResponseFormat { reading in reading.response.body.count }
    var path: String { "/length" }
}

private struct WalletError: Error, Equatable { let code: ErrorCode? }

private struct Payment: ResponseFamily, Decodable {
    let id: String
    static func commonError(in reading: EnvelopeResult) -> (any Error)? { reading.code == 7 ? WalletError(code: 7) : nil }
}

private struct Pay: Endpoint {
    typealias Response = Payment
    var path: String { "/pay" }
    var body: EndpointBody? { nil }
    func error(in reading: EnvelopeResult) -> (any Error)? { reading.code == nil ? nil : ForumError.closed }
}

private struct Unsendable: Endpoint {
    struct Reason: Error {}
    typealias Response = JSON
    var path: String { "/" }
    var params: Params { get throws { throw Reason() } }
}

private struct Listed: Endpoint, Encodable {
    typealias Response = JSON
    var path: String { "/" }
    func encode(to encoder: any Encoder) throws { try [1, 2].encode(to: encoder) }
}

@Suite(.limitedParallelism) struct EndpointTests {
    private func client(_ answer: String) -> (client: Client, stub: StubTransport) {
        let stub = StubTransport { _ in .json(answer) }
        let client = Client(transport: stub)
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        client.defaultHost = "https://example.com"
        return (client, stub)
    }

    @Test("an Encodable endpoint encodes itself: into the path, then into the query; what it does not encode is not sent")
    func encodable() async throws {
        let (client, stub) = client(#"{"code": 0, "data": [{"name": "a"}]}"#)
        #expect(try await client.value(RoomUsers(room: "a/b")) == [User(name: "a")])
        #expect(try await client.call(RoomUsers(room: "7", page: nil)).value == [User(name: "a")])
        #expect(
            stub.requests.map(\.sentLine) == [
                "GET https://forum.example.com/api/rooms/a%2Fb/users?page=1", "GET https://forum.example.com/api/rooms/7/users",
            ])
    }

    @Test("method, params, query, headers, body and adjustments go out; each may be written with its type or as an optional")
    func parts() async throws {
        let (client, stub) = client(#"{"code": 0, "data": {"name": "a"}}"#)
        #expect(try await client.value(Post(text: "hi")) == User(name: "a"))
        let sent = try #require(stub.requests.first)
        #expect(sent.sentLine == "PUT https://forum.example.com/api/posts?v=2&draft=true")
        #expect(sent.sentBody == #"{"text":"hi"}"#)
        #expect(sent.headers["X-A"] == "1" && sent.headers["X-B"] == nil && sent.headers["X-C"] == "3")
    }

    @Test("what encodes nothing has no params, and a Void response needs no payload")
    func empty() async throws {
        let (client, stub) = client(#"{"code": 0}"#)
        try await client.value(TokenOnly(token: "made-up"))
        let sent = try #require(stub.requests.first)
        #expect(sent.sentLine == "POST https://example.com/sign-out" && sent.sentBody == nil)
        #expect(sent.headers["X-Token"] == "made-up")
    }

    @Test("an enum has a case for each call, and may say which type each gives")
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

    @Test("a response of Data is the whole body, and an endpoint may read its answers itself")
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

    @Test("an endpoint that cannot say what it sends rejects the call, and nothing is sent")
    func faults() async throws {
        let (client, stub) = client("{}")
        let thrown = await #expect(throws: APIError.self) { try await client.value(Unsendable()) }
        #expect(thrown?.underlying is Unsendable.Reason)
        let listed = await #expect(throws: APIError.self) { try await client.call(Listed()).value }
        #expect(listed?.kind == .invalidRequest && listed?.message.contains("array") == true)
        #expect(stub.requests.isEmpty)
    }

    @Test("the request of an endpoint can be looked at and goes on as a chain")
    func request() async throws {
        let (client, stub) = client(#"{"code": 0, "data": []}"#)
        let request = client.request(for: RoomUsers(room: "7")).param("page", 9)
        #expect(try await request.preview().sentLine == "GET https://forum.example.com/api/rooms/7/users?page=9")
        #expect(stub.requests.isEmpty)
    }
}
