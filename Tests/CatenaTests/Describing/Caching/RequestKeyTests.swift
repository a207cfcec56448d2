import Foundation
import Testing

@testable import Catena

@Suite("Request keys", .limitedParallelism)
struct RequestKeyTests {
    private static func key(
        _ url: String = "https://h/p?a=1", _ headers: HTTPHeaders = [:], method: HTTPMethod = .get, body: String? = nil,
        tag: Catena.Tag? = "t",
        identity: String? = "u", sharing: Bool = false
    ) throws -> RequestKey {
        let request = HTTPRequest(
            method: method, address: try HTTPAddress(parsing: url), headers: headers, body: body.map { Data($0.utf8) })
        let rules = RequestKeyRules()
        return sharing
            ? .sharing(request, tag: tag, identity: identity, rules: rules) : .caching(request, tag: tag, identity: identity, rules: rules)
    }

    @Test("volatile fields, fragments, default ports and the order of headers do not change the key", arguments: [true, false])
    func same(sharing: Bool) throws {
        let key = try Self.key(sharing: sharing)
        for url in [
            "https://h/p?a=1&timestamp=5", "https://h/p?nonce=x&a=1&signature=y", "https://h/p?%73ignature=1&a=1", "https://H:443/p?a=1#f",
        ] {
            #expect(try Self.key(url, sharing: sharing) == key)
        }
        #expect(try Self.key("https://h/p?signature=1") == Self.key("https://h/p"))
        #expect(
            try Self.key(["Accept": "a", "Accept-Language": "b"], sharing) == Self.key(["accept-language": "b", "accept": "a"], sharing))
        #expect(try Self.key(["Traceparent": "1", "Date": "x"], sharing) == key)
    }

    @Test("volatile headers are named in any case")
    func anyCase() {
        var rules = RequestKeyRules()
        rules.volatileHeaders.insert("X-Attempt")
        #expect(rules.volatileHeaders.contains("x-attempt") && !rules.volatileHeaders.contains("X-Attempt"))
        rules.volatileHeaders = ["X-A", "x-a"]
        #expect(rules.volatileHeaders == ["x-a"])
    }

    @Test("every difference of bodies changes the key, also the order of JSON members", arguments: [true, false])
    func bodies(sharing: Bool) throws {
        func key(_ body: String, _ type: String = "application/json") throws -> RequestKey {
            try Self.key("https://h/p", ["Content-Type": type], method: .query, body: body, sharing: sharing)
        }
        #expect(try key(#"{"a":1,"b":[2]}"#) == key(#"{"a":1,"b":[2]}"#))
        #expect(try key(#"{"a":1,"b":[2]}"#) != key(#"{"b":[2],"a":1}"#))
        #expect(try key(#"{"a":1,"b":[2]}"#) != key(#"{"a":1,"b":[3]}"#))
        #expect(try key(#"{"a":1}"#) != key(#"{"a":1}"#, "application/merge-patch+json"))
        #expect(try key("a", "text/plain") != key("b", "text/plain"))
    }

    private static func key(_ headers: HTTPHeaders, _ sharing: Bool) throws -> RequestKey {
        try key("https://h/p?a=1", headers, sharing: sharing)
    }

    @Test("every other difference of two requests changes the key", arguments: [true, false])
    func different(sharing: Bool) throws {
        let keys = [
            try Self.key(sharing: sharing), try Self.key("https://h/p?a=2", sharing: sharing),
            try Self.key("https://h/p", sharing: sharing),
            try Self.key("https://h/p?a=1&b=2", sharing: sharing), try Self.key("https://h/p?b=2&a=1", sharing: sharing),
            try Self.key("http://h/p?a=1", sharing: sharing), try Self.key("https://h:8/p?a=1", sharing: sharing),
            try Self.key("https://h/p/?a=1", sharing: sharing), try Self.key(method: .head, sharing: sharing),
            try Self.key(body: "", sharing: sharing), try Self.key(body: "x", sharing: sharing), try Self.key(tag: nil, sharing: sharing),
            try Self.key(tag: "other", sharing: sharing), try Self.key(identity: nil, sharing: sharing),
            try Self.key(identity: "other", sharing: sharing), try Self.key(identity: "", sharing: sharing),
            try Self.key(tag: "tu", identity: "", sharing: sharing), try Self.key(["Accept": "x"], sharing),
            try Self.key(["Accept-Language": "x"], sharing),
            try Self.key(HTTPHeaders([.init(name: "Accept", value: "x"), .init(name: "Accept", value: "y")]), sharing),
        ]
        #expect(Set(keys.map(\.digest)).count == keys.count)
    }

    @Test("calls share a request in progress only if all their headers are equal")
    func sharing() throws {
        #expect(try Self.key(["X-Room": "1"], true) != Self.key(["X-Room": "2"], true))
        #expect(try Self.key(["Authorization": "1"], true) != Self.key(["Authorization": "2"], true))
    }

    @Test("a cached response's key includes headers that may name the user", arguments: ["X-Room", "Authorization", "X-User", "Cookie"])
    func users(name: String) throws {
        #expect(try Self.key([name: "1"], false) != Self.key([name: "2"], false))
    }

    @Test("headers for the cache itself do not change the key")
    func cacheControl() throws {
        #expect(try Self.key(["Cache-Control": "no-cache", "Pragma": "no-cache"], false) == Self.key(false))
    }

    private static func key(_ sharing: Bool) throws -> RequestKey { try key([:], sharing) }

    @Test("an address has one place for all users, and a key reveals neither address nor headers")
    func places() throws {
        #expect(try Self.key(identity: "a").place == Self.key(["Accept": "x"], true).place)
        #expect(try Self.key("https://h/p?a=1").place != Self.key("https://h/p?a=2").place)
        let key = try Self.key("https://h/s3cret?s3cret=1", ["Accept": "s3cret"], identity: "s3cret")
        #expect(!"\(key)".contains("s3cret"))
        #expect(key.digest.utf8.count == 64 && key.place.utf8.count == 64)
    }
}
