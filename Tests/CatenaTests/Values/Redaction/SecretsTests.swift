import CatenaArchive
import CatenaRules
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Secrets that an app declares", .limitedParallelism)
struct SecretsTests {
    let stubs = Stubs()
    let lines = Recorder<String>()
    let events = Recorder<CallEvent>()
    let archive = HARRecorder()

    private static func json(_ text: String) -> StubReply { .text(text, contentType: "application/json") }

    /// Returns a client whose log, observers and archive the tests read.
    private func client() -> Client {
        let client = Client(testing: stubs)
        client.configure("forum") { _ in }
        client.log(.verbose, to: LogSink { [lines] in lines.note($0) })
        client.record(into: archive)
        client.observe { [events] in events.note($0) }
        return client
    }

    /// Executes a request and returns everything that logs, events, errors and descriptions show of it.
    private func shown(_ request: Request) async throws -> String {
        let before = lines.count
        let result = await request.execute(as: [Int].self).result
        await lines.reached(before + 1)
        var texts = lines.events + ["\(request)", request.explain(), try await request.curl(), "\(try await request.preview())"]
        if case .failure(let error) = result {
            let error = try #require(error as? APIError)
            texts += [
                "\(error)", "\(error.request.map { "\($0) \($0.headers)" } ?? "")", "\(error.response.map { "\($0.headers)" } ?? "")",
            ]
            texts += [error.message, error.explanation ?? "", "\(error as NSError)"]
        }
        texts += events.events.map { "\($0) \($0.request?.headers ?? [:]) \($0.request.map { "\($0.address)" } ?? "")" }
        texts.append(String(decoding: try await archive.archive(), as: UTF8.self))
        return texts.joined(separator: "\n")
    }

    @Test("a secret param stays hidden when it fills a path", arguments: ["/reset/{token}/x", "/reset/a-{token}", "/{token}/{token}?id=1"])
    func inPath(path: String) async throws {
        stubs.on(nil, "/**").reply(status: 500)
        let request = client().tag("forum").get(path).params(["token": "made-up 1/2", "page": "open"])
        let text = try await shown(request)
        #expect(!text.contains("made-up") && text.contains("***") && text.contains("page=open"))
        #expect(stubs.requests.last?.path.contains("made-up%201%2F2") == true)
        #expect(try await request.curl(showingSecrets: true).contains("made-up%201%2F2"))
    }

