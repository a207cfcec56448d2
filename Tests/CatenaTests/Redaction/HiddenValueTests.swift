import CatenaArchive
import CatenaSigners
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A credential of an app, whose fields have names that suggest nothing.
private struct OddCredential: Codable, Sendable {
    var first: String
    var second: String
    var owner = "ann"
}

private struct OddScheme: Authenticator {
    func apply(_ credential: OddCredential, to request: inout HTTPRequest) { request.headers["X-Odd"] = credential.first }
    func refresh(_ credential: OddCredential) async throws -> OddCredential {
        OddCredential(first: credential.second, second: "made-up-third-0000")
    }
    func identity(of credential: OddCredential) -> String { credential.owner }
}

@Suite("Secrets that the library knows", .limitedParallelism)
struct HiddenValueTests {
    /// The ways in which the library learns a secret.
    enum Source: String, CaseIterable {
        case bearer, basic, digest, apiKeyHeader, apiKeyQuery, closure, headerPair, credential, oldCredential, signer, declared, refreshToken
    }

    /// Forty names, known and unknown ones.
    static let names = [
        "a", "value", "id", "x", "refresh", "access", "cvc", "totp", "mfa_code", "sms_code", "token", "password", "note", "comment", "ref",
        "data", "trace", "hash", "echo", "msg", "message", "detail", "reason", "hint", "text", "title", "name", "q", "search", "input",
        "field", "key1", "code2", "blob", "payload", "body", "raw", "state", "nonce2", "grant",
    ]

    private static let secret = "made-up/S3cr&t <é>\"7"

    private func configure(_ source: Source, _ profile: inout Profile) async throws -> String {
        let secret = Self.secret
        let plain = "made-up-0123456789"
        switch source {
        case .bearer:
            profile.authentication = .bearer(plain)
            return plain
        case .basic:
            profile.authentication = .basic(user: "ann", password: secret)
            return secret
        case .digest:
            profile.authentication = .digest(user: "ann", password: secret)
            return secret
        case .apiKeyHeader:
            profile.authentication = .apiKey(plain, header: "X-Odd")
            return plain
        case .apiKeyQuery:
            profile.authentication = .apiKey(secret, query: "odd")
            return secret
        case .closure:
            profile.authentication = .bearer { plain }
            return plain
        case .headerPair:
            profile.authentication = Authentication(
                HeaderPairAuthenticator(user: "X-U", ticket: "X-V"), store: MemoryCredentialStore(HeaderCredential(user: "ann", ticket: plain)))
            return plain
        case .credential:
            profile.authentication = Authentication(OddScheme(), store: MemoryCredentialStore(OddCredential(first: plain, second: secret)))
            return secret
        case .oldCredential:
            let signIn = Authentication(OddScheme(), store: MemoryCredentialStore(OddCredential(first: plain, second: "made-up-second-11")))
            _ = try signIn.credential()
            try signIn.signIn(OddCredential(first: "made-up-other-222", second: "made-up-other-333"))
            profile.authentication = signIn
            return plain
        case .signer:
            profile.signer = ParameterSigner(.hmacSHA256(key: Data(plain.utf8)), placement: .query("sum"))
            return plain
        case .declared:
            profile.secrets.add(values: secret)
            return secret
        case .refreshToken:
            profile.authentication = Authentication(
                BearerAuthenticator { $0 }, store: MemoryCredentialStore(BearerToken(accessToken: "made-up-access", refreshToken: plain)))
            return plain
        }
    }

    @Test("a known secret is in no output, whatever its name and its encoding", arguments: Source.allCases)
    func everywhere(source: Source) async throws {
        let stubs = Stubs()
        let (lines, shown) = (Recorder<String>(), Recorder<String>())
        let client = Client(testing: stubs)
        var profile = Profile()
        let secret = try await configure(source, &profile)
        client.configure("forum") { [profile] in $0 = profile }
        client.log(.verbose, to: LogSink { lines.note($0) })
        client.onDiagnostic { shown.note($0.message) }
        let archive = HARRecorder()
        client.record(into: archive)
        client.observe { shown.note("\($0)") }
        for (number, name) in Self.names.enumerated() {
            let json = try #require(String(data: try JSONEncoder().encode([name: secret, "list": "[\(secret)]"]), encoding: .utf8))
            let escaped = secret.utf16.map { "\\u" + String(format: "%04x", $0) }.joined()
            let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let bodies = [
                json, #"{"\#(name)":"\#(escaped)","other":["\#(percent)"]}"#, "<a>\(name) is \(percent)</a>", "\(name)=\(percent)&x=1",
                #"{"code":5,"msg":"wrong: \#(escaped)"}"#, "The \(name) \(secret) is wrong",
            ]
            stubs.post("/\(number)").reply(
                .text(bodies[number % bodies.count], status: number % 2 == 0 ? 400 : 200, contentType: number % 3 == 0 ? "text/plain" : "application/json"))
            let request = client.tag("forum").post("/\(number)").params([name: secret, "list": [secret]]).query([name: secret])
                .header("X-Note", "say \(percent) twice")
            let result = await request.execute(as: [Int].self).result
            if case .failure(let error as APIError) = result {
                for text in ["\(error)", error.message, error.explanation ?? "", "\(error as NSError)", String(reflecting: error)] { shown.note(text) }
                shown.note("\(error.request.map { "\($0) \($0.headers)" } ?? "") \(error.response.map { "\($0) \($0.headers)" } ?? "")")
            }
            for text in ["\(request)", request.explain(), try await request.curl(), "\(try await request.preview())"] { shown.note(text) }
        }
        await lines.reached(Self.names.count)
        shown.note(String(decoding: try await archive.archive(), as: UTF8.self))
        let texts = lines.events + shown.events
        for form in Self.forms(of: secret) {
            for text in texts where text.contains(form) {
                Issue.record("\(source) \(form): \(text.ranges(of: form).first.map { text[$0.lowerBound...].prefix(80) } ?? "") of \(text.prefix(200))")
                return
            }
        }
        #expect(texts.contains { $0.contains("***") })
    }

