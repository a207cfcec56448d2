import Foundation
import Testing

@testable import Catena

@Suite("The wait that a server requests", .limitedParallelism)
struct ServerWaitTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    @Test("seconds, dates and rate limits are parsed")
    static func formsRows() {
        each(
            [
                (["Retry-After": "120"], 120_000), (["Retry-After": "0"], 0), (["Retry-After": " 7 "], 7000),
                (["Retry-After": "1.5"], 1500),
                (["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"], 60_000), (["Retry-After": "Sunday, 06-Nov-94 08:50:37 GMT"], 60_000),
                (["Retry-After": "Sun Nov  6 08:50:37 1994"], 60_000), (["Retry-After": "Sun, 06 Nov 1994 08:49:00 GMT"], 0),
                // The server's clock is an hour ahead, and the wait is five seconds nevertheless.
                (["Retry-After": "Sun, 06 Nov 1994 09:49:42 GMT", "Date": "Sun, 06 Nov 1994 09:49:37 GMT"], 5000),
                (["Retry-After": "soon", "RateLimit-Reset": "9"], 9000), (["Retry-After": "3", "RateLimit-Reset": "9"], 3000),
                (["RateLimit": "\"default\";r=0;t=30"], 30_000), (["RateLimit": "\"a\";r=5;t=3, \"b\";r=0;t=40"], 40_000),
                (["RateLimit": "\"a\";r=5;t=30"], nil), (["RateLimit": "\"a,t=9\";r=0", "RateLimit-Policy": "\"a,t=9\";q=1;w=60"], 60_000),
                (["RateLimit": "\"a\";r=5;t=30", "X-RateLimit-Reset": "12"], 12_000),
                (["RateLimit-Remaining": "0", "RateLimit-Reset": "9"], 9000), (["RateLimit-Remaining": "4", "RateLimit-Reset": "9"], nil),
                (["X-RateLimit-Remaining": "4", "X-RateLimit-Reset": "9"], nil),
                (["RateLimit": "limit=10, remaining=0, reset=50"], 50_000), (["RateLimit": "\"default\";r=0"], nil),
                (["X-RateLimit-Reset": "12"], 12_000), (["X-Rate-Limit-Reset": "13"], 13_000), (["X-RateLimit-Retry-After": "14"], 14_000),
                (["X-RateLimit-Reset": "1784111777"], 1_000_000_000_000), (["X-RateLimit-Reset": "1000000000"], 215_888_223_000),
                (["X-RateLimit-Reset": "1000000000500"], 215_888_223_500),
                ([:], nil), (["Retry-After": ""], nil), (["Retry-After": "-5"], nil), (["Retry-After": "+5"], nil),
                (["Retry-After": "1e3"], nil),
                // Forms beside those of the RFC.
                (["Retry-After": "7s"], 7000), (["Retry-After": "1m0s"], 60_000), (["Retry-After": "1h2m3.5s"], 3_723_500),
                (["Retry-After": "500ms"], 500), (["Retry-After": "7S"], 7000), (["Retry-After": "7, 9"], 9000),
                (["Retry-After": "9, 7s"], 9000), (["Retry-After": "7, soon"], 7000),
                (["Retry-After": "Sun, 06 Nov 1994 08:50:37 UTC"], 60_000), (["Retry-After": "Sun, 06 Nov 1994 08:50:37 +0000"], 60_000),
                (["Retry-After": "Sun, 06 Nov 1994 10:50:37 +0200"], 60_000), (["Retry-After": "Sun, 06 Nov 1994 03:50:37 -05:00"], 60_000),
                (["Retry-After": "1994-11-06T08:50:37Z"], 60_000), (["Retry-After": "1994-11-06T09:50:37.000+01:00"], 60_000),
                (["Retry-After": "1994-11-06 08:50:37"], 60_000), (["Retry-After": "1994-11-06"], 0),
                (["Retry-After": "1994"], 1_994_000), (["Retry-After": "1994-"], nil), (["Retry-After": "7x"], nil),
                (["Retry-After": "s"], nil), (["Retry-After": "-7s"], nil), (["Retry-After": "1.2.3s"], nil),
                (["Retry-After": "7 s"], 7000),
                (["Retry-After": "Sun, 06 Nov 1994 08:50:37 +9900"], nil), (["Retry-After": "Sun, 06 Nov 1994 08:50:37 PST"], nil),
                (["Retry-After": "9999999h"], 35_999_996_400_000),
                (["Retry-After": String(repeating: "1s", count: 30)], nil),
                (["retry-after-ms": "1500"], 1500), (["retry-after-ms": "250", "Retry-After": "1"], 250), (["retry-after-ms": "-1"], nil),
                (["retry-after-ms": "soon", "Retry-After": "3"], 3000), (["x-ms-retry-after-ms": "40"], 40),
                (["X-RateLimit-Reset-After": "1.5"], 1500), (["X-RateLimit-Reset": "6m0s"], 360_000),
                (["x-ratelimit-reset-requests": "7s"], 7000), (["x-ratelimit-reset-tokens": "6m0s"], 360_000),
                (["x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "250ms"], 1000),
                (["x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "9s", "x-ratelimit-reset-tokens": "2s"], 2000),
                (["x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "9s"], nil),
                (["Retry-After": "inf"], nil),
                (["Retry-After": "nan"], nil), (["Retry-After": "0x10"], nil), (["Retry-After": "1.2.3"], nil),
                (["Retry-After": "99999999999999999999"], 1_000_000_000_000_000_000), (["Retry-After": "999999999999999999999"], nil),
            ] as [(HTTPHeaders, Int?)]
        ) { Self().forms(headers: $0, milliseconds: $1) }
    }

    func forms(headers: HTTPHeaders, milliseconds: Int?) {
        #expect(ServerWait.read(headers, status: 429, now: Self.now) == milliseconds.map { .milliseconds($0) })
    }

    @Test(
        "a rate limit causes a wait only with the statuses 429 and 503", arguments: [(429, true), (503, true), (500, false), (200, false)])
    func statuses(status: Int, expected: Bool) {
        #expect((ServerWait.read(["RateLimit-Reset": "9"], status: status, now: Self.now) != nil) == expected)
        #expect(ServerWait.read(["Retry-After": "9"], status: status, now: Self.now) == .seconds(9))
    }

    @Test("of two lines of Retry-After, each of which may be a date, the longer wait applies")
    func twoWaits() {
        var headers: HTTPHeaders = ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"]
        headers.add("Sun, 06 Nov 1994 08:49:57 GMT", for: "Retry-After")
        #expect(ServerWait.read(headers, status: 200, now: Self.now) == .seconds(20))
    }

    @Test("two lines of a field are read as one list")
    func lines() {
        var headers: HTTPHeaders = ["RateLimit": "\"a\";r=0;t=30"]
        headers.add("\"b\";r=0;t=60", for: "RateLimit")
        #expect(ServerWait.read(headers, status: 429, now: Self.now) == .seconds(60))
    }

    @Test(
        "a 403 is a rate limit only if no request is left and the reset is known",
        arguments: [
            (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1784111777"], 1_000_000_000),
            (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111807"], 784_111_807),
            (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"], 30),
            (["x-ratelimit-remaining": " 0 ", "x-ratelimit-reset": "30", "Retry-After": "7"], 7),
            (["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "30"], nil), (["X-RateLimit-Reset": "30"], nil),
            (["X-RateLimit-Remaining": "0"], nil), (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon"], nil),
            (["X-RateLimit-Remaining": "none", "X-RateLimit-Reset": "30"], nil), (["RateLimit": "\"a\";r=0;t=30"], nil), ([:], nil),
        ] as [(HTTPHeaders, Int?)])
    func forbidden(headers: HTTPHeaders, seconds: Int?) {
        #expect(ServerWait.read(headers, status: 403, now: Self.now) == seconds.map { .seconds($0) })
        let isUsedUp = headers["X-RateLimit-Remaining"] != nil && seconds != nil
        #expect(headers.sayUsedUp(status: 403) == isUsedUp)
        #expect(!headers.sayUsedUp(status: 404))
    }
}
