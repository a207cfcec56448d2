import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Paths", .limitedParallelism)
struct PathTests {
    private enum Fruit: String { case apple = "APPLE" }

    private enum Kind: String, ParameterValue { case hot = "HOT" }

    private struct Odd: CustomStringConvertible {
        let description = "a/b"
    }

    private static let client: Client = {
        let client = Client(transport: ClosureTransport { _ in .json("1") })
        client.defaultHost = "https://forum.test"
        return client
    }()

    private static let id = UUID(uuid: (0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A, 0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E, 0x6E, 0x5F))
    private static let none: String? = nil
    private static let some: String? = "a b"
    private static let nested: String?? = .some(.some("x"))

    /// Literals, each with the expected address after the host.
    static let values: [(Path, String)] = [
        ("/a", "/a"),
        ("a/b", "/a/b"),
        ("/a/\("b")/c", "/a/b/c"),
        ("/a/\("b/c")/d", "/a/b%2Fc/d"),
        ("/a/\("b?c=1")", "/a/b%3Fc%3D1"),
        ("/a/\("b#c")", "/a/b%23c"),
        ("/a/\("100%")", "/a/100%25"),
        ("/a/\("%2F")", "/a/%252F"),
        ("/a/\("{page}")", "/a/%7Bpage%7D"),
        ("/a/\("a b+c;d&e=f")", "/a/a%20b%2Bc%3Bd%26e%3Df"),
        ("/a/\("é房")", "/a/%C3%A9%E6%88%BF"),
        ("/a/\("\r\n\0")", "/a/%0D%0A%00"),
        ("/a/\("../b")", "/a/..%2Fb"),
        ("/a/\("...")", "/a/..."),
        ("/a/\("https://other.test")", "/a/https%3A%2F%2Fother.test"),
        ("/a/\("/b")", "/a/%2Fb"),
        ("/a/\("?b")", "/a/%3Fb"),
        ("/a?q=\("x y/z?&=#")", "/a?q=x%20y%2Fz%3F%26%3D%23"),
        ("/a?q=\("/x")", "/a?q=%2Fx"),
        ("/a?q=\("?x")&r=\(1)", "/a?q=%3Fx&r=1"),
        ("\("users")/\(7)", "/users/7"),
        ("\("a b")", "/a%20b"),
        ("/a/\(7)/\(-7)/\(UInt64.max)/\(Int8(3))", "/a/7/-7/18446744073709551615/3"),
        ("/a/\(1.5)/\(2.0)/\(Float(0.5))", "/a/1.5/2/0.5"),
        ("/a/\(Decimal(string: "0.1") ?? 0)", "/a/0.1"),
        ("/a/\(true)/\(false)", "/a/true/false"),
        ("/a/\(Date(timeIntervalSince1970: 0))", "/a/1970-01-01T00%3A00%3A00Z"),
        ("/a/\(Data([255, 255]))", "/a/%2F%2F8%3D"),
        ("/a/\(id)/x", "/a/E621E1F8-C36C-495A-93FC-0C247A3E6E5F/x"),
        ("/a/\("a/b".dropFirst())", "/a/%2Fb"),
        ("/a/\(Character("/"))", "/a/%2F"),
        ("/a/\(Fruit.apple)/\(Kind.hot)", "/a/apple/HOT"),
        ("/a/\(Odd())", "/a/a%2Fb"),
        ("/a/\(some as String?)/\(nested as String??)", "/a/a%20b/x"),
        ("/a/\(none, default: "x/y")/\(some, default: "x")", "/a/x%2Fy/a%20b"),
        ("/a/\(JSON(["n": 7]).n)", "/a/7"),
        ("/a/\(raw: "b/c?d=1")", "/a/b/c?d=1"),
        ("\(raw: "/a/b".dropFirst(2))/c", "/b/c"),
        ("\(Path("/a/b"))/\("c/d")", "/a/b/c%2Fd"),
        ("\(Path("/a/\(true)"))/\("c")/\(false)", "/a/true/c/false"),
        (Path("/a/b?c=1"), "/a/b?c=1"),
    ]

    @Test("an interpolated value becomes one segment of the path or one value of the query")
    func value() async {
        await each(Self.values.indices) { index in
            let (path, expected) = Self.values[index]
            let url = try await Self.client.get(path).preview().url
            #expect(url.absoluteString == "https://forum.test" + expected)
        }
    }

    /// Literals that fail the call, each with a part of the error's message.
    static let faults: [(Path, String)] = [
        ("/a/\(none as String?)/b", "path: behind \"/a/\": the value is nil"),
        ("/a/\("")/b", "path: behind \"/a/\": the value is empty"),
        ("/a/\("x")/\("")", "path: behind \"/\": the value is empty"),
        ("/a?q=\("")", "path: behind \"/a?q=\": the value is empty"),
        ("/a/\(".")", "path: behind \"/a/\": the value \".\" would change the path"),
        ("/a/\("..")/b", "path: behind \"/a/\": the value \"..\" would change the path"),
        ("/a/\(none, default: "")", "path: behind \"/a/\": the value is empty"),
        ("\("/a/b")/c", "path: at the beginning: the value contains \"/\" or \"?\", which would be encoded; write \\(raw: text)"),
        ("\("a?b=1")", "path: at the beginning: the value contains \"/\" or \"?\""),
        ("\(URL(fileURLWithPath: "/x"))", "path: at the beginning: the value contains"),
        ("/a\("/b")", "path: behind \"/a\": the value begins with \"/\", which would be encoded; write \\(raw: text)"),
        ("/a\("?b=1")", "path: behind \"/a\": the value begins with \"?\""),
        ("/a/\(7)\("/b")", "path: behind \"/a/\": the value begins with \"/\""),
        ("/a/\([1, 2])", "path: behind \"/a/\": the value is not a single value"),
        ("/a/\(["a": 1])", "path: behind \"/a/\": the value is not a single value"),
        ("/a/\([Fruit.apple])", "path: behind \"/a/\": the value is not a single value"),
        ("/a/\(JSON([:]).n)", "path: behind \"/a/\": the value is not a single value"),
        ("/a/\(Double.nan)", "path: behind \"/a/\": it is not a number (NaN)"),
        ("/b\(Path("/a/\(none as String?)"))", "path: behind \"/a/\": the value is nil"),
    ]

    @Test("a value that cannot be a segment fails the call, and the error names its position", arguments: faults.indices)
    func fault(_ index: Int) async throws {
        let (path, expected) = Self.faults[index]
        let error = await #expect(throws: APIError.self) { try await Self.client.get(path).void() }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }

    @Test("the text of a variable is used as a path, including its query and its names")
    func variable() async throws {
        let text = "/rooms/{room}/a/b?x=1"
        let request = Self.client.get(text).params(["room": "r/1"])
        #expect(try await request.preview().url.absoluteString == "https://forum.test/rooms/r%2F1/a/b?x=1")
        let joined = "/rooms/" + "a/b"
        #expect(try await Self.client.path(joined).preview().url.absoluteString == "https://forum.test/rooms/a/b")
        let mixed: Path = "\(raw: text)&y=\("a&b")"
        #expect(try await Self.client.get(mixed).params(["room": "1"]).preview().url.query() == "x=1&y=a%26b")
    }

    @Test("a path may contain both names and interpolated values")
    func template() async throws {
        let request = Self.client.get("/rooms/{room}/users/\("{room}")").params(["room": "a/b"])
        #expect(try await request.preview().url.absoluteString == "https://forum.test/rooms/a%2Fb/users/%7Broom%7D")
    }

    @Test("booleans, dates and bytes are written in the style of the call")
    func style() async throws {
        let request = Self.client.get("/a/\(true)/\(Date(timeIntervalSince1970: 7))/\(Data([255, 254]))?x=\(false)")
            .encoding { style in
                style.booleans = .numeric
                style.dates = .seconds
                style.data = .base64URL
            }
        #expect(try await request.preview().url.absoluteString == "https://forum.test/a/1/7/__4?x=0")
    }

    @Test("path and every verb accept a literal and a variable")
    func verbs() async throws {
        let (value, text) = ("a/b", "/a/b")
        let requests = [
            Self.client.path("/\(value)").method("REPORT"), Self.client.get("/\(value)"), Self.client.post("/\(value)"),
            Self.client.put("/\(value)"), Self.client.patch("/\(value)"), Self.client.delete("/\(value)"), Self.client.head("/\(value)"),
            Self.client.options("/\(value)"), Self.client.tag(nil).get("/\(value)"),
        ]
        for request in requests { #expect(try await request.preview().url.absoluteString == "https://forum.test/a%2Fb") }
        let texts = [
            Self.client.path(text), Self.client.get(text), Self.client.post(text), Self.client.put(text), Self.client.patch(text),
            Self.client.delete(text), Self.client.head(text), Self.client.options(text), Self.client.tag(nil).get(text),
        ]
        for request in texts { #expect(try await request.preview().url.absoluteString == "https://forum.test/a/b") }
    }

    @Test("paths with equal text and values are equal, and their descriptions hide secrets")
    func comparing() throws {
        #expect(Path("/a/7") == "/a/\(7)")
        #expect(Path("/a/b") != "/a/\("b/c")")
        #expect("/a/\(true)" as Path != "/a/\(false)" as Path)
        #expect("\("/a/\(true)?token=made-up" as Path)" == "/a/true?token=***")
        #expect(String(decoding: try JSONEncoder().encode(["a/\("b c")" as Path]), as: UTF8.self) == #"["a\/b%20c"]"#)
        #expect(Self.client.get("/a/\("b/c")/\(true)").absoluteURL == "https://forum.test/a/b%2Fc/true")
    }

    @Test("a later path replaces an earlier one, even if that was invalid")
    func replaced() async throws {
        let base = Self.client.get("/a/\(Self.none as String?)")
        #expect(try await base.path("/b").preview().url.absoluteString == "https://forum.test/b")
    }
}
