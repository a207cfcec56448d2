import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A reader of external text or bytes, with an input of any length.
struct Growth: Sendable, CustomTestStringConvertible {
    let name: String
    /// Reads an input that repeats a piece the given number of times.
    let read: @Sendable (Int) throws -> Void

    var testDescription: String { name }

    private static func text(_ name: String, _ piece: String, _ start: String = "", _ read: @escaping @Sendable (String) throws -> Void)
        -> Growth
    {
        Growth(name: name) { count in try read(start + String(repeating: piece, count: count)) }
    }

    private static func bytes(_ name: String, _ piece: String, _ start: String = "", _ read: @escaping @Sendable ([UInt8]) throws -> Void)
        -> Growth
    {
        Growth(name: name) { count in try read(Array((start + String(repeating: piece, count: count)).utf8)) }
    }

    static let all: [Growth] = [
        text("path template, opened", "{") { _ = try? PathTemplate.fill($0, style: ParameterStyle()) { _ in .string("a") } },
        text("path template, letters behind one brace", "a", "{") {
            _ = try? PathTemplate.fill($0, style: ParameterStyle()) { _ in .string("a") }
        },
        text("path template, filled", "{a}") { _ = try? PathTemplate.fill($0, style: ParameterStyle()) { _ in .string("a") } },
        text("path template, opened and closed by something else", "{a b}") {
            _ = try? PathTemplate.fill($0, style: ParameterStyle()) { _ in .string("a") }
        },
        Growth(name: "client, tags that are configured and used") { count in
            let client = Client(transport: ClosureTransport { _ in .json("1") })
            for number in 0..<count {
                let tag = Tag("tag \(number)")
                client.configure(tag) { $0.timeout = .seconds(1) }
                _ = client.profile(for: tag)
            }
        },
        text("address, dot segments", "/..", "https://h/a") { _ = try? HTTPAddress(parsing: $0) },
        text("address, query", "a=b&", "https://h/a?") { _ = try? HTTPAddress(parsing: $0).description },
        text("address, colons", ":", "https://") { _ = try? HTTPAddress(parsing: $0) },
        text("address, path params", ";a=b", "https://h/a") { _ = try? HTTPAddress(parsing: $0).description },
        text("cookies joined", "a=b, ") { _ = JoinedCookies.split($0) },
        text("cookie, attributes", "; a=b", "a=b") {
            _ = Cookie(parsing: $0, from: try HTTPAddress(parsing: "https://h/"), at: Date(timeIntervalSince1970: 0))
        },
        text("cookie's date", "1 ", "a=b; Expires=") {
            _ = Cookie(parsing: $0, from: try HTTPAddress(parsing: "https://h/"), at: Date(timeIntervalSince1970: 0))
        },
        text("date", "Mon, ") { _ = HeaderDate.parse($0, now: Date(timeIntervalSince1970: 0)) },
        text("Cache-Control", "a=\"b\",") { _ = CacheControl(["Cache-Control": $0]).contains("no-store") },
        text("Cache-Control, an open quote", "\"a,") { _ = CacheControl(["Cache-Control": $0]).contains("no-store") },
        text("percent-decoding", "%41+") { _ = PercentDecoding.decode($0, plusIsSpace: true) },
        bytes("JSON, opened", "[") { _ = try? JSON(parsing: Data($0)) },
        bytes("JSON, members", #""a":1,"#, "{") { _ = try? JSON(parsing: Data($0)) },
        bytes("JSON, a string with escapes", #"\u0041"#, "\"") { _ = try? JSON(parsing: Data($0)) },
        document("envelope, keys that end in code", { #""k\#($0)code":"v""# }) { _ = try? Envelope.standard.read($0) },
        document("envelope, codes with a message each", { #""k\#($0)code":1,"k\#($0)msg":"m""# }) { _ = try? Envelope.standard.read($0) },
        document("envelope, a type with such codes", { #""k\#($0)code":1,"k\#($0)msg":"m""# }) { decode($0) },
        document("envelope, a type with objects inside", { #""a\#($0)":{"code":0}"# }) { decode($0) },
        Growth(name: "envelope, places of values") { count in
            let text = "{" + (0..<count).map { #""a\#($0)":0"# }.joined(separator: ",") + "}"
            let (scan, scanned) = try ScannedDocument.read(Data(text.utf8), JSONPathTree([], listsMembers: true))
            for member in scan.members { _ = scanned?.place(in: member.span.range) }
        },
        Growth(name: "envelope, names that a type asks for") { count in
            var keys = AskedKeys(keepsNames: true)
            for number in 0..<count { keys.note("name \(number)", isRequired: false, isFound: true) }
        },
        bytes("events", "data: a\n") { bytes in
            var parser = EventParser(limit: .max)
            parser.append(Data(bytes))
            while (try? parser.next()) != nil {}
        },
        bytes("redaction, quotes", #"\""#) { hide($0, "text/plain") },
        bytes("redaction, colons", "a:") { hide($0, "text/plain") },
        bytes("redaction, names of secrets", "token=") { hide($0, "text/plain") },
        bytes("redaction, open brackets behind a secret", "token=(") { hide($0, "text/plain") },
        bytes("redaction, tags", "<a") { hide($0, "application/xml") },
        bytes("redaction, tags opened", "<a>") { hide($0, "application/xml") },
        bytes("redaction, instructions", "<?") { hide($0, "application/xml") },
        bytes("redaction, objects", #"{"a":"#) { hide($0, "application/json") },
        bytes("redaction, pairs of names and values", #"{"value":"1","name":"token"},"#, "[") { hide($0, "application/json") },
        bytes("redaction, an object with many values", #""value":1,"#, "{") { hide($0, "application/json") },
        bytes("redaction, malformed objects", #"{"a":x"#) { hide($0, "application/json") },
        bytes("redaction, escapes", #"\\\""#, #"{"a":""#) { hide($0, "application/json") },
        bytes("redaction, form", "a=b&") { hide($0, "application/x-www-form-urlencoded") },
        bytes("redaction, parts", "--b\r\n\r\na\r\n", "") { hide($0, "multipart/form-data; boundary=b") },
        bytes("redaction, events", "data: {\n") { hide($0, "text/event-stream") },
        bytes("redaction, tokens by their form", "eyJ") { hide($0, "text/plain") },
        bytes("redaction, keys by their form", "-----BEGIN ") { hide($0, "text/plain") },
        bytes("redaction, schemes", "Bearer ") { hide($0, "text/plain") },
        bytes("redaction, slashes", "/") { hide($0, "text/plain") },
    ]

    /// Reads a response whose body is an object with numbered members, a tenth of the pieces, because each is compared with many words.
    private static func document(
        _ name: String, _ member: @escaping @Sendable (Int) -> String, _ read: @escaping @Sendable (HTTPResponse) throws -> Void
    ) -> Growth {
        Growth(name: name) { count in try read(try answer("{" + (0..<count / 10).map(member).joined(separator: ",") + "}")) }
    }

    private struct User: Decodable, Sendable {
        let id: Int?
    }

    private static func decode(_ response: HTTPResponse) {
        _ = try? Envelope.standard.value(of: response, as: User.self, decoder: JSONDecoder())
    }

    private static func hide(_ body: [UInt8], _ type: String) {
        var pass = RedactionPass(ofBodyHiding: .standard)
        _ = pass.redact(body: body, contentType: type)
    }
}

#if os(Linux)
@Suite("The work of readers", .limitedParallelism)
struct GrowthTests {
    /// Returns the processor time of this thread in microseconds, the lesser of two runs. It excludes other work on the machine.
    private static func work(_ growth: Growth, _ count: Int) throws -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
        }
        return try (0..<2).map { _ in
            let start = now()
            try growth.read(count)
            return now() - start
        }.min() ?? 0
    }

    /// The lengths of the inputs in pieces.
    private static let counts = Thoroughness.isWhole ? [1000, 10_000, 100_000] : [2000, 20_000]

    /// A linear reader needs ten times the work for ten times the input, a quadratic one a hundred times.
    @Test("the work of a reader grows linearly with the length of its input", arguments: Growth.all)
    func linear(_ growth: Growth) throws {
        var former = try Self.work(growth, Self.counts[0])
        for count in Self.counts.dropFirst() {
            let work = try Self.work(growth, count)
            // Times below 0.1 ms cannot be compared.
            let most = max(former, 100) * 40
            #expect(work < most, "\(count) pieces took \(Int(work)) µs after \(Int(former))")
            if work >= most { return }
            former = work
        }
    }
}
#endif
