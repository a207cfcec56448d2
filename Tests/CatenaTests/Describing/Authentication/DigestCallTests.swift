import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A server that checks digests, and records every use of a nonce.
private final class DigestServer: Sendable {
    struct State: Sendable {
        var nonce = "n1"
        var uses: [String] = []
        var repeated: [String] = []
        var nextNonce: String?
    }

    let state = Mutex(State())
    let password: String
    let isSession: Bool

    init(password: String = "made-up", isSession: Bool = false) {
        (self.password, self.isSession) = (password, isSession)
    }

    var uses: [String] { state.withLock { $0.uses } }

    func expireNonce(by nonce: String) { state.withLock { $0.nonce = nonce } }

    func reply(to call: StubRequest) -> StubReply {
        let nonce = state.withLock { $0.nonce }
        guard let header = call.headers["Authorization"], let fields = AuthenticationChallenge.all(in: header).first?.params else {
            return challenge(nonce)
        }
        let values = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
        func value(_ name: String) -> String { values[name] ?? "" }
        let use = "\(value("nonce")) \(value("nc"))"
        state.withLock { state in
            if state.uses.contains(use) { state.repeated.append(use) }
            state.uses.append(use)
        }
        guard value("nonce") == nonce else { return challenge(nonce, isStale: true) }
        var key = MessageDigest.sha256("ann:forum:\(password)").hex
        if isSession { key = MessageDigest.sha256("\(key):n1:\(value("cnonce"))").hex }
        let message = MessageDigest.sha256("\(call.method):\(call.target)").hex
        let expected = MessageDigest.sha256("\(key):\(nonce):\(value("nc")):\(value("cnonce")):auth:\(message)").hex
        guard value("uri") == call.target, value("response") == expected else { return challenge(nonce) }
        guard let next = state.withLock({ $0.nextNonce.take() }) else { return .reply(data: 7) }
        expireNonce(by: next)
        return .reply(data: 7).header("Authentication-Info", "nextnonce=\"\(next)\"")
    }

    func challenge(_ nonce: String, isStale: Bool = false) -> StubReply {
        .status(401)
            .header(
                "WWW-Authenticate",
                "Basic realm=\"forum\", Digest realm=\"forum\", nonce=\"old\", qop=\"auth\", algorithm=MD5, "
                    + "Digest realm=\"forum\", nonce=\"\(nonce)\", qop=\"auth,auth-int\", algorithm=SHA-256\(isSession ? "-sess" : ""), opaque=\"o\""
                    + (isStale ? ", stale=true" : ""))
    }
}

@Suite("Calls with Digest authentication", .limitedParallelism)
struct DigestCallTests {
    private let stubs = Stubs()

    private func client(_ server: DigestServer, password: String = "made-up") -> Client {
        let client = Client(testing: stubs)
        client.configure("forum") { forum in
            forum.host = "https://forum.test/api"
            forum.authentication = .digest(user: "ann", password: password)
        }
        stubs.on(nil, "https://forum.test/api/**").reply { server.reply(to: $0) }
        return client
    }

