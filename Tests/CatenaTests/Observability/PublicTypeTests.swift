import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Every public type, and either values of it with a secret in them or why it can hold none.
private enum PublicTypes {
    private static let secret = "made-up"
    private static let headers: HTTPHeaders = ["Authorization": "Bearer made-up", "Set-Cookie": "sid=made-up"]
    private static let json: JSON = ["token": "made-up", "a": [["name": "password", "value": "made-up"]]]
    private static let body = Data(#"{"token":"made-up"}"#.utf8)

    private static func address() throws -> HTTPAddress { try HTTPAddress(parsing: "https://forum.test/a;token=made-up?token=made-up") }

    private static func request() throws -> HTTPRequest {
        HTTPRequest(method: .post, address: try address(), headers: headers, body: body)
    }

    private static func response() throws -> HTTPResponse {
        HTTPResponse(status: 200, headers: headers, body: body, address: try address())
    }

    private static func client() -> Client {
        let client = Client(
            transport: StubTransport { _ in .json(#"{"token":"made-up","code":0,"data":{"token":"made-up"}}"#, headers: headers) })
        client.configureDefaults {
            $0.host = "https://forum.test"
            $0.headers = ["X-Api-Key": "made-up"]
            $0.params = ["token": "made-up"]
        }
        return client
    }

    private static func described() -> Request {
        client().post("/a").header("Authorization", "made-up").query(["token": "made-up"]).json(["password": "made-up"] as Params)
    }

    /// Values that hold a body, headers, params, an address or a credential.
    static let samples: [String: @Sendable () async throws -> [Any]] = [
        "APIError": {
            [APIError(.status, message: "token=made-up", status: 500), APIError.wrapping(URLError(.timedOut, userInfo: ["token": secret]))]
        },
        "AWSSigner": { [] },
        "Authentication": {
            let signIn = Authentication(BearerAuthenticator())
            try signIn.signIn(BearerToken(accessToken: secret))
            return [signIn]
        },
        "BaseParameters": { [] },
        "BasicCredential": { [BasicCredential(user: "ann", password: secret)] },
        "BearerToken": { [BearerToken(accessToken: secret, refreshToken: secret)] },
        "HeaderCredential": { [HeaderCredential(user: "ann", ticket: secret)] },
        "Client": { [client()] },
        "Cookie": { [Cookie(name: "sid", value: secret, host: "forum.test")] },
        "CookieJar": {
            let jar = CookieJar()
            jar.set(Cookie(name: "sid", value: secret, host: "forum.test"))
            return [jar]
        },
        "KeptCookies": {
            [KeptCookies(user: "7", entries: [.init(cookie: Cookie(name: "sid", value: secret, host: "forum.test"), setter: "a")])]
        },
        "CurlConfiguration": {
            var configuration = CurlConfiguration()
            configuration.proxy = "http://ann:made-up@proxy.test:3128"
            configuration.clientKeyPassword = secret
            return [configuration]
        },
        "Download": { [Download(url: URL(filePath: "/a"), status: 200, headers: headers, byteCount: 1, resumedFrom: 0)] },
        "EnvelopeResult": { [EnvelopeResult(try response())] },
        "HTTPAddress": { [try address()] },
        "HTTPHeaders": { [headers] },
        "HTTPHeaders.Field": { [HTTPHeaders.Field(name: "Cookie", value: secret)] },
        "HTTPRequest": { [try request()] },
        "HTTPResponse": { [try response()] },
        "JSON": { [json] },
        "JSONObject": { [json.object as Any] },
        "JSONSyntaxError": { [JSONSyntaxError.self] },
        "MemoryCredentialStore": { [MemoryCredentialStore(BearerToken(accessToken: secret))] },
        "Page": { [] },
        "ParameterNode": { [ParameterNode.object(["token": "made-up"])] },
        "ParameterSigner": { [ParameterSigner(.md5, secret: .prefix("made-up"))] },
        "Params": { [["token": "made-up", "a": ["password": "made-up"] as Params] as Params] },
        "Params.Member": { [Params.Member(key: "token", node: .string(secret))] },
        "Profile": {
            var profile = Profile()
            profile.headers = headers
            profile.params = ["token": "made-up"]
            return [profile]
        },
        "Request": { [described()] },
        "RequestSummary": { [RequestSummary(try request())] },
        "Response": { [try await client().get("/a?token=made-up").response(as: JSON.self).value] },
        "ResponseSummary": { [ResponseSummary(try response())] },
        "Rule": {
            var rule = Rule("a")
            rule.headers = headers
            rule.params = ["token": "made-up"]
            rule.base = "https://ann:made-up@forum.test"
            return [rule, RuleSet([rule])]
        },
        "ServerSentEvent": { [ServerSentEvent(data: #"{"token":"made-up"}"#, id: "token=made-up")] },
        "SharedReading": { [SharedReading(values: [Data("made-up".utf8)], time: .zero)] },
        "TransportBody": { [TransportBody(body)] },
        "TransportResponse": { [TransportResponse(status: 200, headers: headers, body: TransportBody(body))] },
        "CallEvent": {
            let client = PublicTypes.client()
            let events = Recorder<CallEvent>()
            let registration = client.observe { events.note($0) }
            _ = try await client.post("/a?token=made-up").header("Authorization", secret).json(["password": "made-up"] as Params).response(
                as: JSON.self
            ).value
            await events.reached(3)
            registration.end()
            return events.events
        },
        "Call": {
            let client = PublicTypes.client()
            let calls = Recorder<Call>()
            _ = try await client.get("/a?token=made-up").intercept { call, next in
                calls.note(call)
                return try await next(call)
            }.response(as: JSON.self).value
            return calls.events
        },
        "LogEntry": { [] },
    ]
}

@Suite("What is printed, dumped and mirrored of public types", .limitedParallelism)
struct PublicTypeTests {
    /// All that print, string interpolation, `dump` and mirrors show of a value. `Data` shows its bytes as numbers.
    private static func shown(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text + "\(value)" + String(reflecting: value) + "\([value])" + "\(["a": value])"
    }

    @Test("no value shows the secret that it holds", arguments: PublicTypes.samples.keys.sorted())
    func hidden(_ name: String) async throws {
        let make = try #require(PublicTypes.samples[name])
        let bytes = "made-up".utf8.map { "- \($0)" }
        for value in try await make() {
            let text = Self.shown(value)
            #expect(!text.contains("made-up"), "\(name): \(text.prefix(2000))")
            // The numbers of the secret's bytes, one behind the other.
            let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let isListed = lines.indices.contains { lines[$0...].prefix(bytes.count).elementsEqual(bytes) }
            #expect(!isListed, "\(name) lists the bytes")
        }
    }
}