    /// The texts by which a reader would know the secret.
    private static func forms(of secret: String) -> [String] {
        let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let json = (try? JSONEncoder().encode([secret])).map { String(decoding: $0.dropFirst(2).dropLast(2), as: UTF8.self) } ?? ""
        return [secret, percent, json, Data("ann:\(secret)".utf8).base64EncodedString()]
    }

    @Test("a short value is hidden under names alone, and a call without a secret is shown as it is")
    func short() {
        var secrets = Secrets()
        secrets.add(values: "1234567")
        let redaction = secrets.redaction ?? .standard
        #expect(redaction.redact(text: "id 1234567") == "id 1234567")
        #expect(Secrets().redaction == nil)
    }

    @Test(
        "text that carries a secret in an unusual form is hidden",
        arguments: [
            "Authorization is Bearer\nmade-up-1", "Bearer: made-up-1", "Bearer=made-up-1", "Bearer\r\n made-up-1",
            #"{"password"/**/:"made-up-1"}"#, #"{"password" /* a */ : /* b */ "made-up-1"}"#, "p%2561ssword=made-up-1",
            "refresh=made-up-1", #"{"access":"made-up-1"}"#, "cvc=made-up-1", "totp: made-up-1", "mfa_code=made-up-1", "smsCode=made-up-1",
            "-----BEGIN PRIVATE KEY-----\nmade-up-1\n-----END PRIVATE KEY-----",
        ])
    func text(text: String) {
        #expect(!Redaction.standard.redact(text: text).contains("made-up-1"))
        for type in [nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=other", "application/x-pem-file"] {
            var pass = RedactionPass(ofBodyHiding: .standard)
            let shown = pass.redact(body: Array(text.utf8), contentType: type).map { String(decoding: $0, as: UTF8.self) }
            #expect(shown?.contains("made-up-1") != true, "\(type ?? "no type")")
        }
    }

    private static let form = "--real\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nmade-up-1\r\n--real--\r\n"

    @Test("the parts of a form are read although its boundary is not the declared one", arguments: ["multipart/form-data; boundary=other", "multipart/form-data"])
    func boundary(type: String) {
        var pass = RedactionPass(ofBodyHiding: .standard)
        #expect(pass.redact(body: Array(Self.form.utf8), contentType: type).map { String(decoding: $0, as: UTF8.self) }?.contains("made-up-1") != true)
    }

    @Test("parts in HTML are read as text too", arguments: ["password=made-up-1", "<p>password: made-up-1</p>", "Bearer made-up-1"])
    func html(content: String) {
        let body = "--b\r\nContent-Disposition: form-data; name=\"page\"\r\nContent-Type: text/html\r\n\r\n\(content)\r\n--b--\r\n"
        var pass = RedactionPass(ofBodyHiding: .standard)
        let shown = pass.redact(body: Array(body.utf8), contentType: "multipart/form-data; boundary=b")
        #expect(shown.map { String(decoding: $0, as: UTF8.self) }?.contains("made-up-1") != true)
    }

    @Test(
        "characters that are not seen, or that turn the text, are shown by no output",
        arguments: ["\u{061C}", "\u{200B}", "\u{200E}", "\u{200F}", "\u{FEFF}", "\u{202E}", "\u{2066}", "\u{2060}", "\u{00AD}"])
    func unseen(mark: String) async throws {
        let text = "a\(mark)b"
        #expect(!Redaction.unbroken(text).unicodeScalars.contains { String($0) == mark })
        let stubs = Stubs()
        stubs.get("/a").reply(
            .text(#"{"code":5,"msg":"\#(text)"}"#, contentType: "application/json").header("Content-Disposition", "attachment; filename*=UTF-8''a\(mark.addingPercentEncoding(withAllowedCharacters: []) ?? "")b.txt"))
        let lines = Recorder<String>()
        let client = Client(testing: stubs)
        client.log(.verbose, to: LogSink { lines.note($0) })
        let request = client.get("/a").query(["q": text])
        let error = try #require(await request.execute(as: Int.self).result.apiError)
        await lines.reached(1)
        for shown in ["\(error)", try await request.curl(), "\(request)"] + lines.events {
            #expect(!shown.unicodeScalars.contains { String($0) == mark })
        }
        let headers: HTTPHeaders = ["Content-Disposition": "attachment; filename=\"a\(mark)b.txt\""]
        #expect(SuggestedFileName.name(in: headers)?.unicodeScalars.contains { String($0) == mark } != true)
    }
}

