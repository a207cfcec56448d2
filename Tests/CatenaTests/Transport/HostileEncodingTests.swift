#if os(Linux)
import Catena
import CatenaTesting
import Foundation
import Testing

/// Compressed responses over the engine, whole and broken, by their numbers in the collection of cases.
@Suite(.needsEngine, .limitedParallelism) struct HostileEncodingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let coding: String
        let body: Data
        /// The text of the response, or `nil` if the call fails.
        let text: String?

        init(_ name: String, _ coding: String, _ body: Data, _ text: String?) {
            testDescription = name
            self.coding = coding
            self.body = body
            self.text = text
        }
    }

    /// "hello, hello, hello" in each coding.
    private static let gzip = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJ11HIQKIAn6HKCRMAAAA=") ?? Data()
    private static let deflate = Data(base64Encoded: "eJzLSM3JyddRyECiAEQoBtU=") ?? Data()
    private static let bare = Data(base64Encoded: "y0jNycnXUchAogA=") ?? Data()
    private static let brotli = Data(base64Encoded: "GxIA+I2Ubt5ECVKGlmwsbxFPJNBxAA==") ?? Data()
    private static let zstandard = Data(base64Encoded: "KLUv/SQTbQAAOGhlbGxvLCABAOKKEXXzmI4=") ?? Data()
    /// A frame of zstd without its length and checksum.
    private static let openZstandard = Data(base64Encoded: "KLUv/QBYbQAAOGhlbGxvLCABAOKKEQ==") ?? Data()
    /// A skippable frame of zstd (RFC 8878 §3.1.2).
    private static let skipped = Data(base64Encoded: "UCpNGAIAAABhYg==") ?? Data()
    /// A frame of zstd that needs a window of 16 MB.
    private static let wideZstandard = Data(base64Encoded: "KLUv/QBwRQAAEGFhAQA/ASw=") ?? Data()
    /// An "a" in an uncompressed block, in zstd's format before its standard.
    private static let formerZstandard = Data([0x27, 0xB5, 0x2F, 0xFD, 0, 0, 0x40, 0, 1, 0x61, 0xC0, 0, 0])
    private static let text = "hello, hello, hello"

    /// The gzip body with a wrong checksum.
    private static var wrongSum: Data {
        var bytes = gzip
        bytes[bytes.count - 8] ^= 1
        return bytes
    }

    private static var wrongZstandardSum: Data { zstandard.dropLast() + [0] }

    static let cases = [
        Case("110 gzip", "gzip", gzip, text), Case("110 x-gzip, in capitals", "X-GZIP", gzip, text),
        Case("110 deflate", "deflate", deflate, text), Case("110 deflate without its wrapping", "deflate", bare, text),
        Case("110 nothing at all", "gzip", Data(), ""), Case("110 identity", "identity", Data(text.utf8), text),
        Case("110 br", "br", brotli, text), Case("110 br, nothing at all", "br", Data(), ""),
        Case("110 zstd", "zstd", zstandard, text), Case("110 zstd without a length", "zstd", openZstandard, text),
        Case("110 two frames of zstd, one to be skipped between", "zstd", zstandard + skipped + zstandard, text + text),
        Case("111 br, cut", "br", brotli.dropLast(), nil), Case("111 br, cut in the data", "br", brotli.prefix(9), nil),
        Case("111 zstd, cut in the head", "zstd", zstandard.prefix(3), nil), Case("111 zstd, cut", "zstd", openZstandard.dropLast(), nil),
        Case("111 zstd, cut in the sum", "zstd", zstandard.dropLast(2), nil),
        Case("112 not br", "br", Data(text.utf8), nil), Case("112 not zstd", "zstd", Data(text.utf8), nil),
        Case("112 something behind br", "br", brotli + brotli, nil),
        Case("112 something behind zstd", "zstd", zstandard + Data("junk".utf8), nil),
        Case("112 zstd with a wrong sum", "zstd", wrongZstandardSum, nil),
        Case("112 zstd with a larger window than allowed", "zstd", wideZstandard, nil),
        Case("112 zstd of before its standard", "zstd", formerZstandard, nil),
        Case("112 zstd of before its standard behind a frame", "zstd", zstandard + formerZstandard, nil),
        Case("110 two gzip members", "gzip", gzip + gzip, text + text),
        Case("111 cut in the head", "gzip", gzip.prefix(5), nil), Case("111 only a head", "gzip", gzip.prefix(10), nil),
        Case("111 cut in the data", "gzip", gzip.prefix(12), nil), Case("111 cut in the sum", "gzip", gzip.prefix(28), nil),
        Case("111 deflate, cut", "deflate", deflate.dropLast(), nil), Case("111 bare deflate, cut", "deflate", bare.dropLast(), nil),
        Case("112 a wrong sum", "gzip", wrongSum, nil), Case("112 not gzip", "gzip", Data(text.utf8), nil),
        Case("112 something behind it", "gzip", gzip + Data("junk".utf8), nil),
        Case("112 registered, and none of ours", "compress", Data(text.utf8), nil),
        Case("112 a line break behind gzip", "gzip", gzip + Data("\r\n".utf8), text),
        Case("112 zeros behind gzip", "gzip", gzip + Data(count: 512), text),
        Case("112 zeros behind deflate", "deflate", deflate + Data(count: 3), text),
        Case("112 a line break behind br", "br", brotli + Data("\n".utf8), text),
        Case("112 a member behind zeros", "gzip", gzip + Data(count: 3) + gzip, nil),
        Case("112 utf-8", "utf-8", Data(text.utf8), text), Case("112 none", "none", Data(text.utf8), text),
        Case("112 binary", "Binary", Data(text.utf8), text), Case("112 8bit", "8bit", Data(text.utf8), text),
        Case("112 aws-chunked", "aws-chunked", Data(text.utf8), text), Case("112 gzip,aws-chunked", "gzip,aws-chunked", gzip, text),
        Case("113 two codings", "identity, gzip", gzip, text),
        Case("113 a thousand codings", Array(repeating: "gzip", count: 1000).joined(separator: ", "), gzip, nil),
    ]

    @Test("a compressed response is decompressed, or its call fails", arguments: cases, [true, false])
    func compressed(one: Case, isChunked: Bool) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in
            let answer: LoopbackResponse = isChunked ? .chunked(one.body.map { Data([$0]) }) : .data(Data(one.body))
            return answer.header("Content-Encoding", one.coding)
        }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        if let text = one.text {
            #expect(try await client.get("/a").string().value == text)
        } else {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").string().value }
            #expect(error?.kind == .decompression)
        }
    }

    @Test("110 a response without a body is not decompressed", arguments: [(HTTPMethod.head, 200), (.get, 204), (.get, 205)])
    func withoutBody(method: HTTPMethod, status: Int) async throws {
        let server = try LoopbackServer()
        server.on(method, "/a") { _ in LoopbackResponse(status: status).header("Content-Encoding", "gzip") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        try await client.method(method).path("/a").void().value
    }

    @Test("a request accepts every coding that Catena can read, unless the call sets Accept-Encoding", arguments: [nil, "identity"])
    func asked(own: String?) async throws {
        let server = try LoopbackServer()
        server.get("/a") { .text($0.headers["Accept-Encoding"] ?? "") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        let request = own.map { client.get("/a").header("Accept-Encoding", $0) } ?? client.get("/a")
        #expect(try await request.string().value == own ?? "gzip, deflate, br, zstd")
    }

    @Test("the error for a registered coding that Catena cannot read names the coding", arguments: ["compress", "gzip, dcb"])
    func unknownEncoding(encoding: String) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text("x").header("Content-Encoding", encoding) }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        let error = await #expect(throws: APIError.self) { try await client.get("/a").string().value }
        #expect(error?.kind == .decompression)
        #expect(error?.message.contains(encoding.split(separator: " ").last.map(String.init) ?? "") == true)
    }
}
#endif
