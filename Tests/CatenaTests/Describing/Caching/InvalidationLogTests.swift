import Foundation
import Testing

@testable import Catena

@Suite("The log of stale responses", .limitedParallelism)
struct InvalidationLogTests {
    private static let origin = "https://h"

    private static func names(_ path: String, _ headers: HTTPHeaders = [:]) throws -> [String] {
        ResponseNames.of(try HTTPAddress(parsing: origin + path), headers)
    }

    private static func log(_ patterns: String...) -> InvalidationLog {
        var log = InvalidationLog()
        log.add(patterns.map { ResponseNames.pattern($0, at: origin) })
        return log
    }

    @Test(
        "a pattern matches paths, whatever their query is",
        arguments: [
            ("/rooms", ["/rooms", "/rooms/", "/rooms?page=2"], ["/", "/rooms/7", "/room", "/Rooms", "/a/rooms"]),
            ("/rooms/*", ["/rooms/7", "/rooms/7?a=1", "/rooms/%2A", "/rooms/a%2Fb"], ["/rooms", "/rooms/7/users"]),
            ("/rooms/**", ["/rooms", "/rooms/7", "/rooms/7/users/3"], ["/", "/roomsearch"]),
            ("/rooms/*/users", ["/rooms/7/users"], ["/rooms/users", "/rooms/7/users/1"]),
            ("/**", ["/", "/a", "/a/b/c"], []), ("**", ["/", "/a/b"], []),
            ("/caf\u{e9}/%7Eann", ["/caf%C3%A9/~ann"], ["/cafe/~ann"]),
            // The value "*" of an interpolation is no pattern.
            ("/rooms/%2A", ["/rooms/*", "/rooms/%2A"], ["/rooms/7"]),
        ] as [(String, [String], [String])])
    func patterns(pattern: String, matching: [String], others: [String]) throws {
        let log = Self.log(pattern)
        for path in matching { #expect(log.makesStale(try Self.names(path), since: 0), "\(path)") }
        for path in others { #expect(!log.makesStale(try Self.names(path), since: 0), "\(path)") }
        #expect(!log.makesStale(ResponseNames.of(try HTTPAddress(parsing: "https://other.example.com" + matching[0]), [:]), since: 0))
    }

    @Test("only responses that were requested before a change are stale")
    func order() throws {
        var log = Self.log("/a")
        #expect(log.makesStale(try Self.names("/a"), since: 0))
        #expect(!log.makesStale(try Self.names("/a"), since: log.number))
        let start = log.number
        log.add([ResponseNames.pattern("/b", at: Self.origin)])
        #expect(!log.makesStale(try Self.names("/a"), since: start))
        #expect(log.makesStale(try Self.names("/b"), since: start))
    }

    @Test("a response without names is stale after any change, and an empty log makes none stale")
    func unnamed() {
        #expect(!InvalidationLog().makesStale(nil, since: 0))
        #expect(Self.log("/a").makesStale(nil, since: 0))
    }

    @Test("a log has a bound, beyond which every response of before is stale")
    func bound() throws {
        var log = InvalidationLog()
        for _ in 0..<3 {
            for number in 0..<InvalidationLog.mostNames { log.add([ResponseNames.pattern("/\(number)", at: Self.origin)]) }
        }
        #expect(!log.makesStale(try Self.names("/a"), since: 0))
        log.add([ResponseNames.pattern("/more", at: Self.origin)])
        #expect(log.makesStale(try Self.names("/a"), since: log.number - 1))
        #expect(!log.makesStale(try Self.names("/more"), since: log.number))
        let size = try JSONEncoder().encode(log).count
        for number in 0..<10_000 { log.add([ResponseNames.pattern("/x/\(number)", at: Self.origin)]) }
        #expect(try JSONEncoder().encode(log).count < size + 10_000)
    }

    @Test(
        "groups are read as strings of a list, and belong to their origin",
        arguments: [
            (#""a", "b";x="c" , "d\"e""#, ["a", "b", "d\"e"]), (#""a,b";q=1"#, ["a,b"]), ("a, b", []), (#""a"#, []), ("", []),
            (#""""#, [""]),
        ] as [(String, [String])])
    func groups(header: String, expected: [String]) throws {
        func groups(_ header: String, _ origin: String) -> [String] {
            ResponseNames.groups(of: "Cache-Groups", in: ["Cache-Groups": header], at: origin)
        }
        #expect(groups(header, Self.origin) == expected.flatMap { groups("\"\($0.replacing("\"", with: "\\\""))\"", Self.origin) })
        #expect(groups(header, Self.origin).count == expected.count)
        if !expected.isEmpty { #expect(groups(header, Self.origin) != groups(header, "https://other.example.com")) }
    }

    @Test("neither a path nor a group nor a host can be read from the names")
    func digests() throws {
        let names = ResponseNames.of(try HTTPAddress(parsing: "https://s3cret/s3cret?s3cret=1"), ["Cache-Groups": "\"s3cret\""])
        #expect(names.count == 2)
        #expect(!"\(names)".contains("s3cret"))
    }

    @Test("a response has at most 128 groups")
    func mostGroups() throws {
        let header = (0..<1000).map { "\"\($0)\"" }.joined(separator: ", ")
        #expect(try Self.names("/a", ["Cache-Groups": header]).count == 129)
    }
}
