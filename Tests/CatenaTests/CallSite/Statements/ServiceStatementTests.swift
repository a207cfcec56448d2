import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

private struct Post: Codable, Sendable, Equatable {
    let id: Int
}

/// The behaviour that a team relies on after its own services.
@Suite("Statements 17 to 20: services", .limitedParallelism)
struct ServiceStatementTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
        client.onDiagnostic { _ in }
    }

    @Test(
        "17: calls for data, a response or neither are one line each; they are authenticated and choose their method by their body unless set otherwise"
    )
    func services() async throws {
        let signIn = Authentication(BearerAuthenticator(), store: MemoryCredentialStore(BearerToken(accessToken: "made-up")))
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com/api"
            forum.authentication = signIn
        }
        stubs.get("/images/7").reply(body: Data("pixels".utf8), contentType: "image/png")
        stubs.on(nil, "/posts/**").reply(data: Post(id: 7))

        let data = try await client.tag("forum").get("/images/7").query(["size": "a+b"]).execute(.data).value
        let post = try await client.tag("forum").path("/posts/7").json(["text": "Hello"]).value(as: Post.self)
        try await client.tag("forum").path("/posts/7").execute(.void).value
        try await client.tag("forum").delete("/posts/7").json(["reason": "spam"]).authenticated(false).execute(.void).value

        #expect(data == Data("pixels".utf8) && post == Post(id: 7))
        #expect(
            stubs.requests.compactMap(\.sent?.sentLine) == [
                "GET https://forum.example.com/api/images/7?size=a%2Bb", "POST https://forum.example.com/api/posts/7",
                "GET https://forum.example.com/api/posts/7", "DELETE https://forum.example.com/api/posts/7",
            ])
        #expect(stubs.requests.map(\.text) == ["", #"{"text":"Hello"}"#, "", #"{"reason":"spam"}"#])
        #expect(stubs.requests.map { $0.headers["Authorization"] } == ["Bearer made-up", "Bearer made-up", "Bearer made-up", nil])
    }

    @Test("18: the library imports Foundation, on Linux its essentials alone, and the system's modules, but no package")
    func foundationOnly() throws {
        let root = URL.packageRoot
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(manifest.contains("name: \"Catena\"") && !manifest.contains(".package("))
        let known: Set<Substring> = [
            "Android", "CCurl", "COpenSSL", "CScan", "Catena", "CatenaArchive", "CatenaLoopback", "CatenaPlatform", "CatenaPromise",
            "Combine", "CryptoKit",
            "Darwin",
            "Dispatch",
            "Foundation", "FoundationEssentials",
            "FoundationNetworking", "Glibc",
            "Musl", "Network", "Observation", "Security", "Swift", "Synchronization", "os",
        ]
        var imported: Set<Substring> = []
        let targets = ["", "Archive", "Fleet", "Loopback", "Platform", "Promise", "Rules", "Signers", "Testing"]
        for folder in targets.map({ "Sources/Catena\($0)" }) {
            let folder = root.appending(path: folder)
            let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for file in files where file.hasSuffix(".swift") && !file.contains(".docc/") {
                let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                let modules = Set(source.matches(of: /(?m)^\s*(?:[@\w()]+ )*import (\w+)/).map(\.1))
                imported.formUnion(modules)
                // A file with the condition belongs to the product CatenaURLSession on Linux.
                if source.hasPrefix("#if CATENA_SESSION") || folder.lastPathComponent == "CatenaPlatform" { continue }
                #expect(modules.isDisjoint(with: ["Foundation", "Glibc", "Darwin"]), "\(file) imports CatenaPlatform instead")
            }
        }
        #expect(imported.contains("Foundation"))
        #expect(imported.subtracting(known).isEmpty)
    }

    @Test("19: base params and default headers go with every request unless it leaves them out, and the credential if a user is signed in")
    func base() async throws {
        let device = Device(app: "live", appVersion: "2.1", system: "iOS", systemVersion: "18.1", model: "iPhone15,2", language: "zh")
        let base = BaseParameters(device, channel: "appstore", deviceID: "d1")
        let signIn = Authentication(
            HeaderPairAuthenticator(user: "pub_uid", ticket: "pub_ticket"), store: MemoryCredentialStore<HeaderCredential>())
        client.commonParams { _ in base.params }
        client.commonHeaders { _ in base.headers }
        client.configureDefaults { $0.authentication = signIn }
        let request = client.post("/a").json(["id": 7])
        let sent = try await request.preview()
        #expect(
            sent.address.query
                == "acceptLanguage=zh&os=iOS&osVersion=18.1&channel=appstore&model=iPhone15%2C2&deviceId=d1&appVersion=2.1&app=live&lang=zh"
        )
        #expect(
            ["Accept", "Accept-Language", "App-Version", "Content-Type"].map { sent.headers[$0] }
                == ["application/json", "zh", "2.1", "application/json"])
        #expect(["pub_uid", "pub_ticket"].map { sent.headers[$0] } == [nil, nil])
        let bare = try await request.commonParams(.none).commonHeaders(.none).preview()
        #expect(bare.address.query == nil && bare.headers["App-Version"] == nil)
        try signIn.signIn(HeaderCredential(user: "7", ticket: "made-up"))
        let signedIn = try await request.preview()
        #expect(["pub_uid", "pub_ticket"].map { signedIn.headers[$0] } == ["7", "made-up"])
    }

    @Test(
        "20: a request is signed with the MD5, in upper case, of its sorted and joined params and the secret, without the excluded params")
    func signature() async throws {
        var signer = ParameterSigner(.md5, secret: .suffix("&key=made-up"), placement: .query("pubSign"))
        signer.excluded = ["app", "os"]
        signer.format = .upperHex
        let params: Params = ["os": "iOS", "b": "2 3", "app": "live", "a": 1, "c": nil as String?]
        #expect(try signer.canonicalText(of: params) == "a=1&b=2 3")
        client.configureDefaults { [signer] in $0.signer = signer }
        let sent = try await client.get("/a").params(params).preview()
        // The digest of `a=1&b=2 3&key=made-up`, by another implementation.
        #expect(sent.address.query == "os=iOS&b=2%203&app=live&a=1&pubSign=BA383F41D6D723B99E70057851301193")
    }

    @Test("20: a timeout of 30 seconds ends a call, and a response is limited to 50 MiB by default")
    func limits() async throws {
        client.configureDefaults { $0.timeout = .seconds(30) }
        stubs.get("/slow").delay(.seconds(31)).reply(data: 1)
        let late = await #expect(throws: APIError.self) { try await client.get("/slow").value() }
        #expect(late?.kind == .timeout && late?.code == 110)
        #expect(stubs.clock.now == .seconds(30))
        let limit = 50 * 1024 * 1024
        stubs.get("/fits").reply(body: Data(count: limit), contentType: "a/b")
        stubs.get("/large").reply(body: Data(count: limit + 1), contentType: "a/b")
        #expect(try await client.get("/fits").execute(.data).value.count == limit)
        #expect(await #expect(throws: APIError.self) { try await client.get("/large").execute(.data).value }?.kind == .bodyTooLarge)
    }

    @Test(
        "20: each kind of failure has its own error",
        arguments: [
            ("an address that is none", nil, .invalidRequest), ("no data", .text(""), .missingPayload),
            ("another type", .json(["code": 0, "data": "text"]), .decoding), ("no network", .offline, .offline),
            ("a status", .reply(code: 0, message: "m", status: 503), .status), ("out of time", .timeout, .timeout),
            ("success: false", .json(["success": false, "message": "m"]), .business),
        ] as [(String, StubReply?, APIError.Kind)])
    func errors(name: String, reply: StubReply?, kind: APIError.Kind) async throws {
        if let reply { stubs.get("/a").reply(reply) }
        let request = reply == nil ? client.host("not a host").get("/a") : client.get("/a")
        let error = try #require(await #expect(throws: APIError.self) { try await request.value(as: Post.self) })
        #expect(error.kind == kind)
        if kind == .status { #expect(error.status == 503 && error.message == "m") }
    }

    @Test("20: a call is cancelled with its task, retried after doubling waits, and logged with its request and response")
    func running() async throws {
        stubs.get("/never").reply(.unanswered)
        // The clock stands still, so that no limit ends the call before it is cancelled.
        let still = Client(testing: stubs, clock: VirtualClock())
        let task = Task { try await still.get("/never").value() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }

        let lines = Recorder<String>()
        client.log(.verbose, to: LogSink { lines.note($0) })
        stubs.get("/a").sequence(.status(503), .connectionLost, .reply(data: Post(id: 7)))
        let start = stubs.clock.now
        let post = try await client.get("/a").params(["page": 1]).header("X-App", "1").retry(.exponential(limit: 2, baseDelay: .seconds(1)))
            .value(as: Post.self)
        #expect(post == Post(id: 7))
        #expect(stubs.clock.now - start == .seconds(1 + 2))
        await lines.reached(3)
        let logged = lines.events.joined(separator: "\n")
        for words in ["GET https://stubs.test/a?page=1", "X-App: 1", "503", "connectionLost", "200", "bytes in", "ms", #""id":7"#] {
            #expect(logged.contains(words), "\(words) in \(logged)")
        }
    }
}
