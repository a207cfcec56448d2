#if os(Linux)
import Catena
import CatenaTesting
import Foundation
import Testing

/// Compressed responses over the engine, whole and broken.
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
        Case("gzip", "gzip", gzip, text), Case("x-gzip, in capitals", "X-GZIP", gzip, text),
        Case("deflate", "deflate", deflate, text), Case("deflate without its wrapping", "deflate", bare, text),
        Case("nothing at all", "gzip", Data(), ""), Case("identity", "identity", Data(text.utf8), text),
        Case("br", "br", brotli, text), Case("br, nothing at all", "br", Data(), ""),
        Case("zstd", "zstd", zstandard, text), Case("zstd without a length", "zstd", openZstandard, text),
        Case("two frames of zstd, one to be skipped between", "zstd", zstandard + skipped + zstandard, text + text),
        Case("br, cut", "br", brotli.dropLast(), nil), Case("br, cut in the data", "br", brotli.prefix(9), nil),
        Case("zstd, cut in the head", "zstd", zstandard.prefix(3), nil), Case("zstd, cut", "zstd", openZstandard.dropLast(), nil),
        Case("zstd, cut in the sum", "zstd", zstandard.dropLast(2), nil),
        Case("not br", "br", Data(text.utf8), nil), Case("not zstd", "zstd", Data(text.utf8), nil),
        Case("something behind br", "br", brotli + brotli, nil),
        Case("something behind zstd", "zstd", zstandard + Data("junk".utf8), nil),
        Case("zstd with a wrong sum", "zstd", wrongZstandardSum, nil),
        Case("zstd with a larger window than allowed", "zstd", wideZstandard, nil),
        Case("zstd of before its standard", "zstd", formerZstandard, nil),
        Case("zstd of before its standard behind a frame", "zstd", zstandard + formerZstandard, nil),
        Case("two gzip members", "gzip", gzip + gzip, text + text),
        Case("cut in the head", "gzip", gzip.prefix(5), nil), Case("only a head", "gzip", gzip.prefix(10), nil),
        Case("cut in the data", "gzip", gzip.prefix(12), nil), Case("cut in the sum", "gzip", gzip.prefix(28), nil),
        Case("deflate, cut", "deflate", deflate.dropLast(), nil), Case("bare deflate, cut", "deflate", bare.dropLast(), nil),
        Case("a wrong sum", "gzip", wrongSum, nil), Case("not gzip", "gzip", Data(text.utf8), nil),
        Case("something behind it", "gzip", gzip + Data("junk".utf8), nil),
        Case("registered, and none of ours", "compress", Data(text.utf8), nil),
        Case("a line break behind gzip", "gzip", gzip + Data("\r\n".utf8), text),
        Case("zeros behind gzip", "gzip", gzip + Data(count: 512), text),
        Case("zeros behind deflate", "deflate", deflate + Data(count: 3), text),
        Case("a line break behind br", "br", brotli + Data("\n".utf8), text),
        Case("a member behind zeros", "gzip", gzip + Data(count: 3) + gzip, nil),
        Case("utf-8", "utf-8", Data(text.utf8), text), Case("none", "none", Data(text.utf8), text),
        Case("binary", "Binary", Data(text.utf8), text), Case("8bit", "8bit", Data(text.utf8), text),
        Case("aws-chunked", "aws-chunked", Data(text.utf8), text), Case("gzip,aws-chunked", "gzip,aws-chunked", gzip, text),
        Case("two codings", "identity, gzip", gzip, text),
        Case("a thousand codings", Array(repeating: "gzip", count: 1000).joined(separator: ", "), gzip, nil),
    ]

    @Test("a compressed response is decompressed, or its call fails", arguments: [true, false])
    func compressed(isChunked: Bool) async {
        await each(Self.cases) { try await compressed($0, isChunked) }
    }

    private func compressed(_ one: Case, _ isChunked: Bool) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in
            let answer: StubReply = isChunked ? .chunked(one.body.map { Data([$0]) }) : .body(Data(one.body))
            return answer.header("Content-Encoding", one.coding)
        }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        if let text = one.text {
            #expect(try await client.get("/a").execute(.string).value == text)
        } else {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.string).value }
            #expect(error?.kind == .decompression)
        }
    }

    @Test("a response without a body is not decompressed", arguments: [(HTTPMethod.head, 200), (.get, 204), (.get, 205)])
    func withoutBody(method: HTTPMethod, status: Int) async throws {
        let server = try LoopbackServer()
        server.on(method, "/a") { _ in StubReply.status(status).header("Content-Encoding", "gzip") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        try await client.method(method).path("/a").execute(.void).value
    }

    @Test("a request accepts every coding that Catena can read, unless the call sets Accept-Encoding", arguments: [nil, "identity"])
    func asked(own: String?) async throws {
        let server = try LoopbackServer()
        server.get("/a") { .text($0.headers["Accept-Encoding"] ?? "") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        let request = own.map { client.get("/a").header("Accept-Encoding", $0) } ?? client.get("/a")
        #expect(try await request.execute(.string).value == own ?? "gzip, deflate, br, zstd")
    }

    @Test("the error for a registered coding that Catena cannot read names the coding", arguments: ["compress", "gzip, dcb"])
    func unknownEncoding(encoding: String) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text("x").header("Content-Encoding", encoding) }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.string).value }
        #expect(error?.kind == .decompression)
        #expect(error?.message.contains(encoding.split(separator: " ").last.map(String.init) ?? "") == true)
    }
}
#endif
