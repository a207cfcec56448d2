import CatenaArchive
import CatenaInspector
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
        case bearer, basic, digest, apiKeyHeader, apiKeyQuery, closure, headerPair, credential, oldCredential, signer, declared,
            refreshToken
    }

    /// Forty names, known and unknown ones.
    static let names = [
        "a", "value", "id", "x", "refresh", "access", "cvc", "totp", "mfa_code", "sms_code", "token", "password", "note", "comment", "ref",
        "data", "trace", "hash", "echo", "msg", "message", "detail", "reason", "hint", "text", "title", "name", "q", "search", "input",
        "field", "key1", "code2", "blob", "payload", "body", "raw", "state", "nonce2", "grant",
    ]

    /// Secrets that a header can have.
    private static let plainSecrets = [
        "made-up-0123456789", "0123456789012345", "12345678", "mAdE.uP_~+/aaaa==", "5f4dcc3b5aa765d61d8327deb882cf99",
        "made-up.made-up.made-up",
        "00000000-0000-4000-8000-000000000000", "%6Dade%2Dup", String(repeating: "made-up", count: 60),
    ]
    /// Secrets with characters that outputs encode.
    private static let oddSecrets = [
        "made-up/S3cr&t <é>\"7", "made up with spaces", "пароль-made-up", "口令口令口令", "made%2Fup%2Fmade", "made\\up\\\"made",
        "made+up&up=made", "{\"made\":\"up\"}", "<made>up</made>",
    ]

    private func configure(_ source: Source, _ number: Int, _ profile: inout Profile) throws -> String {
        let (plain, secret) = (Self.plainSecrets[number], Self.oddSecrets[number])
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
                HeaderPairAuthenticator(user: "X-U", ticket: "X-V"),
                store: MemoryCredentialStore(HeaderCredential(user: "ann", ticket: plain)))
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

    /// The bodies in which a server or an app repeats a secret, under all names.
    private static func bodies(_ secret: String) throws -> [(text: String, type: String)] {
        let (percent, escaped) = spellings(secret)
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, secret) })
        let nested = ["list": String(decoding: try JSONEncoder().encode(values), as: UTF8.self)]
        return [
            (String(decoding: try JSONEncoder().encode(values), as: UTF8.self), "application/json"),
            (String(decoding: try JSONEncoder().encode(nested), as: UTF8.self), "application/json"),
            ("{" + names.map { "\"\($0)\":\"\(escaped)\"" }.joined(separator: ",") + "}", "text/plain"),
            (names.map { "<p>\($0) is \(percent)</p>" }.joined(), "text/html"),
            (names.map { "\($0)=\(percent)" }.joined(separator: "&"), "application/x-www-form-urlencoded"),
            (#"{"code":5,"msg":"wrong: \#(escaped)"}"#, "application/json"),
            (names.map { "The \($0) \(secret) is wrong." }.joined(separator: "\n"), "text/plain"),
        ]
    }

    /// Returns the request that sends a secret under all names, and in a header whose name suggests nothing if the library knows the secret.
    private func request(_ client: Client, _ path: String, _ secret: String, _ names: [String], knows: Bool) -> Request {
        let start = client.tag("forum").post(path).host("https://stubs.test")
        let noted = knows ? start.header("X-Note", "say \(Self.spellings(secret).percent) twice") : start
        return names.reduce(noted) { request, name in request.param(name, secret).query(name, secret) }
    }

    @Test("a known secret is in no output, under none of forty names and in no encoding", arguments: Source.allCases)
    func everywhere(source: Source) async {
        await each(Self.plainSecrets.indices) { try await everywhere(source, $0) }
    }

    private func everywhere(_ source: Source, _ number: Int) async throws {
        var profile = Profile()
        let secret = try configure(source, number, &profile)
        let texts = try await outputs(profile, secret, Self.names, try Self.bodies(secret), knows: true)
        expectNone(of: secret, in: texts, "\(source)")
    }

    /// Forty names that suggest a secret.
    static let secretNames = [
        "token", "password", "passwd", "pwd", "secret", "client_secret", "access_token", "accessToken", "refresh_token", "refreshToken",
        "id_token", "api_key", "apiKey", "api-key", "authorization", "auth_token", "session_token", "sessionid", "signature", "sign",
        "private_key", "privateKey", "passphrase", "credential", "credentials", "pin", "otp", "cvc", "cvv", "totp", "mfa_code", "sms_code",
        "user_password", "newPassword", "old_password", "密码", "refresh", "access", "X-Api-Key", "csrf_token",
    ]

    @Test("a secret that the library does not know is in no output under forty names that suggest one")
    func unknown() async {
        await each(Self.plainSecrets + Self.oddSecrets) { secret in
            let (percent, _) = Self.spellings(secret)
            let values = Dictionary(uniqueKeysWithValues: Self.secretNames.map { ($0, secret) })
            let json = String(decoding: try JSONEncoder().encode(values), as: UTF8.self)
            let nested = String(decoding: try JSONEncoder().encode(["list": json]), as: UTF8.self)
            let form = Self.secretNames.map { "\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")=\(percent)" }
            let bodies = [
                (json, "application/json"), (nested, "application/json"), (json, "text/plain"),
                (form.joined(separator: "&"), "application/x-www-form-urlencoded"),
            ]
            let texts = try await outputs(Profile(), secret, Self.secretNames, bodies, knows: false)
            expectNone(of: secret, in: texts, "unknown")
        }
    }

    /// Returns a secret in percent encoding, and in escapes of JSON.
    private static func spellings(_ secret: String) -> (percent: String, escaped: String) {
        (
            secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "",
            secret.utf16.map { "\\u" + String(format: "%04x", $0) }.joined()
        )
    }

    /// Returns all that the log, the archive, commands, errors, descriptions, a recording, the inspector and diagnostics show of calls with a secret.
    ///
    /// - Parameter knows: Whether the library knows the secret, so that it may stand in any text.
    private func outputs(
        _ profile: Profile, _ secret: String, _ names: [String], _ bodies: [(text: String, type: String)], knows: Bool
    ) async throws -> [String] {
        let stubs = Stubs()
        let (lines, shown) = (Recorder<String>(), Recorder<String>())
        let client = Client(testing: stubs)
        client.configure("forum") { [profile] in $0 = profile }
        client.log(.verbose, to: LogSink { lines.note($0) })
        client.onDiagnostic { shown.note("\($0)") }
        let archive = HARRecorder()
        client.record(into: archive)
        client.observe { shown.note("\($0)") }
        client.intercept("careless") { call, next in
            do {
                return try await next(call)
            } catch let error as APIError {
                shown.note("\(error) \(error.codeDescription)")
                throw error
            }
        }
        let (inspector, _) = try Inspector.startForCounting(client)
        defer { inspector.stop() }
        for (place, body) in bodies.enumerated() {
            stubs.post("/\(place)").reply(.text(body.text, status: place % 2 == 0 ? 400 : 200, contentType: body.type))
            let request = request(client, "/\(place)", secret, names, knows: knows)
            if let error = await request.execute(as: [Int].self).result.apiError {
                for text in ["\(error)", error.message, error.explanation ?? "", "\(error as NSError)", String(reflecting: error)] {
                    shown.note(text)
                }
                shown.note("\(error.request.map { "\($0) \($0.headers)" } ?? "") \(error.response.map { "\($0) \($0.headers)" } ?? "")")
                shown.note("\(error.codeDescription) \(UnhandledErrorWords.words(of: error))")
            }
            for text in ["\(request)", request.explain(), try await request.curl(), "\(try await request.preview())"] { shown.note(text) }
            shown.note(try await request.text())
        }
        if knows {
            client.diagnostics.report(.otherOrigin, "The server says \(secret).")
            shown.note(UnhandledErrorWords.words(of: Words(errorDescription: "The server says \(secret).")))
        }
        await lines.reached(bodies.count)
        shown.note(String(decoding: try await archive.archive(), as: UTF8.self))
        shown.note(try await recorded(profile, secret, names, bodies, knows: knows))
        return lines.events + shown.events + (try await Self.inspected(by: inspector, count: bodies.count))
    }

    private struct Words: LocalizedError { let errorDescription: String? }

    /// Returns what the page of an inspector receives of calls: the list, each call, and the archive.
    private static func inspected(by inspector: Inspector, count: Int) async throws -> [String] {
        let page = Client()
        page.configureDefaults { defaults in
            defaults.host = "http://127.0.0.1:\(inspector.url.port ?? 0)"
            defaults.headers = ["X-Inspector-Key": inspector.key]
            defaults.envelope = .raw
        }
        let rows = try await page.get("/api/calls").value().calls.array ?? []
        #expect(rows.count >= count)
        var texts = [try await page.get("/api/calls").execute(.string).value, try await page.get("/api/har").execute(.string).value]
        for row in rows { texts.append(try await page.get("/api/calls/\(row.id.int ?? -1)").execute(.string).value) }
        return texts
    }

    /// Returns the text of a recording of calls with a secret.
    private func recorded(
        _ profile: Profile, _ secret: String, _ names: [String], _ bodies: [(text: String, type: String)], knows: Bool
    ) async throws -> String {
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("calls.har")
        let recording = try Recording(
            file, mode: .record,
            over: ClosureTransport { request in
                let body = bodies[Int(request.address.path.dropFirst()) ?? 0]
                return TransportResponse(status: 200, headers: ["Content-Type": body.type], body: TransportBody(Data(body.text.utf8)))
            })
        let client = Client(testing: recording)
        client.configure("forum") { $0 = profile }
        for place in bodies.indices {
            _ = await request(client, "/\(place)", secret, names, knows: knows).execute(as: String.self).result
        }
        try recording.save()
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    private func expectNone(of secret: String, in texts: [String], _ note: String) {
        #expect(texts.contains { $0.contains("***") })
        for form in Self.forms(of: secret) {
            guard let text = texts.first(where: { $0.contains(form) }), let place = text.range(of: form) else { continue }
            Issue.record("\(note) \(form): \(text[place.lowerBound...].prefix(80)) of \(text.prefix(200))")
            return
        }
    }

    /// The texts by which a reader would know the secret.
    private static func forms(of secret: String) -> [String] {
        let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let json = (try? JSONEncoder().encode([secret])).map { String(decoding: $0.dropFirst(2).dropLast(2), as: UTF8.self) } ?? ""
        return [secret, percent, json, Data("ann:\(secret)".utf8).base64EncodedString()]
    }

    @Test(
        "an interceptor that prints an error of the transport shows no secret that its tag knows", arguments: [StageName.start, .transport])
    func intercepted(stage: StageName) async throws {
        let shown = Recorder<String>()
        let client = Client(
            transport: ClosureTransport { _ in
                throw APIError(.connect, code: "made-up-0123456789", message: "The proxy says made-up-0123456789.")
            })
        client.configure("forum") { forum in
            forum.host = "https://forum.test"
            forum.secrets.add(values: "made-up-0123456789")
        }
        client.intercept("careless", .before(stage)) { call, next in
            do {
                return try await next(call)
            } catch let error as APIError {
                shown.note("\(error) \(error.codeDescription)")
                throw error
            }
        }
        let result = await client.tag("forum").get("/a").execute(.void).result
        #expect(result.apiError?.kind == .connect)
        #expect(shown.count == 1 && shown.events[0].contains("The proxy says ***.") && !shown.events[0].contains("0123456789"))
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
        "a known secret in a path is hidden, whatever its encoding, and the rest is shown",
        arguments: [
            ("/v1/made-up-0123456789/users", "/v1/***/users"), ("/v1/%6Dade%2Dup-0123456789.json", "/v1/***.json"),
            ("/v1/rooms", "/v1/rooms"),
        ])
    func paths(path: String, shown: String) async throws {
        let client = Client(testing: Stubs())
        client.configure("forum") { $0.secrets.add(values: "made-up-0123456789") }
        #expect("\(try await client.tag("forum").get(path).preview())" == "GET https://stubs.test\(shown)")
    }

    @Test("a diagnostic hides the secrets of a tag after another setting has changed")
    func changed() async throws {
        let stubs = Stubs()
        stubs.get("/a").reply(json: 1)
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = .bearer("made-up-0123456789") }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 1)
        client.observe { _ in }
        let shown = Recorder<String>()
        client.onDiagnostic { shown.note("\($0)") }
        client.diagnostics.report(.otherOrigin, "The server says made-up-0123456789.")
        #expect(shown.events.count == 1 && !shown.events[0].contains("made-up-0123456789"))
    }

    @Test("all values of the app are hidden, and a value that is noted again stays longer than others")
    func many() {
        let texts = (0..<2000).map { "made-up-value-\($0)" }
        let declared = HeldSecrets(texts)
        let known = KnownSecrets([declared])
        #expect(texts.allSatisfy { known?.hidden(in: "say \($0).") == "say ***." })
        let noted = HeldSecrets()
        noted.note(["made-up-refresh"])
        for number in 0..<1500 { noted.note(["made-up-value-\(number)", "made-up-refresh"]) }
        #expect(KnownSecrets([noted])?.hidden(in: "made-up-refresh") == "***")
        #expect(KnownSecrets([noted])?.hidden(in: "say made-up-value-0.") == nil)
    }

    @Test(
        "text that carries a secret in an unusual form is hidden",
        arguments: [
            "Authorization is Bearer\nmade-up-1", "Bearer: made-up-1", "Bearer=made-up-1", "Bearer\r\n made-up-1",
            #"{"password"/**/:"made-up-1"}"#, #"{"password" /* a */ : /* b */ "made-up-1"}"#, "p%2561ssword=made-up-1",
            "refresh=made-up-1", #"{"access":"made-up-1"}"#, "cvc=made-up-1", "totp: made-up-1", "mfa_code=made-up-1", "smsCode=made-up-1",
            #"{"token": /* old password: "made-up-1" */ "new"}"#, "token=/*password=made-up-1*/x", "password=/* a\nb */ made-up-1",
            "password=/* made-up-1",
            "-----BEGIN PRIVATE KEY-----\nmade-up-1\n-----END PRIVATE KEY-----",
        ])
    func text(text: String) {
        #expect(!Redaction.standard.redact(text: text).contains("made-up-1"))
        for type in [
            nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=other", "application/x-pem-file",
        ] {
            var pass = RedactionPass(ofBodyHiding: .standard)
            let shown = pass.redact(body: Array(text.utf8), contentType: type).map { String(decoding: $0, as: UTF8.self) }
            #expect(shown?.contains("made-up-1") != true, "\(type ?? "no type")")
        }
    }

    private static let form = "--real\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nmade-up-1\r\n--real--\r\n"

    @Test(
        "the parts of a form are read although its boundary is not the declared one",
        arguments: ["multipart/form-data; boundary=other", "multipart/form-data"])
    func boundary(type: String) {
        var pass = RedactionPass(ofBodyHiding: .standard)
        #expect(
            pass.redact(body: Array(Self.form.utf8), contentType: type).map { String(decoding: $0, as: UTF8.self) }?.contains("made-up-1")
                != true)
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
            .text(#"{"code":5,"msg":"\#(text)"}"#, contentType: "application/json").header(
                "Content-Disposition", "attachment; filename*=UTF-8''a\(mark.addingPercentEncoding(withAllowedCharacters: []) ?? "")b.txt"))
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
