import Catena
import CatenaTesting
import Foundation
import Testing

@Suite("Multipart", .limitedParallelism)
struct MultipartTests {
    private static func client() -> Client { silentClient { $0.defaultHost = "https://h" } }

    /// Returns the body of a form in one piece, with a bar for each line break.
    private static func sent(_ request: Request) async throws -> String {
        let sent = try await request.preview()
        let bytes = try await sent.bodySource?.collect(limit: 1_000_000) ?? sent.body ?? Data()
        #expect(sent.bodySource?.length ?? Int64(bytes.count) == Int64(bytes.count))
        return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "|")
    }

    private struct Draft: Encodable {
        var at = Date(timeIntervalSince1970: 1_700_000_000)
        var share = 0.5
    }

    @Test("a JSON part is encoded as a JSON body is: by the encoder of the tag, or its own, and in the style of the call")
    func json() async throws {
        let client = Self.client()
        client.configureDefaults { defaults in
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .millisecondsSince1970
            encoder.outputFormatting = .sortedKeys
            defaults.encoder = encoder
        }
        let request = client.post("/").encoding(style: ParameterStyle { $0.dates = .seconds })
        let own = JSONEncoder()
        own.dateEncodingStrategy = .secondsSince1970
        own.outputFormatting = .sortedKeys
        let head = "--b|Content-Disposition: form-data; name=\"meta\"|Content-Type: application/json||"
        let rows: [(String, @Sendable (inout MultipartForm) -> Void)] = [
            (#"{"at":1700000000000,"share":0.5}"#, { $0.json(Draft(), name: "meta") }),
            (#"{"at":1700000000,"share":0.5}"#, { $0.json(Draft(), name: "meta", encoder: own) }),
            (#"{"at":1700000000}"#, { $0.json(["at": Draft().at], name: "meta") }),
        ]
        for (text, fill) in rows {
            #expect(try await Self.sent(request.multipart(boundary: "b", fill)) == "\(head)\(text)|--b--|")
        }
    }

    @Test("a JSON part that cannot be encoded fails the call with its name")
    func unfit() async {
        let value = await Self.client().post("/").multipart { $0.json(Draft(share: .nan), name: "meta") }.previewFault()
        #expect(value?.message.hasPrefix("multipart: \"meta\": \"share\": ") == true)
        let params = await Self.client().post("/").multipart { $0.json(["share": Double.nan], name: "meta") }.previewFault()
        #expect(params?.message.hasPrefix("multipart: \"meta.share\": ") == true)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: String
        let fill: @Sendable (inout MultipartForm) -> Void

        init(_ name: String, _ body: String, _ fill: @escaping @Sendable (inout MultipartForm) -> Void) {
            testDescription = name
            self.body = body
            self.fill = fill
        }
    }

    @Test(
        "fields and bytes are written as parts of the form",
        arguments: [
            Row("nothing", "--b--|") { _ in },
            Row("a field", "--b|Content-Disposition: form-data; name=\"a\"||1|--b--|") { $0.field("a", 1) },
            Row("no value", "--b--|") { $0.field("a", nil as String?) },
            Row(
                "no value for a field that was set",
                "--b|Content-Disposition: form-data; name=\"b\"||3|--b|Content-Disposition: form-data; name=\"a\"||4|--b--|"
            ) {
                $0.field("a", 1)
                $0.field("b", 2)
                $0.field("a", nil as String?)
                $0.field("b", 3)
                $0.field("a", 4)
            },
            Row("null", "--b|Content-Disposition: form-data; name=\"a\"|||--b--|") { $0.field("a", .null) },
            Row(
                "an array and an object",
                "--b|Content-Disposition: form-data; name=\"a[]\"||1|--b|Content-Disposition: form-data; name=\"a[]\"||true|"
                    + "--b|Content-Disposition: form-data; name=\"o[x]\"||é|--b--|"
            ) {
                $0.field("a", JSON(array: [1, true]))
                $0.field("o", ["x": "é"])
            },
            Row("a field set twice", "--b|Content-Disposition: form-data; name=\"a\"||2|--b--|") {
                $0.field("a", 1)
                $0.field("a", 2)
            },
            Row("bytes", "--b|Content-Disposition: form-data; name=\"data\"||xyz|--b--|") { $0.data(Data("xyz".utf8), name: "data") },
            Row(
                "bytes with a file name",
                "--b|Content-Disposition: form-data; name=\"d\"; filename=\"a.png\"|Content-Type: image/png||xyz|--b--|"
            ) { $0.data(Data("xyz".utf8), name: "d", filename: "a.png") },
            Row("bytes with a type", "--b|Content-Disposition: form-data; name=\"d\"|Content-Type: text/x||xyz|--b--|") {
                $0.data(Data("xyz".utf8), name: "d", contentType: "text/x")
            },
            Row(
                "the order of the steps",
                "--b|Content-Disposition: form-data; name=\"z\"||1|--b|Content-Disposition: form-data; name=\"d\"||x|"
                    + "--b|Content-Disposition: form-data; name=\"a\"||2|--b--|"
            ) {
                $0.field("z", 1)
                $0.data(Data("x".utf8), name: "d")
                $0.field("a", 2)
            },
            Row(
                "two parts of one name",
                "--b|Content-Disposition: form-data; name=\"d\"||x|--b|Content-Disposition: form-data; name=\"d\"||y|--b--|"
            ) {
                $0.data(Data("x".utf8), name: "d")
                $0.data(Data("y".utf8), name: "d")
            },
            Row("line breaks in a value", "--b|Content-Disposition: form-data; name=\"a\"||x|y\nz|--b--|") { $0.field("a", "x\r\ny\nz") },
        ])
    func bytes(row: Row) async throws {
        let request = Self.client().post("/").multipart(boundary: "b", row.fill)
        #expect(try await Self.sent(request) == row.body)
        let sent = try await request.preview()
        #expect(sent.headers["Content-Type"] == "multipart/form-data; boundary=b")
        // The whole body is in memory.
        #expect(sent.body != nil && sent.bodySource == nil)
    }

    @Test(
        "a name cannot end its quotes or its line",
        arguments: [
            ("plain name.txt", "plain name.txt"), ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb\rc", "a%0Ab%0Dc"),
            ("a\0b\u{7F}", "a%00b%7F"),
            ("日本語 é", "日本語 é"), ("👋🏽.png", "👋🏽.png"), ("a\\b;c=d%", "a\\b;c=d%"), ("\"\u{301}", "%22\u{301}"),
        ])
    func names(name: String, written: String) async throws {
        let request = Self.client().post("/").multipart(boundary: "b") { form in
            form.field(name, "v")
            form.data(Data(), name: name, filename: name, contentType: "a/b")
        }
        let head = "Content-Disposition: form-data; name=\"\(written)\""
        #expect(try await Self.sent(request) == "--b|\(head)||v|--b|\(head); filename=\"\(written)\"|Content-Type: a/b|||--b--|")
    }

    @Test("a file is sent with its own name and the type of its extension, or with those that the call sets")
    func file() async throws {
        let file = try ScratchFile("pixels", name: "photo é.png")
        let plain = try ScratchFile("text", name: "README")
        let request = Self.client().post("/").multipart(boundary: "b") { form in
            form.file(file.url, name: "avatar")
            form.file(plain.url, name: "other", filename: "x.csv")
            form.file(plain.url, name: "third", contentType: "text/x")
        }
        let expected =
            "--b|Content-Disposition: form-data; name=\"avatar\"; filename=\"photo é.png\"|Content-Type: image/png||pixels|"
            + "--b|Content-Disposition: form-data; name=\"other\"; filename=\"x.csv\"|Content-Type: text/csv||text|"
            + "--b|Content-Disposition: form-data; name=\"third\"; filename=\"README\"|Content-Type: text/x||text|--b--|"
        for _ in 0..<2 { #expect(try await Self.sent(request) == expected) }
        #expect(try await request.preview().bodySource?.isReplayable == true)
    }

    @Test("files, bytes and streams keep their order, and the body has the length of all parts")
    func mix() async throws {
        let file = try ScratchFile("file")
        let pieces = AsyncStream<Data> { continuation in
            continuation.yield(Data("stream".utf8))
            continuation.finish()
        }
        let request = Self.client().post("/").multipart(boundary: "b") { form in
            form.file(file.url, name: "1", filename: "f", contentType: "a/b")
            form.source(BodySource(stream: pieces, length: 6), name: "2")
            form.field("3", "field")
            form.source(BodySource(joining: [BodySource(Data("x".utf8)), BodySource(Data("y".utf8))]), name: "4")
        }
        #expect(try await request.preview().bodySource?.isReplayable == false)
        let head = "Content-Disposition: form-data; name="
        #expect(
            try await Self.sent(request) == "--b|\(head)\"1\"; filename=\"f\"|Content-Type: a/b||file|--b|\(head)\"2\"||stream|"
                + "--b|\(head)\"3\"||field|--b|\(head)\"4\"||xy|--b--|")
    }

    @Test("a form with a stream of unknown length has no length")
    func unknownLength() async throws {
        let request = Self.client().post("/").multipart { form in
            form.source(BodySource(stream: { AsyncStream<Data> { $0.finish() } }), name: "s")
        }
        let source = try #require(try await request.preview().bodySource)
        #expect(source.length == nil)
        #expect(source.isReplayable)
    }

    @Test("a preview reads no file")
    func preview() async throws {
        let file = try ScratchFile(name: "film.mov", size: 1 << 40)
        let sent = try await Self.client().post("/").multipart(boundary: "b") { $0.file(file.url, name: "film") }.preview()
        #expect(sent.body == nil)
        #expect(sent.bodySource?.length == 1_099_511_627_889)
        #expect(sent.bodySource?.description.contains("1099511627776 bytes of \"film.mov\"") == true)
    }

    // MARK: Other steps

    @Test("params of the call become fields before those of the form, which win, and common params stay in the query")
    func params() async throws {
        let client = Self.client()
        client.commonParams { _ in ["app": "x", "size": 0] }
        let request = client.post("/p").params(["page": 1, "size": 2]).query(["q": 3]).multipart(boundary: "b") { $0.field("size", 4) }
        let head = "--b|Content-Disposition: form-data; name="
        #expect(try await request.preview().sentLine == "POST https://h/p?app=x&size=0&q=3")
        #expect(try await Self.sent(request) == "\(head)\"page\"||1|\(head)\"size\"||4|--b--|")
        #expect(try await Self.sent(request.commonParams(.merged)) == "\(head)\"app\"||x|\(head)\"page\"||1|\(head)\"size\"||4|--b--|")
        #expect(try await request.encoding(.query).preview().sentLine == "POST https://h/p?app=x&size=0&q=3&page=1")
        #expect(try await Self.sent(request.encoding(.query)) == "\(head)\"size\"||4|--b--|")
    }

    @Test("fields are written in the tag's style")
    func style() async throws {
        var style = ParameterStyle()
        style.arrays = .repeat
        style.booleans = .numeric
        let request = Self.client().post("/").encoding(style: style).params(["p": true]).multipart(boundary: "b") { $0.field("a", [1, 2]) }
        let head = "--b|Content-Disposition: form-data; name="
        #expect(try await Self.sent(request) == "\(head)\"p\"||1|\(head)\"a\"||1|\(head)\"a\"||2|--b--|")
    }

    @Test("without a boundary set by the call each attempt has a new one that is valid in a header")
    func boundaries() async throws {
        let request = Self.client().path("/").multipart { $0.field("a", 1) }
        var seen: Set<String> = []
        for _ in 0..<100 {
            let sent = try await request.preview()
            #expect(sent.method == .post)
            let type = try #require(sent.headers["Content-Type"])
            #expect(type.hasPrefix("multipart/form-data; boundary=catena-"))
            #expect(type.allSatisfy { $0.isLetter || $0.isNumber || "/-;=. ".contains($0) })
            seen.insert(type)
        }
        #expect(seen.count == 100)
    }

    @Test("a boundary that is no token is quoted, and is added to a content type set by the call")
    func contentTypes() async throws {
        let client = Self.client()
        client.commonHeaders { _ in ["Content-Type": "application/json"] }
        let request = client.post("/").multipart(boundary: "a:b") { $0.field("a", 1) }
        #expect(try await request.preview().headers["Content-Type"] == "multipart/form-data; boundary=\"a:b\"")
        let mixed = request.header("Content-Type", "multipart/mixed; boundary=x")
        #expect(try await mixed.preview().headers.values(for: "Content-Type") == ["multipart/mixed; boundary=\"a:b\""])
    }

    // MARK: Refused forms

    @Test(
        "a form that cannot be sent is refused before anything is sent",
        arguments: [
            RequestRow("GET", "multipart…a GET has no body") { $0.get("/").multipart { $0.field("a", 1) } },
            RequestRow("missing file", "multipart…\"f\": the file \"none.txt\" cannot be read: No such file") {
                $0.post("/").multipart { $0.file(URL(fileURLWithPath: "/none/none.txt"), name: "f") }
            },
            RequestRow("directory", "multipart…\"f\": \"tmp\" is a directory") {
                $0.post("/").multipart { $0.file(URL(fileURLWithPath: "/tmp"), name: "f") }
            },
            RequestRow("no file address", "multipart…\"f\": the address is not that of a file") {
                $0.post("/").multipart { form in URL(string: "https://h/a").map { form.file($0, name: "f") } }
            },
            RequestRow("empty file name", "multipart…\"f\": the file name is empty") {
                $0.post("/").multipart { $0.data(Data(), name: "f", filename: "") }
            },
            RequestRow("line break in a type", "multipart…\"a%22\": the content type is not one") {
                $0.post("/").multipart { $0.data(Data(), name: "a\"", contentType: "a/b\r\nX: y") }
            },
            RequestRow("line break in a boundary", "multipart…the boundary is not") {
                $0.post("/").multipart(boundary: "a\r\nb") { $0.field("a", 1) }
            },
            RequestRow("empty boundary", "multipart…the boundary is not") { $0.post("/").multipart(boundary: "") { $0.field("a", 1) } },
            RequestRow("long boundary", "multipart…the boundary is not") {
                $0.post("/").multipart(boundary: String(repeating: "a", count: 71)) { $0.field("a", 1) }
            },
            RequestRow("a field", "multipart…\"a[1]\": it is not a number (NaN)") {
                $0.post("/").multipart { $0.field("a", [0, Double.nan]) }
            },
            RequestRow("a param", "params…\"p\": it is infinite") {
                $0.post("/").params(["p": Double.infinity]).multipart { $0.field("a", 1) }
            },
            RequestRow("another type", "header…\"Content-Type\": the body is a multipart one") {
                $0.post("/").header("Content-Type", "text/plain").multipart { $0.field("a", 1) }
            },
            RequestRow("missing body file", "body…the file \"none.txt\" cannot be read: No such file") {
                $0.post("/").body(file: URL(fileURLWithPath: "/none/none.txt"))
            },
            RequestRow("missing upload", "body…the file \"none.txt\" cannot be read: No such file") {
                $0.post("/").body(file: URL(fileURLWithPath: "/none/none.txt"))
            },
            RequestRow("a directory", "body…\"tmp\" is a directory") { $0.post("/").body(file: URL(fileURLWithPath: "/tmp")) },
            RequestRow("GET with a file", "body…a GET has no body") { $0.get("/").body(file: URL(fileURLWithPath: "/tmp")) },
        ])
    func faults(row: RequestRow) async {
        await row.checkFault(Self.client())
    }

    @Test("many fields are encoded in linear time")
    func many() async throws {
        let request = Self.client().post("/").multipart(boundary: "b") { form in
            for number in 0..<100_000 { form.field("field\(number)", number) }
        }
        #expect(try await request.preview().body?.count == 6_477_787)
    }
}
