import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Ready-made authenticators", .limitedParallelism)
struct AuthenticatorTests {
    private static func request(_ url: String = "https://h/p") throws -> HTTPRequest {
        HTTPRequest(method: .get, address: try HTTPAddress(parsing: url), headers: ["Authorization": "old"])
    }

    @Test("a bearer token replaces the Authorization header")
    func bearer() throws {
        var request = try Self.request()
        BearerAuthenticator().apply(BearerToken(accessToken: "t0"), to: &request)
        #expect(request.headers.values(for: "authorization") == ["Bearer t0"])
    }

    @Test("name and password are sent in the Authorization header, in UTF-8")
    func basic() throws {
        var request = try Self.request()
        try BasicAuthenticator().apply(BasicCredential(user: "test", password: "123£:x"), to: &request)
        #expect(request.headers["Authorization"] == "Basic dGVzdDoxMjPCozp4")
        let error = #expect(throws: APIError.self) {
            try BasicAuthenticator().apply(BasicCredential(user: "a:b", password: "s3cret"), to: &request)
        }
        #expect(error?.message == "authentication: the user's name contains a colon")
        // The accent and the colon form one character.
        #expect(throws: APIError.self) {
            try BasicAuthenticator().apply(BasicCredential(user: "a:\u{301}b", password: "s3cret"), to: &request)
        }
    }

    @Test("id and ticket are sent in two headers")
    func headerPair() async throws {
        var request = try Self.request()
        let pair = HeaderPairAuthenticator(user: "pub_uid", ticket: "pub_ticket")
        let authentication = Authentication(pair)
        let context = AuthenticationContext(clock: SystemClock.shared)
        _ = try await authentication.authenticateAfterWait(&request, context)
        #expect(request.headers["pub_uid"] == nil)
        #expect(request.headers["pub_ticket"] == nil)
        try authentication.signIn(HeaderCredential(user: "7", ticket: "t"))
        let pass = try await authentication.authenticateAfterWait(&request, context)
        #expect(request.headers["pub_uid"] == "7")
        #expect(request.headers["pub_ticket"] == "t")
        #expect(pass.identity == "7")
    }

    @Test(
        "a token in the query is encoded and replaces values of the same name",
        arguments: [
            ("https://h/p", "https://h/p?access_token=a%2Bb%26"),
            ("https://h/p?x=1", "https://h/p?x=1&access_token=a%2Bb%26"),
            ("https://h/p?access_token=old&x=1&access%5Ftoken=older", "https://h/p?x=1&access_token=a%2Bb%26"),
        ])
    func query(url: String, expected: String) throws {
        var request = try Self.request(url)
        QueryAuthenticator("access_token").apply(BearerToken(accessToken: "a+b&"), to: &request)
        #expect(request.address.text == expected)
    }

    @Test("a token with a forbidden character is refused and not shown", arguments: ["a\r\nX-Evil: 1", "a\nb", "a\u{0}b", "é"])
    func injection(token: String) async throws {
        var request = try Self.request()
        let authentication = Authentication(BearerAuthenticator(), store: MemoryCredentialStore(BearerToken(accessToken: token)))
        let error = await #expect(throws: APIError.self) {
            try await authentication.authenticateAfterWait(&request, AuthenticationContext(clock: SystemClock.shared))
        }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.hasPrefix("authentication: \"Authorization\": ") == true)
        #expect(error?.message.contains(token) == false)
    }

    @Test(
        "a token is refreshed ahead of its expiry",
        arguments: [(nil, false), (31, false), (30, true), (0, true), (-5, true)] as [(Double?, Bool)])
    func expiry(left: Double?, expected: Bool) {
        let now = Date(timeIntervalSince1970: 1_000_000)
        var bearer = BearerAuthenticator()
        bearer.now = { now }
        var query = QueryAuthenticator("access_token")
        query.now = { now }
        var header = HeaderAuthenticator("X-Access-Token")
        header.now = { now }
        let token = BearerToken(accessToken: "t", expiry: left.map { now + $0 })
        #expect(bearer.needsRefresh(token) == expected)
        #expect(query.needsRefresh(token) == expected)
        #expect(header.needsRefresh(token) == expected)
    }

    @Test("an expired token in a header or query is refreshed before the call is sent")
    func expired() async throws {
        let renew: @Sendable (BearerToken) async throws -> BearerToken = { _ in BearerToken(accessToken: "new", user: "7") }
        let sent = [
            try await request(BearerAuthenticator(refresh: renew)).headers["Authorization"],
            try await request(QueryAuthenticator("access_token", refresh: renew)).address.query,
            try await request(HeaderAuthenticator("X-Access-Token", refresh: renew)).headers["X-Access-Token"],
        ]
        #expect(sent == ["Bearer new", "access_token=new", "new"])
    }

    @Test("each authenticator keeps the former refresh token and user if the new token has none")
    func completed() async throws {
        let former = BearerToken(accessToken: "old", refreshToken: "made-up", user: "7")
        let renew: @Sendable (BearerToken) async throws -> BearerToken = { _ in BearerToken(accessToken: "new") }
        let refreshed = [
            try await BearerAuthenticator(refresh: renew).refresh(former),
            try await QueryAuthenticator("access_token", refresh: renew).refresh(former),
            try await HeaderAuthenticator("X-Access-Token", refresh: renew).refresh(former),
        ]
        for token in refreshed { #expect(token == BearerToken(accessToken: "new", refreshToken: "made-up", user: "7")) }
    }

    /// Returns the only request of a call whose credential has expired.
    private func request(_ scheme: some Authenticator<BearerToken>) async throws -> HTTPRequest {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let authentication = Authentication(scheme)
        try authentication.signIn(BearerToken(accessToken: "old", expiry: Date(timeIntervalSince1970: 0), user: "7"))
        client.configure("forum") {
            $0.host = "https://forum.test"
            $0.authentication = authentication
        }
        stubs.get("/a").reply(data: 1)
        try await client.tag("forum").get("/a").execute(.void).value
        return try #require(stubs.requests.count == 1 ? stubs.requests.first?.sent : nil)
    }

    @Test("an authenticator without a refresh closure cannot refresh")
    func canRefresh() async throws {
        #expect(!BearerAuthenticator().canRefresh)
        #expect(!QueryAuthenticator("t").canRefresh)
        #expect(!HeaderPairAuthenticator(user: "u", ticket: "t").canRefresh)
        #expect(!BasicAuthenticator().canRefresh)
        let bearer = BearerAuthenticator { BearerToken(accessToken: ($0.refreshToken ?? "") + "1") }
        #expect(bearer.canRefresh)
        #expect(try await bearer.refresh(BearerToken(accessToken: "x", refreshToken: "r")).accessToken == "r1")
    }

    @Test("identities distinguish users and do not contain the token")
    func identities() {
        let bearer = BearerAuthenticator()
        let token = BearerToken(accessToken: "s3cret")
        #expect(bearer.identity(of: token) != bearer.identity(of: BearerToken(accessToken: "other")))
        #expect(!bearer.identity(of: token).contains("s3cret"))
        #expect(bearer.identity(of: BearerToken(accessToken: "x", user: "7")) == "7")
        #expect(BasicAuthenticator().identity(of: BasicCredential(user: "u", password: "p")) == "u")
    }

    @Test("print and dump do not show the secret of a credential")
    func secrecy() {
        let values: [any Sendable] = [
            BearerToken(accessToken: "s3cret", refreshToken: "s3cret"), HeaderCredential(user: "7", ticket: "s3cret"),
            BasicCredential(user: "u", password: "s3cret"),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped, "\([value])", String(describing: Optional(value))] {
                #expect(!text.contains("s3cret"))
                #expect(!text.isEmpty)
            }
        }
    }
}
