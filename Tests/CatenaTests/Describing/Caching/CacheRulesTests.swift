import Foundation
import Testing

@testable import Catena

@Suite("Rules of the cache", .limitedParallelism)
struct CacheRulesTests {
    /// The time of the response: Sun, 06 Nov 1994 08:49:37 GMT.
    private static let received = Date(timeIntervalSince1970: 784_111_777)
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private static func request(_ headers: HTTPHeaders = [:], url: String = "https://h/p", method: HTTPMethod = .get) throws -> HTTPRequest
    {
        HTTPRequest(method: method, address: try HTTPAddress(parsing: url), headers: headers)
    }

    private static func cached(_ headers: HTTPHeaders, to request: HTTPRequest? = nil) throws -> CachedResponse {
        let request = try request ?? self.request()
        let response = HTTPResponse(status: 200, headers: headers, body: Data("body".utf8), address: request.address)
        return CachedResponse(response, to: request, requested: received, received: received)
    }

    private static func word(_ decision: CacheDecision) -> String {
        switch decision {
        case .use: "use"
        case .useAndRefresh: "refresh"
        case .validate: "validate"
        case .fetch: "fetch"
        case .unsatisfiable: "unsatisfiable"
        }
    }

    @Test("the response's headers decide how long it is fresh")
    static func freshnessRows() {
        each(
            [
                // headers, seconds later, decision
                (["Cache-Control": "max-age=60"], 0, "use"), (["Cache-Control": "max-age=60"], 59, "use"),
                (["Cache-Control": "max-age=60"], 60, "fetch"), (["Cache-Control": "max-age=60", "ETag": "\"1\""], 60, "validate"),
                (["Cache-Control": "max-age=60", "Last-Modified": date], 60, "validate"),
                (["Cache-Control": "private, max-age=60"], 30, "use"), (["Cache-Control": "MAX-AGE=60"], 30, "use"),
                (["Cache-Control": "max-age=\"60\""], 30, "use"), (["Cache-Control": "max-age=60, max-age=10"], 30, "fetch"),
                (["Cache-Control": "max-age=10, max-age=60"], 30, "fetch"), (["Cache-Control": "max-age=sixty"], 0, "fetch"),
                (["Cache-Control": "max-age=-1"], 0, "fetch"), (["Cache-Control": "max-age"], 0, "fetch"),
                (["Cache-Control": "max-age=99999999999999999999"], 100_000, "use"),
                // s-maxage is for shared caches only.
                (["Cache-Control": "s-maxage=600"], 1, "fetch"), (["Cache-Control": "s-maxage=0, max-age=60"], 30, "use"),
                (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": date], 59, "use"),
                (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": date], 60, "fetch"),
                (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Cache-Control": "max-age=5"], 6, "fetch"),
                // Forms that no recipient has to read are in the past (RFC 9111 §5.3).
                (["Expires": "Sun 06 Nov 1994 09:50:37 GMT"], 0, "fetch"), (["Expires": "Sun, 06-Nov-1994 09:50:37 GMT"], 0, "fetch"),
                (["Expires": "Sun,  06 Nov 1994 09:50:37 GMT"], 0, "fetch"), (["Expires": "Sun, 06 Nov 94 09:50:37 GMT"], 0, "fetch"),
                (["Expires": "Sun, 06 Nov 1994 9:50:37 GMT"], 0, "fetch"), (["Expires": "Sun, 6 Nov 1994 09:50:37 GMT"], 0, "fetch"),
                (["Expires": "Sun, 06 Nov 1994 09.50.37 GMT"], 0, "fetch"), (["Expires": "Sun, 06 Nov 1994 09:50:37 UTC"], 0, "fetch"),
                (["Expires": "Sun, 06 Nov 1994 09:50:37 GMT, Sun, 06 Nov 1994 09:50:37 GMT"], 0, "fetch"),
                (["Expires": "Sun, 06 Nov 1994 09:50:37 GMT"], 0, "use"), (["Expires": "Sunday, 06-Nov-94 09:50:37 GMT"], 0, "use"),
                (["Expires": "Sun Nov  6 09:50:37 1994"], 0, "use"), (["Expires": "sun, 06 nov 1994 09:50:37 gmt"], 0, "use"),
                (["Expires": "0"], 0, "fetch"), (["Expires": "-1", "ETag": "x"], 0, "validate"),
                // A server's clock that is an hour behind makes the response an hour old. One that is an hour ahead does not matter.
                (["Expires": "Sun, 06 Nov 1994 07:50:37 GMT", "Date": "Sun, 06 Nov 1994 07:49:37 GMT", "Age": "0"], 0, "fetch"),
                (["Expires": "Sun, 06 Nov 1994 09:50:37 GMT", "Date": "Sun, 06 Nov 1994 09:49:37 GMT"], 59, "use"),
                // The response spent time on its way or in another cache.
                (["Cache-Control": "max-age=60", "Age": "50"], 9, "use"), (["Cache-Control": "max-age=60", "Age": "50"], 10, "fetch"),
                (["Cache-Control": "max-age=60", "Age": "x"], 59, "use"), (["Cache-Control": "max-age=60", "Age": "-9"], 60, "fetch"),
                // The first of several values counts, and a value that is not a whole number is ignored.
                (["Cache-Control": "max-age=60", "Age": "50, 3"], 10, "fetch"),
                (["Cache-Control": "max-age=60", "Age": "7200.0"], 9, "use"),
                (["Cache-Control": "max-age=60", "Age": "inf"], 9, "use"), (["Cache-Control": "max-age=60", "Age": "0x2000"], 9, "use"),
                (["Cache-Control": "max-age=60", "Date": "Sun, 06 Nov 1994 08:49:17 GMT"], 39, "use"),
                (["Cache-Control": "max-age=60", "Date": "Sun, 06 Nov 1994 08:49:17 GMT"], 40, "fetch"),
                // The heuristic freshness is a tenth of the time since the last change, here 100 s.
                (["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT", "Date": date], 99, "use"),
                (["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT", "Date": date], 100, "validate"),
                (["Last-Modified": "Mon, 06 Nov 1893 08:32:57 GMT"], 86_399, "use"),
                (["Last-Modified": "Mon, 06 Nov 1893 08:32:57 GMT"], 86_400, "validate"),
                ([:], 0, "fetch"), (["ETag": "\"1\""], 0, "validate"),
                (["Cache-Control": "no-cache, max-age=60", "ETag": "\"1\""], 0, "validate"), (["Cache-Control": "no-cache"], 0, "fetch"),
                (["Cache-Control": "no-cache=\"Set-Cookie, X\", max-age=60"], 0, "fetch"),
                (["Cache-Control": "foo=\"a, no-cache\", max-age=60"], 0, "use"),
                (["Pragma": "no-cache", "Expires": "Sun, 06 Nov 1994 09:50:37 GMT"], 0, "fetch"),
                (["Cache-Control": "max-age=60", "Pragma": "no-cache"], 0, "use"),
                (["Cache-Control": "max-age=60, stale-while-revalidate=30"], 89, "refresh"),
                (["Cache-Control": "max-age=60, stale-while-revalidate=30"], 90, "fetch"),
                (["Cache-Control": "max-age=60, stale-while-revalidate=30, must-revalidate"], 61, "fetch"),
                // The clock was set back.
                (["Cache-Control": "max-age=60", "ETag": "x"], -1, "validate"), (["Cache-Control": "max-age=60"], -100_000_000, "fetch"),
            ] as [(HTTPHeaders, Int, String)]
        ) { try Self().freshness(headers: $0, later: $1, expected: $2) }
    }

    func freshness(headers: HTTPHeaders, later: Int, expected: String) throws {
        let decision = CacheRules(policy: .protocol).decide(try Self.request(), try Self.cached(headers), at: Self.received + Double(later))
        #expect(Self.word(decision) == expected)
    }

    @Test(
        "the request's headers restrict the use of a cached response",
        arguments: [
            ([:], "use"), (["Cache-Control": "no-cache"], "validate"), (["Pragma": "no-cache"], "validate"),
            (["Cache-Control": "no-store"], "fetch"),
            (["Cache-Control": "max-age=30"], "use"), (["Cache-Control": "max-age=29"], "validate"),
            (["Cache-Control": "max-age=0"], "validate"),
            (["Cache-Control": "min-fresh=30"], "use"), (["Cache-Control": "min-fresh=31"], "validate"),
            (["Cache-Control": "max-age=20, max-stale=10"], "use"), (["Cache-Control": "max-age=20, max-stale=5"], "validate"),
            (["Cache-Control": "max-age=20, max-stale"], "use"),
            (["Cache-Control": "only-if-cached"], "use"), (["Cache-Control": "only-if-cached, max-age=1"], "unsatisfiable"),
            // A request with conditions or a range of its own receives the server's response.
            (["If-None-Match": "\"x\""], "fetch"), (["If-Modified-Since": date], "fetch"), (["Range": "bytes=0-1"], "fetch"),
            (["If-Match": "*"], "fetch"),
        ] as [(HTTPHeaders, String)])
    func wishes(headers: HTTPHeaders, expected: String) throws {
        let cached = try Self.cached(["Cache-Control": "max-age=60", "ETag": "\"1\""])
        let decision = CacheRules(policy: .protocol).decide(try Self.request(headers), cached, at: Self.received + 29.5)
        #expect(Self.word(decision) == expected)
    }

    @Test("without a cached response the request is sent, unless it is only-if-cached")
    func empty() throws {
        #expect(CacheRules(policy: .protocol).decide(try Self.request(), nil, at: Self.received) == .fetch)
        #expect(
            CacheRules(policy: .always).decide(try Self.request(["Cache-Control": "only-if-cached"]), nil, at: Self.received)
                == .unsatisfiable)
    }

    @Test(
        "the caller's cache policy beats the server's headers",
        arguments: [
            (CachePolicy.expire(.seconds(10)), 9, "use"), (.expire(.seconds(10)), 10, "validate"), (.expire(.seconds(10)), -1, "validate"),
            (.always, 1_000_000_000, "use"), (.always, -5, "use"), (.never, 0, "fetch"), (.offline, 0, "validate"),
            (.protocol, 0, "validate"),
        ] as [(CachePolicy, Int, String)])
    func policies(policy: CachePolicy, later: Int, expected: String) throws {
        let cached = try Self.cached(["Cache-Control": "no-cache", "ETag": "\"1\""])
        #expect(Self.word(CacheRules(policy: policy).decide(try Self.request(), cached, at: Self.received + Double(later))) == expected)
    }

    @Test("only GET and QUERY are looked up", arguments: [HTTPMethod.post, .head, .put, .delete, .options, "get", "query"])
    func methods(method: HTTPMethod) throws {
        let decision = CacheRules(policy: .always).decide(
            try Self.request(method: method), try Self.cached(["Cache-Control": "max-age=60"]), at: Self.received)
        #expect(Self.word(decision) == (method == .get || method == .query ? "use" : "fetch"))
    }

    @Test("a response is used only for requests with equal values of the headers that Vary names")
    func vary() throws {
        let original = try Self.request(["Accept-Language": "de", "X-Other": "1", "Authorization": "s3cret"])
        let cached = try Self.cached(["Vary": "accept-language , X-Missing, Authorization", "Cache-Control": "max-age=60"], to: original)
        let rules = CacheRules(policy: .protocol)
        func decision(_ headers: HTTPHeaders) throws -> String {
            Self.word(rules.decide(try Self.request(headers), cached, at: Self.received))
        }
        #expect(try decision(["accept-language": "de", "X-Other": "2", "Authorization": "s3cret"]) == "use")
        #expect(try decision(["Accept-Language": "en", "Authorization": "s3cret"]) == "fetch")
        #expect(try decision(["Authorization": "s3cret"]) == "fetch")
        #expect(try decision(["Accept-Language": "de", "X-Missing": "now there", "Authorization": "s3cret"]) == "fetch")
        #expect(try decision(["Accept-Language": "de", "Authorization": "other"]) == "fetch")
        // The stored response does not contain the values of these headers.
        #expect(
            !String(decoding: try CacheFileFormat.encode(cached, for: RequestKey(place: "a", digest: "b")), as: UTF8.self).contains(
                "s3cret"))
    }

    @Test(
        "status, headers and policy decide whether a response may be stored",
        arguments: [
            (200, [:], CachePolicy.protocol, true), (200, ["Cache-Control": "no-store"], .protocol, false),
            (200, ["Cache-Control": "private, no-cache"], .protocol, true), (200, ["Vary": "*"], .protocol, false),
            (200, ["Vary": "Accept, *"], .always, false), (404, [:], .protocol, true), (404, [:], .always, false),
            (500, [:], .protocol, false), (500, ["Cache-Control": "max-age=9"], .protocol, true),
            (206, ["Cache-Control": "max-age=9"], .protocol, false),
            (304, ["Cache-Control": "max-age=9"], .protocol, false), (302, ["Expires": date], .protocol, true),
            (201, [:], .protocol, false),
            (200, ["Cache-Control": "no-store"], .always, true), (200, ["Cache-Control": "no-store"], .expire(.seconds(5)), true),
            (503, ["Cache-Control": "max-age=9"], .expire(.seconds(5)), false), (200, [:], .never, false), (200, [:], .offline, true),
        ] as [(Int, HTTPHeaders, CachePolicy, Bool)])
    func storing(status: Int, headers: HTTPHeaders, policy: CachePolicy, expected: Bool) throws {
        let request = try Self.request()
        let response = HTTPResponse(status: status, headers: headers, address: request.address)
        let rules = CacheRules(policy: policy)
        #expect(rules.mayStore(response, to: request, sentTo: request.address) == expected)
        #expect(!rules.mayStore(response, to: try Self.request(method: .post), sentTo: request.address))
        #expect(!rules.mayStore(response, to: try Self.request(["Cache-Control": "no-store"]), sentTo: request.address))
        var redirected = response
        redirected.address = try HTTPAddress(parsing: "https://h/elsewhere")
        #expect(!rules.mayStore(redirected, to: request, sentTo: request.address))
    }

    @Test(
        "a stale response may replace an error",
        arguments: [
            // Cache-Control of the response, policy, error, seconds later, whether the response is used
            ("max-age=60, stale-if-error=30", CachePolicy.protocol, APIError(.connect), 89, true),
            ("max-age=60, stale-if-error=30", .protocol, APIError(.connect), 90, false),
            ("max-age=60, stale-if-error=30", .protocol, APIError(.status, status: 503), 70, true),
            ("max-age=60, stale-if-error=30", .protocol, APIError(.status, status: 404), 70, false),
            ("max-age=60, stale-if-error=30", .protocol, APIError(.business, code: 7, status: 200), 70, false),
            ("max-age=60, stale-if-error=30", .protocol, APIError(.cancelled), 70, false),
            ("max-age=60, stale-if-error=30, must-revalidate", .protocol, APIError(.connect), 70, false),
            ("max-age=60, stale-if-error=30, no-cache", .protocol, APIError(.connect), 70, false),
            ("max-age=60", .protocol, APIError(.connect), 70, false), ("max-age=60", .offline, APIError(.connect), 1_000_000, true),
            ("max-age=60", .offline, APIError(.offline), -5, true), ("no-cache", .offline, APIError(.timeout), 70, true),
            ("max-age=60", .offline, APIError(.status, status: 503), 70, false),
            ("max-age=60", .expire(.seconds(1)).orOffline, APIError(.dns), 70, true),
            ("max-age=60", .never.orOffline, APIError(.connect), 0, false),
        ] as [(String, CachePolicy, APIError, Int, Bool)])
    func failures(control: String, policy: CachePolicy, error: APIError, later: Int, expected: Bool) throws {
        let cached = try Self.cached(["Cache-Control": control])
        let rules = CacheRules(policy: policy)
        let now = Self.received + Double(later)
        #expect(rules.mayReplace(error, with: cached, for: try Self.request(), at: now) == expected)
        #expect(!rules.mayReplace(error, with: cached, for: try Self.request(["Cache-Control": "no-store"]), at: now))
    }

    @Test("a conditional request has the ETag and Last-Modified of the stored response")
    func validation() throws {
        let cached = try Self.cached(["ETag": "W/\"1\"", "Last-Modified": Self.date])
        let request = try Self.request(["X": "1"])
        #expect(cached.validation(of: request)?.headers == ["X": "1", "If-None-Match": "W/\"1\"", "If-Modified-Since": Self.date])
        #expect(try Self.cached([:]).validation(of: request) == nil)
    }

    @Test("a 304 also updates content headers, except those of the stored body's length, encoding, range and type")
    func freshensContentHeaders() throws {
        let request = try Self.request()
        let kept: HTTPHeaders = [
            "ETag": "1", "Content-Type": "a/b", "Content-Length": "4", "Content-Encoding": "gzip", "Content-Range": "bytes 0-3/4",
            "Content-Language": "en",
        ]
        let answer = HTTPResponse(
            status: 304,
            headers: [
                "ETag": "1", "Content-Type": "c/d", "Content-Length": "9", "Content-Encoding": "br", "Content-Range": "x",
                "Content-Language": "zh", "Content-Security-Policy": "p",
            ], address: request.address)
        let updated = try #require(
            try Self.cached(kept).updated(by: answer, to: request, requested: Self.received, received: Self.received))
        #expect(
            updated.head.headers == [
                "ETag": "1", "Content-Type": "a/b", "Content-Length": "4", "Content-Encoding": "gzip", "Content-Range": "bytes 0-3/4",
                "Content-Language": "zh", "Content-Security-Policy": "p",
            ])
    }

    @Test("a 304 updates the headers and keeps the body, unless it is about another response")
    func notModified() throws {
        let request = try Self.request()
        let cached = try Self.cached(["ETag": "\"1\"", "Cache-Control": "max-age=1", "Content-Type": "a/b", "X-Old": "kept"])
        let later = Self.received + 100
        var answer = HTTPResponse(
            status: 304,
            headers: ["ETag": "W/\"1\"", "Cache-Control": "max-age=50", "Content-Type": "c/d", "Content-Length": "0", "Set-Cookie": "a=1"],
            address: request.address)
        let updated = try #require(cached.updated(by: answer, to: request, requested: later, received: later))
        #expect(
            updated.head.headers == [
                "ETag": "W/\"1\"", "Cache-Control": "max-age=50", "Content-Type": "a/b", "X-Old": "kept",
            ])
        #expect(updated.body == Data("body".utf8))
        #expect(Self.word(CacheRules(policy: .protocol).decide(request, updated, at: later + 49)) == "use")
        answer.headers["ETag"] = "\"2\""
        #expect(cached.updated(by: answer, to: request, requested: later, received: later) == nil)
    }

    @Test(
        "after a 304 the age of a response follows from the headers of the 304 alone",
        arguments: [
            // headers of the 304, seconds after it, decision, age
            (["Date": "Sun, 06 Nov 1994 08:49:47 GMT"], 59, "use", "59"), (["Date": "Sun, 06 Nov 1994 08:49:47 GMT"], 60, "validate", "60"),
            ([:], 59, "use", "59"), ([:], 60, "validate", "60"), (["Date": "Sun, 06 Nov 1994 08:49:27 GMT"], 39, "use", "59"),
            (["Age": "50"], 9, "use", "59"), (["Age": "50"], 10, "validate", "60"),
        ] as [(HTTPHeaders, Int, String, String)])
    func ageAfterConfirmation(headers: HTTPHeaders, later: Int, expected: String, age: String) throws {
        let request = try Self.request()
        let cached = try Self.cached(["ETag": "\"1\"", "Cache-Control": "max-age=60", "Age": "55", "Date": Self.date])
        let confirmed = Self.received + 10
        let answer = HTTPResponse(status: 304, headers: headers, address: request.address)
        let updated = try #require(cached.updated(by: answer, to: request, requested: confirmed, received: confirmed))
        let now = confirmed + Double(later)
        #expect(Self.word(CacheRules(policy: .protocol).decide(request, updated, at: now)) == expected)
        #expect(updated.response(to: request, at: now).headers["Age"] == age)
    }

    @Test("a cached value of any age is used within the limits of the request, whatever the policy")
    static func anyAgeRows() {
        each(
            [.protocol, .expire(.seconds(60)), .expire(.seconds(1)), .always, .offline] as [CachePolicy],
            [
                ([:], "use"), (["Cache-Control": "max-age=31"], "use"), (["Cache-Control": "max-age=30"], "validate"),
                (["Cache-Control": "max-age=0"], "validate"), (["Cache-Control": "min-fresh=29"], "use"),
                (["Cache-Control": "min-fresh=30"], "validate"), (["Cache-Control": "max-age=31, min-fresh=30"], "validate"),
                (["Cache-Control": "only-if-cached, max-age=30"], "unsatisfiable"),
            ] as [(headers: HTTPHeaders, expected: String)]
        ) { try Self().anyAge(policy: $0, wish: $1) }
    }

    func anyAge(policy: CachePolicy, wish: (headers: HTTPHeaders, expected: String)) throws {
        let cached = try Self.cached(["Cache-Control": "max-age=60", "ETag": "\"1\""])
        let decision = CacheRules(policy: policy).decide(try Self.request(wish.headers), cached, for: .anyAge, at: Self.received + 30)
        #expect(Self.word(decision) == wish.expected)
    }

    @Test("a reused response has its age, and no headers of a connection, a proxy or a session")
    func used() throws {
        let request = try Self.request()
        let cached = try Self.cached(
            [
                "Age": "5", "Set-Cookie": "a=1", "Connection": "close, X-Hop", "X-Hop": "1", "Transfer-Encoding": "chunked", "X": "1",
                "Proxy-Authenticate": "Basic", "Proxy-Authentication-Info": "a", "Proxy-Authorization": "Basic made-up",
            ])
        let response = cached.response(to: request, at: Self.received + 10)
        #expect(response.headers == ["Age": "15", "X": "1"])
        #expect(response.status == 200)
        #expect(response.body == Data("body".utf8))
        #expect(cached.response(to: request, at: .distantPast).headers["Age"] == "0")
    }

    @Test("a successful unsafe request invalidates the responses of its address")
    func invalidation() throws {
        let request = try Self.request(url: "https://h/rooms/7", method: .delete)
        func addresses(_ status: Int, _ headers: HTTPHeaders = [:], _ method: HTTPMethod = .delete) -> [String] {
            var changed = request
            changed.method = method
            return CacheRules.invalidated(by: HTTPResponse(status: status, headers: headers, address: request.address), to: changed).map(
                \.text)
        }
        #expect(addresses(200) == ["https://h/rooms/7"])
        #expect(addresses(302, [:], "PURGE") == ["https://h/rooms/7"])
        #expect(
            addresses(201, ["Location": "/rooms/8", "Content-Location": "https://h/rooms"], .post) == [
                "https://h/rooms/7", "https://h/rooms/8", "https://h/rooms",
            ])
        #expect(addresses(201, ["Location": "https://evil/rooms"], .post) == ["https://h/rooms/7"])
        #expect(addresses(404) == [])
        #expect(addresses(500) == [])
        for method in [HTTPMethod.get, .head, .options, .trace, .query] { #expect(addresses(200, [:], method) == []) }
    }
}
