import CatenaArchive
import CatenaSigners
import CatenaTesting
import Foundation
import TestSupport

@testable import Catena
@testable import CatenaFleet
@testable import CatenaRules

/// Values of public types that hold a secret. `PublicTypes.free` lists the types that cannot hold one.
enum PublicTypes {
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
            transport: ClosureTransport { _ in .json(#"{"token":"made-up","code":0,"data":{"token":"made-up"}}"#, headers: headers) })
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
        "SessionChange": {
            [SessionChange(tag: "forum", kind: .refused(APIError(.status, message: "token=made-up", status: 401)))]
        },
        "SessionChange.Kind": { [SessionChange.Kind.refused(APIError(.status, message: "token=made-up", status: 401))] },
        "Authentication": {
            let signIn = Authentication(BearerAuthenticator())
            try signIn.signIn(BearerToken(accessToken: secret))
            return [signIn]
        },
        "BasicCredential": { [BasicCredential(user: "ann", password: secret)] },
        "DigestAuthentication": { [DigestAuthentication(BasicCredential(user: "ann", password: secret))] },
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
        "FailedAttempt": {
            [FailedAttempt(error: APIError(.status, message: "token=made-up"), attempt: 1, request: try request(), random: 0, now: Date())]
        },
        "EnvelopeResult": { [EnvelopeResult(try response())] },
        "HTTPAddress": { [try address()] },
        "HTTPHeaders": { [headers] },
        "HTTPHeaders.Field": { [HTTPHeaders.Field(name: "Cookie", value: secret)] },
        "HTTPRequest": { [try request()] },
        "HTTPResponse": { [try response()] },
        "JSON": { [json] },
        "JSONObject": { [json.object as Any] },
        "JSONSyntaxError": {
            do {
                return [try JSON(parsing: Data(#"{"token":"made-up","a":}"#.utf8))]
            } catch {
                return [error]
            }
        },
        "MemoryCredentialStore": { [MemoryCredentialStore(BearerToken(accessToken: secret))] },
        "ParameterNode": { [ParameterNode.object(["token": "made-up"])] },
        "ParameterSigner": { [ParameterSigner(.md5, secret: .prefix("made-up"))] },
        "Params": { [["token": "made-up", "a": ["password": "made-up"] as Params] as Params] },
        "Params.Member": { [Params.Member(key: "token", node: .string(secret))] },
        "Path": { ["/a?token=made-up" as Path, Path("/a;token=made-up")] },
        "Path.StringInterpolation": {
            var pieces = Path.StringInterpolation(literalCapacity: 1, interpolationCount: 1)
            pieces.appendInterpolation(secret)
            return [pieces]
        },
        "Profile": {
            var profile = Profile()
            profile.headers = headers
            profile.params = ["token": "made-up"]
            return [profile]
        },
        "CallOptions": { [CallOptions(request: described())] },
        "Request": { [described()] },
        "RequestSummary": { [RequestSummary(try request())] },
        "Response": { [try await client().get("/a?token=made-up").execute(.response(as: JSON.self)).value] },
        "ResponseSummary": { [ResponseSummary(try response())] },
        "Rule": {
            var rule = Rule("a")
            rule.headers = headers
            rule.params = ["token": "made-up"]
            rule.base = "https://ann:made-up@forum.test"
            return [rule]
        },
        "RuleSet": {
            var rule = Rule("a")
            rule.headers = headers
            rule.base = "https://ann:made-up@forum.test"
            return [RuleSet([rule])]
        },
        "RuleContext": { [RuleContext(described())] },
        "RuleValue": { [RuleValue(json)] },
        "ServerSentEvent": { [ServerSentEvent(data: #"{"token":"made-up"}"#, id: "token=made-up")] },
        "SharedReading": { [SharedReading(values: [Data("made-up".utf8)], time: .zero)] },
        "TransportBody": { [TransportBody(body)] },
        "TransportResponse": { [TransportResponse(status: 200, headers: headers, body: TransportBody(body))] },
        "AggregateError": {
            let failing = (0..<2).map { _ in Promise<Int> { throw APIError(.status, message: "token=made-up", status: 500) } }
            do {
                return [try await Promise.any(failing).value]
            } catch {
                return [error]
            }
        },
        "AWSSigner": {
            [AWSSigner.awsSignatureV4(accessKey: "id", secretKey: secret, sessionToken: secret, region: "r", service: "s3")]
        },
        "BodySource": { [BodySource(body)] },
        "ByteStream": { [described().stream()] },
        "LineStream": { [described().lines()] },
        "JSONLineStream": { [described().lines(as: JSON.self)] },
        "EventStream": { [described().events()] },
        "EventValues": { [described().events(as: JSON.self)] },
        "Pages": { [described().pages(of: JSON.self)] },
        "CachedValues": { [described().values(of: JSON.self)] },
        "Items": { [described().items(of: JSON.self)] },
        "StreamedResponse": { [try await client().get("/a?token=made-up").stream().open()] },
        "CallTask": {
            let (gate, resolver) = Promise<Void>.pending()
            let client = Client(
                transport: ClosureTransport { _ in
                    try await gate.value
                    return .status(200)
                })
            client.defaultHost = "https://forum.test"
            let call: Promise<Void> = client.get("/a;token=made-up?token=made-up").header("Authorization", secret).execute(.void)
            let tasks = client.calls.tasks()
            resolver.fulfill(())
            _ = await call.result
            return tasks + [call, client.calls]
        },
        "DiagnosticEvent": {
            let events = Recorder<DiagnosticEvent>()
            let client = PublicTypes.client()
            client.onDiagnostic { events.note($0) }
            client.diagnostics.report(.sharedStore, "the store failed: \(APIError(.status, message: "token=made-up", status: 500))")
            return events.events
        },
        "EndpointRequest": {
            struct Reset: Endpoint {
                typealias Response = JSON
                var path: Path { "/a?token=made-up" }
                var body: EndpointBody { .json(["password": "made-up"]) }
            }
            return [client().request(for: Reset()).header("Authorization", secret)]
        },
        "EndpointBody": { [EndpointBody.json(["password": "made-up"] as Params)] },
        "HARRecorder": {
            let (client, recorder) = (PublicTypes.client(), HARRecorder())
            let registration = client.record(into: recorder)
            _ = try await client.post("/a?token=made-up").header("Authorization", secret).json(["password": "made-up"] as Params).value()
            await client.waitUntilIdle()
            registration.end()
            return [recorder, String(decoding: try await recorder.archive(), as: UTF8.self)]
        },
        "HostError": {
            do {
                return [try await client().host("https://ann:made-up@[").get("/a").value()]
            } catch {
                return [error]
            }
        },
        "LogEntry": {
            let (client, entries) = (PublicTypes.client(), Recorder<LogEntry>())
            let registration = client.log(.verbose, to: .entries { entries.note($0) })
            _ = try await client.post("/a?token=made-up").header("Authorization", secret).json(["password": "made-up"] as Params).value()
            await client.waitUntilIdle()
            registration.end()
            return entries.events
        },
        "MultipartForm": {
            var form = MultipartForm()
            form.field("password", secret)
            form.data(Data(secret.utf8), name: "file")
            return [form]
        },
        "Promise": { [client().get("/a?token=made-up").execute()] },
        "SharedCredential": { [SharedCredential("forum", in: MemorySharedStore())] },
        "TokenAuthentication": { [TokenAuthentication.bearer { secret }] },
        "WeChatPaySigner": { [WeChatPaySigner.weChatPayV3(merchant: "1", serial: "2", privateKey: "made-up")] },
        "CurlTransport": {
            var configuration = CurlConfiguration()
            configuration.proxy = "http://ann:made-up@proxy.test:3128"
            // The transport does not exist if libcurl is too old.
            guard Engine.isThere else { return [configuration] }
            return [try CurlTransport(configuration)]
        },
        "ResponseCache": {
            let client = PublicTypes.client()
            let cache = ResponseCache.memory(limit: 10_000)
            client.configureDefaults { $0.cache = cache }
            _ = try await client.get("/a?token=made-up").cache(.always).value()
            return [cache, cache.size]
        },
        "CredentialSource": { [CredentialSource(authentication: TokenAuthentication.bearer { secret })] },
        "HostTable": { [HostTable(["a": "https://ann:made-up@forum.test"])] },
        "HostRewrite": { [HostRewrite(["https://a.test": "https://ann:made-up@forum.test"])] },
        "HostFallback": { [HostFallback(HostRewrite(["https://a.test": "https://ann:made-up@forum.test"]))] },
        "LossyArray": {
            let decoded = try JSONDecoder().decode(LossyArray<Int>.self, from: Data(#"[{"token":"made-up"},"made-up"]"#.utf8))
            return [decoded] + decoded.projectedValue
        },
        "Page": {
            var page = try JSONDecoder().decode(Page<JSON>.self, from: Data(#"{"list":[{"token":"made-up"}]}"#.utf8))
            page.headers = headers
            return [page]
        },
        "ParameterSigner.Secret": { [ParameterSigner.Secret.prefix(secret)] },
        "RefreshError": { [RefreshError(cause: APIError(.status, message: "token=made-up", status: 401), original: nil)] },
        "StubReply": {
            let replies: [StubReply] = [
                .reply(data: ["token": secret]), .text(secret), .raw(secret), .status(200).header("Set-Cookie", secret),
            ]
            return replies
        },
        "Stubs": {
            let stubs = Stubs()
            stubs.get("/a").header("Authorization", secret).reply(.reply(data: secret))
            _ = try await Client(testing: stubs).get("/a").query(["token": "made-up"]).header("Authorization", secret).value()
            return [stubs, stubs.get("/b").header("Authorization", secret)]
        },
        "StubRequest": {
            let stubs = Stubs()
            stubs.get("/a").reply(.reply(data: secret))
            _ = try await Client(testing: stubs).get("/a").query(["token": "made-up"]).header("Authorization", secret).value()
            let server = try LoopbackServer()
            server.post("/a") { _ in .status(200) }
            try await Client().host(server.url).post("/a?token=made-up").header("Authorization", secret).json(["token": secret]).void()
            return stubs.requests + server.requests
        },
        "StubPart": {
            let stubs = Stubs()
            stubs.post("/a").reply(status: 200)
            try await Client(testing: stubs).post("/a").multipart { $0.field("token", secret) }.execute(.void).value
            return stubs.requests.flatMap(\.parts)
        },
        "CallEvent": {
            let client = PublicTypes.client()
            let events = Recorder<CallEvent>()
            let registration = client.observe { events.note($0) }
            _ = try await client.post("/a?token=made-up").header("Authorization", secret).json(["password": "made-up"] as Params).execute(
                .response(as: JSON.self)
            ).value
            await events.reached(3)
            registration.end()
            return events.events
        },
        "Call": {
            let client = PublicTypes.client()
            let calls = Recorder<Call>()
            _ = try await client.get("/a?token=made-up").set(
                \.interceptors,
                [
                    Interceptor("call") { call, next in
                        calls.note(call)
                        return try await next(call)
                    }
                ]
            ).execute(.response(as: JSON.self)).value
            return calls.events
        },
        "TransferContext": {
            let contexts = Recorder<TransferContext>()
            let client = Client(
                transport: ContextTransport { _, context in
                    contexts.note(context)
                    return TransportResponse(status: 200)
                })
            _ = try await client.host("https://forum.test").get("/a?token=made-up").header("Authorization", secret).data()
            return contexts.events
        },
    ]
}