    @Test("headers, params and paths that an app declares are hidden wherever a call is shown, and others are not")
    func named() async throws {
        stubs.post("/a").reply(
            Self.json(#"{"code": 5, "msg": "m", "data": {"users": [{"phone": "made-up", "id": 77}], "x": {"phone": 66}}}"#)
                .header("X-Trace", "made-up").header("X-Open", "open-1"))
        let client = client()
        client.configureDefaults { $0.secrets.add(headers: "X-Device") }
        client.configure("forum") { $0.secrets.add(headers: "x_trace", params: "uid", paths: "data.users.phone", "inner.pet") }
        let request = client.tag("forum").post("/a").query(["uid": "made-up", "id": "open-2"]).header("X-Device", "made-up")
            .header("X-Seen", "open-3").json(["inner": ["pet": "made-up"] as Params, "uid": "made-up", "pet": "open-4"] as Params)
        let text = try await shown(request)
        #expect(!text.contains("made-up"))
        for open in ["open-1", "open-2", "open-3", "open-4", "77", "66"] { #expect(text.contains(open)) }
        let sent = try await request.preview()
        #expect(sent.headers["X-Device"] == "made-up" && sent.address.query == "uid=made-up&id=open-2")
        #expect(try await request.curl(showingSecrets: true).contains("X-Device: made-up"))
    }

    static let pieces: [(type: String, body: String)] = [
        ("application/json", #"{"id":undefined,"data":{"user":{"phone":"made-up"}},"q":"open-1"}"#),
        ("application/json", #"{"data":{"user":{"x":'a',"phone":"made-up"}},"q":"open-1"}"#),
        ("application/json", ")]}',\n" + #"{"data":{"user":{"phone":"made-up"}},"q":"open-1"}"#),
        ("application/javascript", #"show({"data":{"user":{"phone":"made-up"}},"q":"open-1"})"#),
        ("text/event-stream", #"data: {"data":{"user":{"phone":"made-up"}},"q":"open-1"}"# + "\n\n"),
        ("application/json", #"{"body":"{\"data\":{\"user\":{\"phone\":\"made-up\"}}}","q":"open-1"}"#),
    ]

    @Test("a declared place is hidden by its last key where the JSON is malformed or inside other text", arguments: pieces.indices)
    func piece(row: Int) async throws {
        let (type, body) = Self.pieces[row]
        stubs.get("/a").reply(.text(body, contentType: type))
        let client = client()
        client.configure("forum") { $0.secrets.add(paths: "data.user.phone") }
        let text = try await shown(client.tag("forum").get("/a"))
        #expect(!text.contains("made-up"), "\(text)")
        #expect(text.contains("open-1"))
    }

    @Test("a decoding error quotes the payload without declared secrets")
    func decoding() async throws {
        stubs.get("/a").reply(Self.json(#"{"code": 0, "data": {"phone": "made-up", "id": 1}}"#))
        let client = client()
        client.configure("forum") { $0.secrets.add(paths: "data.phone") }
        let text = try await shown(client.tag("forum").get("/a"))
        #expect(!text.contains("made-up"))
        #expect(text.contains("Cannot decode Array<Int>"))
    }

    @Test("a decoding error of a streamed line quotes it without declared secrets")
    func streamedLines() async throws {
        stubs.get("/a").reply(.text(#"{"phone": "made-up", "id": "open-1"}"# + "\n"))
        let client = client()
        client.configure("forum") { $0.secrets.add(paths: "phone") }
        let error = await #expect(throws: APIError.self) {
            for try await _ in client.tag("forum").get("/a").lines(as: [Int].self) {}
        }
        #expect(error?.message.contains("made-up") == false && error?.message.contains("open-1") == true)
    }

    @Test("names that a tag allows are shown in its calls, except the name of its credential")
    func allowed() async throws {
        stubs.post("/a").reply(Self.json(#"{"code": 5, "msg": "m", "next_page_token": "open-1", "sid": "made-up", "token": "made-up"}"#))
        let client = client()
        client.configureDefaults { $0.secrets.add(params: "uid", "sid") }
        client.configure("forum") { forum in
            forum.secrets.allow("next_page_token", "key", "uid")
            forum.authentication = try? signedIn(QueryAuthenticator("key"), BearerToken(accessToken: "made-up", user: "ann"))
        }
        let request = client.tag("forum").post("/a").query(["uid": "open-2"]).json(
            ["nextPageToken": "open-3", "password": "made-up"] as Params)
        let text = try await shown(request)
        #expect(!text.contains("made-up"))
        for open in ["open-1", "open-2", "open-3"] { #expect(text.contains(open)) }
        client.configure("wallet") { $0.secrets.allow("sid") }
        #expect(try await client.tag("wallet").get("/b").query(["key": "made-up", "sid": "open-4"]).curl().contains("?key=***&sid=open-4"))
    }

    @Test("the last of allow(_:) and add(…) decides about a name")
    func lastWord() {
        var secrets = Secrets()
        secrets.allow("X-Token")
        secrets.add(params: "x_token")
        #expect(secrets.allowed.isEmpty && secrets.params == ["x_token"])
        secrets.allow("xtoken")
        #expect(secrets.allowed == ["xtoken"] && secrets.params.isEmpty)
        var others = Secrets(headers: "X-TOKEN")
        others.merge(secrets)
        #expect(others == secrets)
    }

    @Test("names that one tag hides are shown in another tag's calls")
    func otherTag() async throws {
        stubs.get("/a").reply(status: 500)
        let client = client()
        client.configure("forum") { $0.secrets.add(params: "uid") }
        client.configure("wallet") { _ in }
        let error = await #expect(throws: APIError.self) {
            try await client.tag("wallet").get("/a").query(["uid": "7"]).execute(.void).value
        }
        #expect(error?.request?.url == "https://stubs.test/a?uid=7")
    }

    @Test("a call hides the names of its own tag in a request that was made for another tag")
    func requestOfAnotherTag() async throws {
        stubs.get("/a").reply(status: 500)
        let client = client()
        client.configure("forum") { $0.secrets.add(params: "uid") }
        client.configure("wallet") { $0.secrets.add(params: "pet") }
        let other = try await client.tag("wallet").get("/a").query(["uid": "made-up"]).preview()
        client.intercept("other") { call, next in
            var call = call
            call.request = other
            return try await next(call)
        }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/b").execute(.void).value }
        #expect(error?.request?.url == "https://stubs.test/a?uid=***")
    }

    static let signIns: [(name: String, signIn: @Sendable (inout Profile) throws -> Void)] = [
        (
            "header pair",
            {
                $0.authentication = try signedIn(
                    HeaderPairAuthenticator(user: "A-One", ticket: "A-Two"), HeaderCredential(user: "made-up", ticket: "made-up"))
            }
        ),
        ("query", { $0.authentication = try signedIn(QueryAuthenticator("k"), BearerToken(accessToken: "made-up", user: "ann")) }),
        ("own", { $0.authentication = try signedIn(OwnScheme(), Stamp.first) }),
        ("signer in the query", { $0.signer = ParameterSigner(.custom { _ in Array("made-up".utf8) }, placement: .query("s")).inBase64 }),
        ("signer in a header", { $0.signer = ParameterSigner(.custom { _ in Array("made-up".utf8) }, placement: .header("X-S")).inBase64 }),
    ]

    @Test("the names of a tag's credential and signature are hidden without a declaration", arguments: signIns.indices)
    func automatic(row: Int) async throws {
        stubs.get("/a").reply(status: 500)
        let client = client()
        var fault: (any Error)?
        client.configure("forum") { forum in
            do { try Self.signIns[row].signIn(&forum) } catch { fault = error }
        }
        #expect(fault == nil)
        let request = client.tag("forum").get("/a").query(["q": "open-1"])
        let text = try await shown(request)
        let sent = try await request.preview()
        let base64 = "bWFkZS11cA"
        let values = sent.headers.fields.map(\.value) + [sent.address.text]
        #expect(values.contains { $0.contains("made-up") || $0.contains(base64) })
        #expect(!text.contains("made-up") && !text.contains(base64) && text.contains("open-1"))
        client.configure("forum") { forum in #expect("\(forum)".contains("made-up") == false) }
    }

    @Test("the headers and params of a rule's authorization are hidden")
    func rules() async throws {
        stubs.get("/a").reply(status: 500)
        let client = client()
        try client.rules.load(Data(#"{"A": {"Path": "a", "Authorization": true}}"#.utf8))
        client.rules.authorizationHeaders = ["X-Me": "made-up"]
        client.rules.authorizationParams = ["me": "made-up"]
        let request = client.request(named: "A").tag("forum")
        #expect(try await request.preview().headers["X-Me"] == "made-up")
        #expect(try await !shown(request).contains("made-up"))
    }

    @Test("requests of interceptors and redirects are shown without declared secrets, too")
    func onTheWay() async throws {
        stubs.get("/a").reply(.status(302).header("Location", "/b?uid=made-up"))
        stubs.get("/b").reply(status: 500)
        let client = client()
        client.configure("forum") { $0.secrets.add(headers: "X-Device", params: "uid") }
        let seen = Recorder<String>()
        client.intercept("note") { call, next in
            var call = call
            call.request.headers = ["X-Device": "made-up"]
            seen.note("\(call.request.headers) \(call.request)")
            return try await next(call)
        }
        let text = try await shown(client.tag("forum").get("/a").query(["uid": "made-up"]))
        #expect(!text.contains("made-up"))
        #expect(seen.events.allSatisfy { !$0.contains("made-up") && $0.contains("***") } && seen.count > 0)
    }

    @Test("fields of a multipart body are hidden by their names")
    func multipart() async throws {
        stubs.post("/a").reply(status: 500)
        let client = client()
        client.configure("forum") { $0.secrets.add(params: "uid") }
        let request = client.tag("forum").post("/a").params(["uid": "made-up", "password": "made-up", "q": "open-1"])
            .multipart { $0.field("note", "x") }
        let text = try await shown(request)
        #expect(!text.contains("made-up") && text.contains("open-1"))
    }

    @Test("other parts of a multipart body are redacted like any text", arguments: ["\r\n", "\n"])
    func parts(lineEnd: String) {
        let lines = [
            "--b", "Content-Type: application/json; filename=\"a\"", "", "{\"access_token\":\"made-up\"}", "--b",
            "Authorization: Bearer made-up", "Content-Disposition: form-data; name=\"q\"", "", "open-1", "--b", "X-Token: made-up", "", "",
            "--b--",
        ]
        let body = Data(lines.joined(separator: lineEnd).utf8)
        guard case .text(let text) = ShownBody(body, contentType: nil, hiding: .standard).content else {
            Issue.record("not shown as text")
            return
        }
        #expect(!text.contains("made-up") && text.contains("open-1"))
    }
}

private func signedIn<Scheme: Authenticator>(_ scheme: Scheme, _ credential: Scheme.Credential) throws -> Authentication<Scheme> {
    let authentication = Authentication(scheme)
    try authentication.signIn(credential)
    return authentication
}

private struct OwnScheme: Authenticator {
    var secrets: Secrets { Secrets(headers: "X-Me") }

    func apply(_ credential: Stamp, to request: inout HTTPRequest) { request.headers["X-Me"] = "made-up" }
    func refresh(_ credential: Stamp) async throws -> Stamp { credential }
    func identity(of credential: Stamp) -> String { "ann" }
}

extension ParameterSigner {
    fileprivate var inBase64: ParameterSigner {
        var signer = self
        signer.format = .base64
        return signer
    }
}
