import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct RangeVerdictTests {
    @Test(
        "a Content-Range is parsed",
        arguments: [
            ("bytes 0-99/200", 0, 99, 200), ("bytes 5-5/6", 5, 5, 6), ("BYTES 0-1/2", 0, 1, 2), ("bytes 0-99/*", 0, 99, nil),
            ("bytes */200", nil, nil, 200),
        ] as [(String, Int64?, Int64?, Int64?)])
    func contentRange(text: String, start: Int64?, end: Int64?, total: Int64?) {
        let range = ContentRange(text)
        #expect(range != nil)
        #expect(range?.start == start && range?.end == end && range?.total == total)
    }

    @Test(
        "a malformed Content-Range is refused",
        arguments: [
            "", "bytes", "bytes ", "bytes 0-99", "bytes 0/200", "bytes 99-0/200", "bytes 0-200/200", "bytes -1-5/200", "bytes a-b/c",
            "items 0-99/200", "bytes 0-99/200/300", "bytes 0-99/-200", "bytes 0-99999999999999999999/*", "bytes 0-9/", "bytes +0-9/10",
        ])
    func noContentRange(text: String) {
        #expect(ContentRange(text) == nil)
    }

    static let record: PartialRecord = PartialRecord(identity: "", validator: "\"1\"", total: 200)

    @Test(
        "the response to a request for the rest is the whole file, the rest, or a mismatch",
        arguments: [
            (200, [:], .whole), (203, [:], .whole),
            (206, ["Content-Range": "bytes 100-199/200"], .rest(end: 199, total: 200)),
            (206, ["Content-Range": "bytes 100-149/200", "ETag": "\"1\""], .rest(end: 149, total: 200)),
            (206, ["Content-Range": "bytes 100-199/*"], .rest(end: 199, total: 200)),
            (206, ["Content-Range": "bytes 100-199/200", "ETag": "\"2\""], .mismatch),
            (206, ["Content-Range": "bytes 100-199/200", "Content-Encoding": "gzip"], .mismatch),
            (206, ["Content-Range": "bytes 99-199/200"], .mismatch), (206, ["Content-Range": "bytes 100-200/201"], .mismatch),
            (206, [:], .mismatch), (206, ["Content-Type": "multipart/byteranges; boundary=x"], .mismatch),
            (416, ["Content-Range": "bytes */100"], .mismatch), (416, ["Content-Range": "bytes */200"], .mismatch),
            (416, ["Content-Range": "bytes */99"], .mismatch), (416, [:], .mismatch),
        ] as [(Int, HTTPHeaders, RangeVerdict)])
    func meaning(status: Int, headers: HTTPHeaders, verdict: RangeVerdict) throws {
        let response = HTTPResponse(status: status, headers: headers, address: try HTTPAddress(parsing: "https://h/"))
        #expect(RangeVerdict(response, offset: 100, record: Self.record) == verdict)
    }

    @Test(
        "bytes of different versions of a file are never combined",
        arguments: [
            ("\"1\"", [:], true), ("\"1\"", ["ETag": "\"1\""], true), ("\"1\"", ["ETag": "\"2\""], false),
            ("\"1\"", ["ETag": "\"1\"", "Last-Modified": early], true), ("\"1\"", ["ETag": "\"1\"", "Last-Modified": today], false),
            ("\"1\"", ["Last-Modified": today], false), (nil, ["Last-Modified": early], true), (nil, ["Last-Modified": today], false),
            (nil, ["ETag": "\"2\""], true),
        ] as [(String?, HTTPHeaders, Bool)])
    func versions(tag: String?, headers: HTTPHeaders, isSame: Bool) throws {
        let address = try HTTPAddress(parsing: "https://h/")
        var first: HTTPHeaders = ["Last-Modified": Self.early, "Date": Self.today, "Content-Length": "200"]
        first["ETag"] = tag
        let record = try #require(PartialRecord(of: HTTPResponse(status: 200, headers: first, address: address), identity: ""))
        var rest = headers
        rest["Content-Range"] = "bytes 100-199/200"
        let verdict = RangeVerdict(HTTPResponse(status: 206, headers: rest, address: address), offset: 100, record: record)
        #expect(verdict == (isSame ? .rest(end: 199, total: 200) : .mismatch))
        // A part file that is already complete has no rest.
        rest["Content-Range"] = "bytes */200"
        let refusal = RangeVerdict(HTTPResponse(status: 416, headers: rest, address: address), offset: 200, record: record)
        #expect(refusal == (isSame ? .complete : .mismatch))
    }

    static let early: String = "Sun, 06 Nov 1994 08:00:00 GMT"
    static let today: String = "Sun, 06 Nov 1994 08:50:37 GMT"

    @Test(
        "a download can be resumed only with a strong validator and without a content coding",
        arguments: [
            (200, ["ETag": "\"1\""], "\"1\""), (200, ["ETag": "W/\"1\""], nil), (200, ["ETag": "1"], nil), (200, [:], nil),
            (200, ["ETag": "W/\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:00:00 GMT", "Date": today], nil),
            (200, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": today], "Sun, 06 Nov 1994 08:49:37 GMT"),
            (200, ["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT", "Date": today], nil),
            (200, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], nil), (200, ["ETag": "\"1\"", "Accept-Ranges": "none"], nil),
            (200, ["ETag": "\"1\"", "Content-Encoding": "gzip"], nil), (200, ["ETag": "\"1\"", "Content-Encoding": "identity"], "\"1\""),
            (206, ["ETag": "\"1\""], nil), (203, ["ETag": "\"1\""], nil),
        ] as [(Int, HTTPHeaders, String?)])
    func resumable(status: Int, headers: HTTPHeaders, validator: String?) throws {
        let response = HTTPResponse(status: status, headers: headers, address: try HTTPAddress(parsing: "https://h/"))
        #expect(PartialRecord(of: response, identity: "")?.validator == validator)
    }
}