    @Test(
        "the first call is sent again with the digest that the server asks for, and later ones have it at once", arguments: [false, true])
    func preemptive(isSession: Bool) async throws {
        let server = DigestServer(isSession: isSession)
        let client = client(server)
        let first = try await client.tag("forum").get("/a").execute(.response(as: Int.self)).value
        #expect(first.attempts == 2 && first.payload == 7)
        for page in 2...3 { #expect(try await client.tag("forum").get("/a b").query(["page": page]).value(as: Int.self) == 7) }
        #expect(server.uses == ["n1 00000001", "n1 00000002", "n1 00000003"])
        #expect(stubs.requests.count == 4)
    }

    @Test("a nonce that is too old is replaced, and so is one that a response names")
    func stale() async throws {
        let server = DigestServer()
        let client = client(server)
        try await client.tag("forum").get("/a").execute(.void).value
        server.expireNonce(by: "n2")
        try await client.tag("forum").get("/a").execute(.void).value
        server.state.withLock { $0.nextNonce = "n3" }
        for _ in 0..<2 { try await client.tag("forum").get("/a").execute(.void).value }
        #expect(server.uses == ["n1 00000001", "n1 00000002", "n2 00000001", "n2 00000002", "n3 00000001"])
        #expect(stubs.requests.count == 6)
    }

    @Test("a wrong password fails the call after one digest, and the next call sends no digest unasked")
    func wrong() async throws {
        let server = DigestServer()
        let client = client(server, password: "wrong")
        for _ in 0..<2 {
            let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").execute(.void).value }
            #expect(error?.status == 401 && error?.attempts == 2)
        }
        #expect(stubs.requests.map { $0.headers.contains("Authorization") } == [false, true, false, true])
    }

    @Test("retries, redirects, hedges and many calls at once never use a nonce and a count twice")
    func everySending() async throws {
        let server = DigestServer()
        let client = client(server)
        try await client.tag("forum").get("/first").execute(.void).value
        let failures = Counter()
        client.intercept("fail", .before(.transport)) { call, next in
            let response = try await next(call)
            guard call.request.address.path == "/api/flaky" else { return response }
            failures.increment()
            if failures.count < 3 { throw APIError(.connectionLost) }
            return response
        }
        try await client.tag("forum").get("/flaky").retry(.exponential(limit: 3)).execute(.void).value
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await client.tag("forum").get("/a/\(number)").execute(.void).value } }
            try await group.waitForAll()
        }
        #expect(server.uses.count == 104 && Set(server.uses).count == 104)
    }

    @Test("a redirect within the origin has a digest of its own, and one to another origin has none")
    func redirects() async throws {
        let server = DigestServer()
        let other = Stubs()
        let origin = "https://forum.test"
        let redirecting = Client(testing: other)
        redirecting.configure("forum") { forum in
            forum.host = "https://forum.test/api"
            forum.authentication = .digest(user: "ann", password: "made-up")
        }
        other.get("/old").reply { call in
            call.headers.contains("Authorization") ? .status(302).header("Location", "/api/new?x=1") : server.challenge("n1")
        }
        other.get("/new").reply { server.reply(to: $0) }
        other.get("/out").reply(.status(302).header("Location", "https://elsewhere.test/b"))
        other.get("https://elsewhere.test/b").reply { call in
            call.headers.contains("Authorization") ? .status(500) : server.challenge("n9")
        }
        try await redirecting.tag("forum").get("/old").execute(.void).value
        let sent = other.requests.map { ($0.url.replacing(origin, with: ""), $0.headers["Authorization"] ?? "") }
        #expect(sent.map(\.0) == ["/api/old", "/api/old", "/api/new?x=1"])
        #expect(sent[1].1.contains("nc=00000001") && sent[1].1.contains("uri=\"/api/old\""))
        #expect(sent[2].1.contains("nc=00000002") && sent[2].1.contains("uri=\"/api/new?x=1\""))
        let error = await #expect(throws: APIError.self) { try await redirecting.tag("forum").get("/out").execute(.void).value }
        #expect(error?.status == 401)
        #expect(other.requests.suffix(1).allSatisfy { !$0.headers.contains("Authorization") } && other.requests.count == 5)
    }

    @Test("other origins, calls without a credential and calls with a header of their own get no digest")
    func elsewhere() async throws {
        let server = DigestServer()
        let client = client(server)
        stubs.get("https://other.test/a").reply { _ in server.challenge("n1") }
        try await client.tag("forum").get("/a").execute(.void).value
        let requests = [
            client.tag("forum").absoluteURL("https://other.test/a"), client.tag("forum").get("/a").authenticated(false),
            client.tag("forum").get("/a").header("Authorization", "Bearer own"),
        ]
        for request in requests { _ = await request.execute(.void).result }
        #expect(stubs.requests.dropFirst(2).map { $0.headers["Authorization"] } == [nil, nil, "Bearer own"])
    }

    @Test("an interceptor that moves the call to another origin does not take a digest along")
    func moved() async throws {
        let server = DigestServer()
        let client = client(server)
        try await client.tag("forum").get("/a").execute(.void).value
        stubs.get("https://other.test/a").reply { _ in server.challenge("n1") }
        client.intercept("move", .before(.transport)) { call, next in
            var call = call
            call.request.address = try HTTPAddress(parsing: "https://other.test/a")
            return try await next(call)
        }
        _ = await client.tag("forum").get("/a").execute(.void).result
        #expect(stubs.requests.dropFirst(2).allSatisfy { !$0.headers.contains("Authorization") })
    }

    @Test("a body is sent again with the digest, unless it is a stream that can be read once")
    func bodies() async throws {
        let server = DigestServer()
        let client = client(server)
        let pieces: @Sendable () -> AsyncStream<Data> = {
            AsyncStream { stream in
                stream.yield(Data("made up".utf8))
                stream.finish()
            }
        }
        let error = await #expect(throws: APIError.self) {
            try await client.tag("forum").post("/a").body(stream: pieces(), length: 7).execute(.void).value
        }
        #expect(error?.kind == .invalidRequest && error?.message.hasPrefix("body: it cannot be sent a second time with the digest") == true)
        #expect(try await client.tag("forum").post("/a").body(stream: pieces, length: 7).value(as: Int.self) == 7)
        #expect(try await client.tag("forum").post("/a").json(["a": 1]).value(as: Int.self) == 7)
    }

    @Test("the error of a challenge that is not answered names the reason")
    func unusable() async throws {
        stubs.get("/a").reply(.status(401).header("WWW-Authenticate", DigestChallengeTests.sha512))
        let client = Client(testing: stubs)
        client.configure("forum") { forum in
            forum.host = "https://forum.test"
            forum.authentication = .digest(user: "ann", password: "made-up")
        }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").execute(.void).value }
        #expect(error?.status == 401 && stubs.requests.count == 1)
        #expect(error?.message.contains("the Digest challenge is not answered: its algorithm sha-512-256") == true)
    }

    private struct HeaderSigner: RequestSigner {
        let header: String

        func sign(_ request: inout HTTPRequest, params: Params) { request.headers[header] = "made up" }
    }

    @Test("a signature in the same header is refused, and one in another header is sent beside the digest")
    func signed() async throws {
        let server = DigestServer()
        let client = client(server)
        client.configure("forum") { $0.signer = HeaderSigner(header: "Authorization") }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").execute(.void).value }
        #expect(error?.kind == .invalidRequest && stubs.requests.isEmpty)
        #expect(error?.message.hasPrefix("signer: ") == true && error?.message.contains(".digest") == true)
        client.configure("forum") { $0.signer = HeaderSigner(header: "X-Signature") }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        #expect(stubs.requests.last?.headers["X-Signature"] == "made up")
    }

    @Test("a preview uses a count of its own, and nothing shows the password or the digest")
    func previewed() async throws {
        let server = DigestServer()
        let client = client(server)
        let request = client.tag("forum").get("/a")
        #expect(try await request.preview().headers["Authorization"] == nil)
        try await request.execute(.void).value
        #expect(try await request.preview().headers["Authorization"]?.contains("nc=00000002") == true)
        try await request.execute(.void).value
        #expect(server.uses == ["n1 00000001", "n1 00000003"])
        var dumped = ""
        dump(client.profile(for: "forum").authentication, to: &dumped)
        let shown = dumped + "\(try await request.preview())" + (try await request.curl()) + request.explain()
        #expect(!shown.contains("made-up") && !shown.contains("response="))
    }

    @Test("responses are cached for the user, and with an empty name no call is sent")
    func cached() async throws {
        let server = DigestServer()
        let client = client(server)
        client.configureDefaults { $0.cache = .memory(limit: 100_000) }
        let request = client.tag("forum").get("/a").cache(.expire(.seconds(60)))
        for _ in 0..<3 { #expect(try await request.value(as: Int.self) == 7) }
        #expect(stubs.requests.count == 2)
        client.configure("forum") { $0.authentication = .digest(user: "", password: "") }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/b").execute(.void).value }
        #expect(error?.kind == .missingCredential)
    }
}
