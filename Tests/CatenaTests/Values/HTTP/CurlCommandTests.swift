import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("A request as a command for the shell", .serialized, .limitedParallelism)
struct CurlCommandTests {
    private static func request(
        _ method: HTTPMethod = .get, _ url: String = "https://h/p", _ headers: HTTPHeaders = ["Accept": "a", "User-Agent": "u"],
        body: Data? = nil
    ) throws -> HTTPRequest {
        HTTPRequest(method: method, address: try HTTPAddress(parsing: url), headers: headers, body: body)
    }

    @Test("a plain request is a plain command")
    func plain() throws {
        #expect(
            CurlCommand().text(try Self.request())
                == "curl --globoff 'https://h/p' --header 'Accept: a' --header 'User-Agent: u'")
        #expect(
            CurlCommand().text(try Self.request(.head, headers: [:]))
                == "curl --globoff --head 'https://h/p' --header 'User-Agent:' --header 'Accept:'")
        #expect(
            CurlCommand().text(
                try Self.request(.post, headers: ["Content-Type": "t", "Accept": "a", "User-Agent": "u"], body: Data("@it's".utf8)))
                == "curl --globoff --request 'POST' 'https://h/p' --header 'Content-Type: t' --header 'Accept: a' --header 'User-Agent: u' "
                + #"--header 'Expect:' --data-raw '@it'\''s'"#)
    }

    @Test(
        "a QUERY has its body, and without one the length zero", arguments: [(Data("q=1".utf8), "'q=1'"), (nil, "''")] as [(Data?, String)])
    func query(body: Data?, argument: String) throws {
        #expect(
            CurlCommand().text(try Self.request(.query, headers: ["Content-Type": "t", "Accept": "a", "User-Agent": "u"], body: body))
                == "curl --globoff --request 'QUERY' 'https://h/p' --header 'Content-Type: t' --header 'Accept: a' --header 'User-Agent: u' "
                + "--header 'Expect:' --data-raw \(argument)")
    }

    @Test(
        "no text ends its quotes, not even by a quote with an accent", arguments: ["'\u{301};id;'\u{301}", "'\u{200D}", "é'\r\n'"])
    func quotes(text: String) {
        let parts = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
        #expect(CurlCommand.quoted(text).unicodeScalars.elementsEqual("'\(parts.joined(separator: #"'\''"#))'".unicodeScalars))
    }

    @Test("a command hides secrets unless the call shows them")
    func secrets() throws {
        let request = try Self.request(
            .post, "https://h/p?token=s3cret&a=1", ["Authorization": "Bearer s3cret"], body: Data(#"{"password":"s3cret","a":1}"#.utf8))
        #expect(!CurlCommand().text(request).contains("s3cret"))
        #expect(CurlCommand().text(request).contains(#"{"password":"***","a":1}"#))
        let shown = CurlCommand(redaction: nil).text(request)
        #expect(shown.components(separatedBy: "s3cret").count == 4)
        let binary = try Self.request(.post, body: Data([0, 1]) + Data("password=s3cret".utf8))
        #expect(CurlCommand().text(binary).contains("'(17 bytes)'"))
        #expect(!CurlCommand().text(binary).contains(Data("password=s3cret".utf8).base64EncodedString().prefix(12)))
    }

    static let files: [(name: String, argument: String)] = [
        ("photo.heic", "--data-binary '@FOLDER/photo.heic'"), ("it's here.txt", "--data-binary '@FOLDER/it'\\''s here.txt'"),
        ("@-", "--data-binary '@FOLDER/@-'"), ("$(id).txt", "--data-binary '@FOLDER/$(id).txt'"),
        ("a\u{1B}[31m.txt", "--data-binary @-"), ("a\nb.txt", "--data-binary @-"), ("token=made-up.txt", "--data-binary @-"),
    ]

    @Test("a body that is a whole file is read from its path, unless the path cannot be shown", arguments: files.indices)
    func file(index: Int) async throws {
        let row = Self.files[index]
        let folder = try ScratchFolder()
        let file = folder.file(row.name)
        try Data("made up".utf8).write(to: file)
        let expected = row.argument.replacing("FOLDER", with: file.deletingLastPathComponent().path)
        let client = Client(testing: Stubs())
        client.defaultHost = "https://example.com"
        for request in [client.put("/a").body(file: file), client.put("/a").body(file: file, contentType: "text/plain")] {
            let command = try await request.curl()
            #expect(command.hasSuffix(" " + expected), "\(command)")
        }
        let part = try BodySource(file: file, range: 0..<3)
        let others = [client.put("/a").body(part, contentType: "text/plain"), client.put("/a").multipart { $0.file(file, name: "a") }]
        for request in others { #expect(try await request.curl().hasSuffix(" --data-binary @-")) }
    }

    #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    private static let nasty = "'\u{301}'\"$(id) `id` \\ $HOME ! # & ; | < > * ? [a-c] {a,b} ~ é 😃 %41 @/etc/passwd"

    @Test(
        "the real curl sends the same request",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")),
        arguments: [
            (HTTPMethod.get, "/p?a=1&b=%5B1-3%5D&c={x,y}", ["User-Agent": "u", "Accept": "a"], nil),
            (.get, "/%2e%2e/a//b/", ["X-Nasty": "'$(id)`id`\\ \"x\" !", "X-Empty": ""], nil),
            (.head, "/p", [:], nil), (.delete, "/p", [:], nil), ("PRO'PFIND", "/p", [:], nil), (.post, "/p", [:], nil),
            (.put, "/p", [:], nil),
            (.post, "/p", ["Content-Type": "text/plain"], Data("@/etc/passwd".utf8)),
            (.post, "/p", ["Content-Type": "text/plain; charset=utf-8"], Data((nasty + "\nline\r\n\tlast\n\n").utf8)),
            (.patch, "/p", ["Content-Type": "a/b"], Data(nasty.utf8)), (.post, "/p", [:], Data(0...255)), (.post, "/p", [:], Data([0])),
            (.post, "/p", [:], Data("\u{1B}[31m".utf8)), (.delete, "/p", ["Content-Type": "application/json"], Data("{}".utf8)),
            (.put, "/p", ["Content-Type": "a/b"], Data(String(repeating: "'ab ", count: 60_000).utf8)),
            (.post, "/p", [:], Data(repeating: 0, count: 300_000)),
        ] as [(HTTPMethod, String, HTTPHeaders, Data?)])
    func realCurl(method: HTTPMethod, path: String, headers: HTTPHeaders, body: Data?) throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let request = try Self.request(method, server.url + path, headers, body: body)
        let script = try ScratchFile(Data((CurlCommand(redaction: nil).text(request) + "\n").utf8))
        // Without the curl settings of the user who runs the tests.
        let settings = ["-i", "PATH=/usr/bin:/bin", "HOME=/nonexistent", "no_proxy=*"]
        _ = try ChildProcess.run("/usr/bin/env", settings + ["sh", script.url.path])
        let sent = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(sent.method == method)
        #expect(sent.target == request.address.path + (request.address.query.map { "?" + $0 } ?? ""))
        #expect(sent.body == body ?? Data())
        var expected = headers.fields.map { "\($0.name.lowercased()): \($0.value)" }
        if body != nil || [.post, .put, .patch].contains(method) { expected.append("content-length: \(body?.count ?? 0)") }
        let arrived = sent.headers.fields.map { "\($0.name.lowercased()): \($0.value)" }.filter { !$0.hasPrefix("host: ") }
        #expect(Set(arrived) == Set(expected))
    }
    #endif
}

extension CurlCommandTests {
    fileprivate static func request(_ method: HTTPMethod, headers: HTTPHeaders, body: Data? = nil) throws -> HTTPRequest {
        try request(method, "https://h/p", headers, body: body)
    }
}
