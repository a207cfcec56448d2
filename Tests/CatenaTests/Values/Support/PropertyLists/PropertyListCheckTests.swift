import Catena
import CatenaRules
import CatenaTesting
import Foundation
import Testing

/// Malicious property lists, and the settings that decide whether a response is decoded as one.
@Suite(.limitedParallelism) struct PropertyListCheckTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let body: Data
        let reason: String

        init(_ name: String, _ body: Data, _ reason: String) {
            testDescription = name
            self.body = body
            self.reason = reason
        }

        init(_ name: String, xml: String, _ reason: String) {
            self.init(name, Data((#"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">"# + xml + "</plist>").utf8), reason)
        }
    }

    /// Returns a binary list of these objects. The first is the top object. References and offsets have the given sizes in bytes.
    static func binary(_ objects: [[UInt8]], referenceSize: UInt8 = 1, offsetSize: Int = 2) -> Data {
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(data.count)
            data.append(contentsOf: object)
        }
        let table = data.count
        for offset in offsets { data.append(contentsOf: (0..<offsetSize).reversed().map { UInt8(offset >> ($0 * 8) & 0xFF) }) }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), referenceSize])
        for number in [objects.count, 0, table] { withUnsafeBytes(of: UInt64(number).bigEndian) { data.append(contentsOf: $0) } }
        return data
    }

    /// Arrays that each refer twice to the next, so that the value has 2⁶⁰ elements.
    static let doubling = binary((0..<60).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x10, 1]])
    /// A text of 100,000 bytes with 255 references from an array, which itself has 255 references.
    static let repeatedText = binary(
        [[0xAF, 0x10, 255] + Array(repeating: 1, count: 255), [0xAF, 0x10, 255] + Array(repeating: 2, count: 255)]
            + [[0x5F, 0x12, 0, 1, 0x86, 0xA0] + Array(repeating: 0x61, count: 100_000)], offsetSize: 4)

    private static let pair = binary([[0xA1, 1], [0x10, 1]])

    static let cases = [
        Case("one that contains itself", binary([[0xA1, 0]]), "contains itself"),
        Case("one that contains itself by way of another", binary([[0xA1, 1], [0xD1, 2, 0], [0x51, 0x61]]), "contains itself"),
        Case("references that double", doubling, "too many objects"),
        Case("a text that is repeated", repeatedText, "too many bytes"),
        Case("a deep one", binary((0..<200).map { [0xA1, UInt8($0 + 1)] } + [[0x10, 1]]), "nested"),
        Case("a reference to nowhere", binary([[0xA1, 9]]), "malformed"),
        Case(
            "an offset behind the end", pair.dropLast(34) + [0xFF, 0xFF] + pair.suffix(32),
            "malformed"),
        Case("a text longer than the file", binary([[0x5F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]), "malformed"),
        Case("an array longer than the file", binary([[0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]), "malformed"),
        Case("an unknown object", binary([[0xE0]]), "malformed"),
        Case("nothing but a trailer", Data("bplist00".utf8) + Data(count: 32), "malformed"),
        Case("nothing but a mark", Data("bplist00".utf8), "malformed"),
        Case("deep XML", xml: String(repeating: "<array>", count: 20_000) + String(repeating: "</array>", count: 20_000), "nested"),
        Case("deep XML without an end", xml: String(repeating: "<dict><key>a</key>", count: 20_000), "nested"),
        Case("deep XML between comments", xml: String(repeating: "<!--></array>--><array>", count: 200), "nested"),
        Case("deep XML between instructions", xml: String(repeating: "<?></array>?><array>", count: 200), "nested"),
        Case("ends in the name of the document type", Data("<!DOCTYPE plist \"></array>\"><plist><true/></plist>".utf8), "malformed"),
        Case("a tag in the value of an attribute", xml: "<array a='</array>'></array>", "malformed"),
        Case("entities", Data("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>".utf8), "declares entities"),
        Case(
            "an encoding in which elements could hide", Data("<?xml version='1.0' encoding='UTF-7'?><plist><true/></plist>".utf8),
            "not in UTF-8"),
        Case("the format before XML", Data(String(repeating: "(", count: 100_000).utf8), "neither in XML nor binary"),
    ]

    static func client(_ body: Data, type: String = "application/x-plist") -> Client {
        let client = Client(
            transport: ClosureTransport { _ in TransportResponse(status: 200, headers: ["Content-Type": type], body: TransportBody(body)) })
        client.defaultHost = "https://example.com"
        return client
    }

    @Test("a list that could not be read in bounded time and memory is refused, with the reason", arguments: cases)
    func refused(one: Case) async throws {
        let named = await #expect(throws: APIError.self) {
            try await Self.client(one.body).get("/a").set(\.acceptedTypes, ["application/x-plist"]).value()
        }
        #expect(named?.kind == .decoding)
        #expect(named?.message.contains(one.reason) == true, "\(String(describing: named?.message.prefix(300)))")
        let client = Self.client(one.body, type: "text/own")
        client.configureDefaults { $0.decoders["text/own"] = PropertyListDecoder() }
        let own = await #expect(throws: APIError.self) { try await client.get("/a").value() }
        #expect(own?.message.contains(one.reason) == true)
        #expect(throws: RuleFaults.self) { try RuleSet(parsing: one.body) }
    }

    @Test("a list that Foundation writes is read", arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func ordinary(format: PropertyListSerialization.PropertyListFormat) async throws {
        func read(_ list: Any) async throws -> Request {
            let body = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
            return Self.client(body).get("/a").set(\.acceptedTypes, ["application/x-plist"])
        }
        var nested: Any = ["Zoë 第三", 1, -7, 1.5, true] as [Any]
        for depth in 0..<120 { nested = depth.isMultiple(of: 2) ? ["a": nested, "b": "shared"] : [nested, "shared"] }
        var value = try await read(nested).value()
        for depth in (0..<120).reversed() { value = depth.isMultiple(of: 2) ? value.a : value[0] }
        #expect(value == ["Zoë 第三", 1, -7, 1.5, true])
        let many = try await read((0..<20_000).map { ["number": $0, "text": "the same text in all of them"] as [String: Any] })
        #expect(try await many.value().array?.count == 20_000)
        let own = try await read([["bytes": Data("bytes".utf8), "date": Date(timeIntervalSince1970: 0)]])
        #expect(try await own.value(as: [Own].self) == [Own(bytes: Data("bytes".utf8), date: Date(timeIntervalSince1970: 0))])
    }

    private struct Own: Decodable, Equatable, Sendable {
        let bytes: Data
        let date: Date
    }

    @Test("a list with a byte order mark, a document type and comments is read") func documented() async throws {
        let text = """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <!-- <array> --><plist version="1.0"><dict><key>a</key><string>&lt;b&gt; <![CDATA[<array>]]></string></dict></plist>
            """
        let value = try await Self.client(Data(text.utf8)).get("/a").set(\.acceptedTypes, ["application/x-plist"]).value()
        #expect(value.a.string?.hasPrefix("<b>") == true)
    }

    @Test(
        "a call decodes a response as a property list only if it accepts one, whatever the server's media type",
        arguments: ["application/x-plist", "application/x-apple-binary-plist", "application/plist", "text/x-plist"], ["*/*", nil])
    func unasked(type: String, accepted: String?) async throws {
        let request = Self.client(Data(#"{"code":0,"data":7}"#.utf8), type: type).get("/a")
        #expect(try await (accepted.map { request.set(\.acceptedTypes, [$0]) } ?? request).value(as: Int.self) == 7)
        let list = try PropertyListEncoder().encode(["a": 1])
        let error = await #expect(throws: APIError.self) { try await Self.client(list, type: type).get("/a").value() }
        #expect(error?.kind == .decoding)
        #expect(error?.message.contains("`accept`") == true)
    }

    @Test("a list is decoded if the tag's accepted types or decoders name its type, or the rule's serializer does")
    func asked() async throws {
        let list = try PropertyListEncoder().encode(["a": 1])
        let accepting = Self.client(list)
        accepting.configureDefaults { $0.acceptedTypes = ["application/json", "application/x-plist"] }
        #expect(try await accepting.get("/a").value() == ["a": 1])
        let decoding = Self.client(list)
        decoding.configureDefaults { $0.decoders["application/x-plist"] = PropertyListDecoder() }
        #expect(try await decoding.get("/a").value() == ["a": 1])
        let ruled = Self.client(list)
        try ruled.rules.load(Data(#"{"R": {"Path": "a", "Response Serializer": "AFPropertyListResponseSerializer"}}"#.utf8))
        #expect(try await ruled.request(named: "R").value() == ["a": 1])
    }

    // MARK: Time

    /// A decoder that takes 20 seconds of the clock.
    private struct SlowDecoder: PayloadDecoder {
        let clock: VirtualClock

        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            clock.advance(by: .seconds(20))
            return try JSONDecoder().decode(type, from: data)
        }
    }

    @Test("a call whose decoding ends after the deadline fails with a timeout") func deadline() async throws {
        let clock = VirtualClock()
        let client = Client(transport: ClosureTransport { _ in .text("7", headers: ["Content-Type": "text/own"]) }, clock: clock)
        client.configureDefaults {
            $0.host = "https://example.com"
            $0.decoders["text/own"] = SlowDecoder(clock: clock)
        }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").deadline(.seconds(10)).value(as: Int.self) }
        #expect(error?.kind == .timeout)
        #expect(try await client.get("/a").deadline(.seconds(30)).value(as: Int.self) == 7)
    }
}
