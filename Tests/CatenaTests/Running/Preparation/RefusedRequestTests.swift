import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Requests that are refused before they are sent", .limitedParallelism)
struct RefusedRequestTests {
    private static let client = Client(transport: ClosureTransport { _ in .status(200) })

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let message: String
        let request: @Sendable (Request) -> Request

        init(_ name: String, _ message: String, _ request: @escaping @Sendable (Request) -> Request) {
            testDescription = name
            self.message = message
            self.request = request
        }
    }

    static let rows: [Row] = [
        Row("a boundary in a field", "multipart: the boundary \"edge\" stands in the value of \"note\"; give another one, or none") {
            $0.post("/a").multipart(boundary: "edge") { $0.field("note", "a\r\n--edge\r\nb") }
        },
        Row("a boundary in bytes", "multipart: the boundary \"edge\" stands in the value of \"f\"; give another one, or none") {
            $0.post("/a").multipart(boundary: "edge") { $0.data(Data("x--edge--".utf8), name: "f", filename: "f.txt") }
        },
        Row("CONNECT", "method: CONNECT is for proxies (RFC 9110 §9.3.6) and cannot be sent") { $0.path("/a").method("Connect") },
        Row("TRACE", "method: TRACE would have the server send credentials back (RFC 9110 §9.3.8) and cannot be sent") {
            $0.path("/a").method("trace")
        },
        Row(
            "a header beyond ASCII",
            "header: \"X-Device\": the value contains a character outside ASCII; percent-encode it, as addingPercentEncoding(withAllowedCharacters:) does"
        ) { $0.get("/a").header("X-Device", "张三的iPhone") },
    ]

    @Test("a request that cannot be meant is refused with the reason", arguments: rows)
    func refused(_ row: Row) async throws {
        let request = row.request(Self.client.host("https://forum.test"))
        let error = await #expect(throws: APIError.self) { try await request.execute(.void).value }
        #expect(error?.message == row.message)
        #expect(error?.kind == .invalidRequest)
    }

    @Test("a timeout of zero fails the call")
    func noTime() async throws {
        let error = await #expect(throws: APIError.self) {
            try await Self.client.host("https://forum.test").get("/a").timeout(.zero).execute(.void).value
        }
        #expect(error?.kind == .timeout)
    }

    @Test("a boundary that occurs in no value is used")
    func fits() async throws {
        let request = Self.client.host("https://forum.test").post("/a").multipart(boundary: "edge") { $0.field("note", "-edge") }
        #expect(try await request.preview().headers["Content-Type"] == "multipart/form-data; boundary=edge")
    }

    @Test(
        "a file that reports no size but has content is refused", .enabled(if: FileManager.default.isReadableFile(atPath: "/proc/version"))
    )
    func fileWithoutSize() async throws {
        let request = Self.client.host("https://forum.test").put("/a").body(file: URL(fileURLWithPath: "/proc/version"))
        let error = await #expect(throws: APIError.self) { try await request.execute(.void).value }
        #expect(error?.message.contains("the file \"version\" says that it is empty, but it is not; read it and send its bytes") == true)
    }

    @Test(
        "an invalid JSON body that begins like an envelope fails calls for text, bytes or nothing, too",
        arguments: [
            #"{"code": 5, "msg": "no"} and more"#, #"{"code": 5, "msg": "no"}{"#,
            #"{"code": 0, "data": "# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
        ])
    func trailing(_ body: String) async throws {
        let client = Client(transport: ClosureTransport { _ in .json(body) })
        let request = client.host("https://forum.test").get("/a")
        await #expect(throws: APIError.self) { try await request.execute(.void).value }
        await #expect(throws: APIError.self) { _ = try await request.execute(.data).value }
        await #expect(throws: APIError.self) { _ = try await request.execute(.string).value }
    }

    @Test("text that only begins with a bracket is a success for string()", arguments: ["[draft] hello", "{{name}}"])
    func text(_ body: String) async throws {
        let client = Client(transport: ClosureTransport { _ in .text(body) })
        #expect(try await client.host("https://forum.test").get("/a").execute(.string).value == body)
    }
}
