import Catena
import Foundation
import Testing

extension InteropTests {
    static let python = ProcessInfo.processInfo.environment["CATENA_PYTHON"]

    @Suite("httpbin bodies", .enabled(if: InteropTests.httpbin != nil)) struct Bodies {
        let request: Request

        init() throws {
            request = try InteropTests.request(to: InteropTests.httpbin).post("/post")
        }

        private static func stream(_ pieces: [String]) -> AsyncStream<Data> {
            AsyncStream { continuation in
                for piece in pieces { continuation.yield(Data(piece.utf8)) }
                continuation.finish()
            }
        }

        @Test("a file arrives as it is, with its type and length")
        func file() async throws {
            let file = try ScratchFile("the file, é", name: "a.csv")
            let echo = try await request.body(file: file.url).value()
            #expect(echo.data.string == "the file, é")
            #expect(echo.headers["Content-Type"].string == "text/csv")
            #expect(echo.headers["Content-Length"].string == "12")
        }

        @Test("a stream arrives as it is, with a length or in chunks", arguments: [nil, 6 as Int64?])
        func stream(length: Int64?) async throws {
            let echo = try await request.body(stream: Self.stream(["abc", "def"]), length: length, contentType: "text/plain").value()
            #expect(echo.data.string == "abcdef")
        }

        @Test("a property list arrives unchanged")
        func propertyList() async throws {
            let echo = try await request.body(propertyList: ["name": "Zoë", "ids": [1, 2]]).value()
            let list = try PropertyListSerialization.propertyList(from: Data((echo.data.string ?? "").utf8), format: nil)
            #expect((list as? [String: Any])?["name"] as? String == "Zoë")
        }

        @Test("the server reads every field, file and param of a multipart form")
        func multipart() async throws {
            let file = try ScratchFile(.pattern(1_000_000), name: "a.bin")
            let echo = try await request.params(["page": 1, "ids": [1, 2]]).multipart { form in
                form.field("name", "Zoë & \"x\"\r\n👋🏽")
                form.file(file.url, name: "file")
                form.data(Data("text".utf8), name: "note", filename: "a.txt")
                form.source(BodySource(stream: Self.stream(["in ", "pieces"])), name: "stream", filename: "s.txt")
            }.value()
            #expect(echo.form == JSON(["page": "1", "ids[]": ["1", "2"], "name": "Zoë & \"x\"\r\n👋🏽"]))
            #expect(echo.files.note.string == "text")
            #expect(echo.files.stream.string == "in pieces")
            let encoded = echo.files["file"].string?.split(separator: ",").last.map(String.init) ?? ""
            #expect(Data(base64Encoded: encoded) == .pattern(1_000_000))
        }
    }
}

#if os(Linux) || os(macOS)
extension InteropTests {
    /// Bodies as an independent parser reads them: Werkzeug, in Python.
    @Suite("Python multipart", .enabled(if: InteropTests.python != nil)) struct PythonMultipart {
        private struct Parts: Decodable {
            let fields: [[String]]
            /// The name, file name, type and base64 contents of each file.
            let files: [[String]]
        }

        private static let script = """
            import base64, json, os, sys
            from werkzeug.formparser import parse_form_data
            with open(sys.argv[2], "rb") as body:
                length = os.fstat(body.fileno()).st_size
                environ = {"wsgi.input": body, "CONTENT_TYPE": sys.argv[1], "CONTENT_LENGTH": str(length), "REQUEST_METHOD": "POST"}
                stream, form, files = parse_form_data(environ, silent=False)
                print(json.dumps({
                    "fields": [[name, value] for name, value in form.items(multi=True)],
                    "files": [[name, file.filename, file.content_type, base64.b64encode(file.read()).decode()]
                              for name, file in files.items(multi=True)]}))
            """

        private static func parts(of request: HTTPRequest) async throws -> Parts {
            let body = try await request.bodySource?.collect(limit: 100_000_000) ?? request.body ?? Data()
            let file = try ScratchFile(body)
            let arguments = ["-c", script, request.headers["Content-Type"] ?? "", file.url.path]
            let (status, printed) = try ChildProcess.run(InteropTests.python ?? "", arguments, withErrors: false)
            #expect(status == 0)
            return try JSONDecoder().decode(Parts.self, from: Data(printed.utf8))
        }

        /// Decodes the line breaks of a name, which this parser leaves encoded, as browsers send them.
        private static func decoded(_ name: String) -> String {
            name.replacing("%0D", with: "\r").replacing("%0A", with: "\n")
        }

        @Test(
            "the parser reads names, file names and contents unchanged",
            arguments: [
                "plain", "with space", "qu\"ote", "two\"\"quotes\"", "line\r\nbreak", "line\nfeed", "日本語", "👋🏽", "é e\u{301}", "a;b=c",
                "a,b:c/d",
                "100%", "'single'", "name*", "[]", "a[b][]",
            ])
        func names(name: String) async throws {
            let file = try ScratchFile(.pattern(300_000))
            let request = Client().host("https://h").post("/").multipart { form in
                form.field(name, "value of \(name)")
                form.file(file.url, name: name, filename: name, contentType: "image/x")
                form.data(Data([0, 13, 10, 45, 45, 13, 10, 255]), name: "bytes", filename: name + ".png")
            }
            let parts = try await Self.parts(of: request.preview())
            #expect(parts.fields.map { $0.map(Self.decoded) } == [[name, "value of \(name)"]])
            #expect(parts.files.count == 2)
            let first = try #require(parts.files.first)
            #expect(Self.decoded(first[0]) == name)
            #expect(Self.decoded(first[1]) == name)
            #expect(first[2] == "image/x")
            #expect(Data(base64Encoded: first[3]) == .pattern(300_000))
            let second = try #require(parts.files.last)
            #expect(Self.decoded(second[1]) == name + ".png")
            #expect(second[2] == "image/png")
            #expect(Data(base64Encoded: second[3]) == Data([0, 13, 10, 45, 45, 13, 10, 255]))
        }

        @Test("the parser finds no part in an empty form")
        func empty() async throws {
            let parts = try await Self.parts(of: Client().host("https://h").post("/").multipart { _ in }.preview())
            #expect(parts.fields.isEmpty && parts.files.isEmpty)
        }

        @Test("flattened fields keep their order and their repetition")
        func fields() async throws {
            let request = Client().host("https://h").post("/").params(["z": 1, "ids": [2, 1]]).multipart { form in
                form.field("o", ["b": true, "a": 1.5] as Params)
                form.field("empty", "")
            }
            let parts = try await Self.parts(of: request.preview())
            #expect(parts.fields == [["z", "1"], ["ids[]", "2"], ["ids[]", "1"], ["o[b]", "true"], ["o[a]", "1.5"], ["empty", ""]])
        }
    }
}
#endif
