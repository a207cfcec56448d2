#if os(Linux)
import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// libcurl's handles. Each of them serves one response, with exactly the options of its configuration.
@Suite(.needsEngine, .limitedParallelism) struct CurlHandleTests {
    private static let folded = "HTTP/1.1 200 OK\r\n \(String(repeating: "folded", count: 40))\r\nContent-Length: 2\r\n\r\nab"

    /// The response on a connection before the malformed one.
    enum Before: CaseIterable, Sendable {
        case ordinary, manyHeaders, head, redirect, errorStatus
    }

    @Test("a first header line that is a continuation fails its call, whatever response came before", arguments: Before.allCases)
    func continuedFirstLine(before: Before) async throws {
        let server = try LoopbackServer()
        server.get("/ordinary") { _ in .raw("HTTP/1.1 200 OK\r\nX-Last: 1\r\nContent-Length: 1\r\n\r\n1", closing: false) }
        let headers = (0..<200).map { "X-\($0): \(String(repeating: "v", count: $0))\r\n" }.joined()
        server.get("/manyHeaders") { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\(headers)\r\n1", closing: false) }
        server.head("/head") { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", closing: false) }
        server.get("/redirect") { _ in .raw("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /folded\r\n\r\n", closing: false) }
        server.get("/errorStatus") { _ in .raw("HTTP/1.1 500 Odd\r\nContent-Length: 1\r\n\r\n1", closing: false) }
        server.get("/folded") { _ in .raw(Self.folded, closing: false) }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        for _ in 0..<20 {
            switch before {
            case .redirect:
                let error = await #expect(throws: APIError.self) { try await client.get("/redirect").execute(.void).value }
                #expect(error?.kind == .protocolViolation)
                continue
            case .errorStatus: await #expect(throws: APIError.self) { try await client.get("/errorStatus").execute(.void).value }
            case .head: try await client.head("/head").execute(.void).value
            case .ordinary, .manyHeaders: try await client.get("/\(before)").execute(.void).value
            }
            let error = await #expect(throws: APIError.self) { try await client.get("/folded").execute(.void).value }
            #expect(error?.kind == .protocolViolation)
        }
        #expect(try await client.get("/ordinary").value(as: Int.self) == 1)
    }

    @Test("connections outlive the handles of their transfers", .needsKeptConnections, arguments: TransportTests.Subject.allCases)
    func keptConnections(subject: TransportTests.Subject) async throws {
        guard subject != .urlSession else { return }
        let server = try subject.newServer()
        server.get("/a") { _ in .json(text: "1") }
        let client = Client(transport: try subject.newTransport())
        client.defaultHost = server.url
        for _ in 0..<20 { #expect(try await client.get("/a").value(as: Int.self) == 1) }
        #expect(server.connectionCount == 1)
    }

    /// An option whose text libcurl refuses if it has more than 8 MB or a zero byte.
    struct Refused: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let set: @Sendable (inout CurlConfiguration, String) -> Void

        static let all = [
            Refused(testDescription: "proxy") { $0.proxy = $1 },
            Refused(testDescription: "certificateAuthorityFile") { $0.certificateAuthorityFile = $1 },
            Refused(testDescription: "clientCertificateFile") { $0.clientCertificateFile = $1 },
            Refused(testDescription: "clientKeyFile") { $0.clientKeyFile = $1 },
            Refused(testDescription: "clientKeyPassword") { $0.clientKeyPassword = $1 },
            Refused(testDescription: "pinnedPublicKeys") { $0.pinnedPublicKeys = [$1] },
            Refused(testDescription: "unixSocketPath") { $0.unixSocketPath = $1 },
        ]
    }

    @Test(
        "an option that libcurl refuses fails the call, and the error names the option", arguments: Refused.all,
        ["too long", "with a zero byte"])
    func refused(option: Refused, fault: String) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        var configuration = CurlConfiguration()
        option.set(&configuration, fault == "too long" ? String(repeating: "x", count: 9_000_000) : "a\0b")
        let client = Client(transport: try CurlTransport(configuration))
        client.defaultHost = server.url
        let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.void).value }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.contains("\"\(option.testDescription)\"") == true, "\(String(describing: error?.message.prefix(200)))")
        #expect(server.requestCount == 0)
    }

    @Test(
        "a pin is one digest, and neither several nor the name of a file",
        arguments: [
            "", "x", "xx;sha256//", "AAAA", "/etc/pin.pem", "sha256//\(pin)", "\(pin);sha256//\(pin)", "\(pin)\n", " \(pin)", "\(pin)=",
            String(pin.dropLast()), pin.replacing("/", with: "_"),
        ])
    func wrongPin(text: String) throws {
        let error = try #require(throws: APIError.self) { try CurlConfiguration.pin(text) }
        #expect(error.kind == .invalidRequest)
        #expect(error.message.contains("\"pinnedPublicKeys\"") && !error.message.contains("\n"))
        #expect(try CurlConfiguration.pin(Self.pin) == "sha256//" + Self.pin)
    }

    /// The SHA-256 digest of no bytes.
    private static let pin = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test(
        "a target is sent unchanged, and one with invalid characters is refused", arguments: ["/a b", "/a\r\nX: 1", "/a\u{7F}", "/é"])
    func target(path: String) async throws {
        let server = try LoopbackServer()
        server.get("/*") { .text($0.target) }
        let client = Client(transport: try CurlTransport())
        var request = try await client.host(server.url).get("/a").query(["q": "x y", "r": "/?"]).preview()
        let transport = try CurlTransport()
        let response = try await transport.send(request)
        #expect(String(decoding: try await response.body.collect(limit: 100), as: UTF8.self) == "/a?q=x%20y&r=/?")
        request.address.path = path
        let error = await #expect(throws: APIError.self) { try await transport.send(request) }
        #expect(error?.kind == .invalidRequest)
        #expect(server.requestCount == 1)
    }

    @Test("each origin has its own entry, even if there are more origins than the table holds")
    func origins() async throws {
        // Creating a transport loads libcurl.
        _ = try CurlTransport()
        let origins = CurlOrigins()
        let first = try #require(origins["http://forum.example", proxy: ""])
        #expect(origins["http://forum.example", proxy: ""] === first)
        for number in 0..<2_000 { #expect(origins["http://h\(number).example", proxy: ""]?.text == "http://h\(number).example") }
        #expect(origins["http://forum.example", proxy: ""] !== first)
        #expect(origins["not an address", proxy: ""] == nil)
    }
}
#endif
