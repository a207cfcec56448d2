import Foundation
import Testing

@testable import Catena

@Suite("Header rules", .limitedParallelism)
struct HeaderRulesTests {
    private static let secret = "hunter2"

    @Test(
        "a name that is not a token is refused",
        arguments: [
            "", " ", "X A", "X\tA", "X:", "X-A:B", ":", "X\r\nInjected: y\r\nX", "X\n", "X\r", "X\0", "Ünï", "X/A", "(X)", "X@", "X\u{7F}",
            "\u{212A}ey",
        ])
    func names(name: String) async {
        for request in [
            silentClient().host("https://h").header(name, Self.secret), silentClient().host("https://h").header(name, adding: Self.secret),
        ] {
            let error = await request.previewFault()
            #expect(error?.kind == .invalidRequest)
            #expect(error?.message.contains("the name is not a token (RFC 9110 §5.1)") == true, "\(error?.message ?? "none")")
            #expect(error?.message.contains(Self.secret) == false)
            #expect(error?.message.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } == false)
        }
    }

    private static let foreign =
        "a character outside ASCII; percent-encode it, as addingPercentEncoding(withAllowedCharacters:) does"

    @Test(
        "a value with a line break, a control character or more than ASCII is refused and not repeated",
        arguments: [
            ("a\r\nInjected: y", "a line break"), ("a\nb", "a line break"), ("a\rb", "a line break"),
            ("a\r\n\r\nGET /admin HTTP/1.1\r\nHost: h", "a line break"), ("a\0b", "a control character"),
            ("a\u{7F}", "a control character"),
            ("a\u{1}b", "a control character"), ("a\u{1B}[31m", "a control character"), ("\0", "a control character"),
            ("é", foreign), ("a\u{85}b", foreign), ("日", foreign),
        ])
    func values(value: String, reason: String) async {
        let error = await silentClient().host("https://h").header("X-A", Self.secret + value).previewFault()
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message == "header: \"X-A\": the value contains \(reason)")
    }

    @Test(
        "white space around a value is not part of it",
        arguments: [
            ("a", "a"), (" a\t", "a"), ("token\n", "token"), ("\r\n token \r\n", "token"), ("a\tb c", "a\tb c"), ("", ""), (" \n", ""),
            ("!\"#~", "!\"#~"),
        ])
    func whiteSpace(value: String, expected: String) async throws {
        let headers = try await silentClient().host("https://h").header("X-A", value).preview().headers
        #expect(headers.values(for: "X-A") == [expected])
    }

    @Test(
        "headers that frame the message cannot be set by a call, a closure or a configuration",
        arguments: [
            "Content-Length", "content-length", "Transfer-Encoding", "Host", "HOST", "Connection", "Keep-Alive", "Proxy-Connection",
            "Expect", "TE",
            "Trailer", "Upgrade",
        ])
    func reserved(name: String) async {
        let reason = "\"\(name)\": it is set from the body and the connection and cannot be set by hand"
        let client = silentClient { $0.defaultHost = "https://h" }
        #expect(await client.get("/").header(name, "1").previewFault()?.message == "header: " + reason)
        #expect(await client.get("/").header(name, adding: "1").previewFault()?.message == "header: " + reason)
        client.commonHeaders { _ in HTTPHeaders([.init(name: name, value: "1")]) }
        #expect(await client.get("/").previewFault()?.message == "commonHeaders: " + reason)
        client.commonHeaders { _ in [:] }
        client.configureDefaults { $0.headers = HTTPHeaders([.init(name: name, value: "1")]) }
        #expect(await client.get("/").previewFault()?.message == "configure: " + reason)
        #expect(await client.get("/").header(name, nil).previewFault() == nil)
    }

    @Test("the error for an invalid content type names the step that set it")
    func contentType() async {
        let error = await silentClient().host("https://h").body(Data(), contentType: "text/plain\r\nX: y").previewFault()
        #expect(error?.message == "body: \"Content-Type\": the value contains a line break")
    }

    @Test(
        "a header with a single value cannot be set twice",
        arguments: ["Authorization", "authorization", "Proxy-Authorization"])
    func single(name: String) async throws {
        let client = silentClient {
            $0.defaultHost = "https://h"
            $0.commonHeaders { _ in HTTPHeaders([.init(name: name, value: "common")]) }
        }
        let error = await client.get("/").header(name.uppercased(), adding: Self.secret).previewFault()
        #expect(error?.message == "header: \"\(name.uppercased())\": it is set twice")
        #expect(try await client.get("/").header(name.uppercased(), "call").preview().headers.values(for: name) == ["call"])
    }

    @Test("a body cannot have two types")
    func secondType() async {
        let client = silentClient {
            $0.defaultHost = "https://h"
            $0.commonHeaders { _ in ["Content-Type": "application/vnd.api+json"] }
        }
        let error = await client.post("/").params(["a": 1]).header("CONTENT-TYPE", adding: "application/json").previewFault()
        #expect(error?.message == "header: \"CONTENT-TYPE\": it is set twice")
    }
}
