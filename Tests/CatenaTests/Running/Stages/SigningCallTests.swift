import CatenaSigners
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Signed calls", .limitedParallelism)
struct SigningCallTests {
    let stubs = Stubs()

    /// The digests of `a=1,true&b=2&e=&nonce=1&o[x]=1&key=made-up` and of this text with the nonce 2, computed by another implementation.
    private static let digests = ["b02e81cc2a9aec98ef9bda751b6eb3dc", "1224f9665a8f1322fbc5a7cb2e269bfb"]

    private func client(_ placement: ParameterSigner.Placement = .query("sign")) -> Client {
        let client = Client(testing: stubs)
        let asked = Counter()
        client.commonParams { _ in
            asked.increment()
            return ["nonce": asked.count, "b": "common"]
        }
        client.configureDefaults { $0.signer = ParameterSigner(.md5, secret: .suffix("&key=made-up"), placement: placement) }
        return client
    }

    private static let params: Params = ["b": 2, "a": JSON(array: [1, true]), "n": nil as Int?, "o": ["x": "1"] as Params, "e": ""]

    @Test("each attempt is signed again, after all params have been merged")
    func anew() async throws {
        stubs.get("/a").sequence(.status(503), .reply(data: 1))
        try await client().get("/a").params(Self.params).retry(.exponential(limit: 1)).execute(.void).value
        #expect(stubs.requests.map { $0.query("nonce") } == ["1", "2"])
        #expect(stubs.requests.map { $0.query("sign") } == Self.digests)
    }

    @Test("the signature is placed in the query, a header or the body", arguments: ["query", "header", "body"])
    func placement(_ place: String) async throws {
        stubs.post("/a").reply(data: 1)
        let placement: ParameterSigner.Placement =
            switch place {
            case "header": .header("X-Sign")
            case "body": .body("sign")
            default: .query("sign")
            }
        try await client(placement).post("/a").params(Self.params).execute(.void).value
        let call = try #require(stubs.requests.first)
        #expect([call.query("sign"), call.headers["X-Sign"], call.json["sign"].string].compactMap { $0 } == [Self.digests[0]])
    }

    @Test("a preview is signed, and the second sending after a refresh is signed again")
    func previewAndReplay() async throws {
        let client = client()
        client.configureDefaults { $0.authentication = Authentication(CountingScheme(), store: MemoryCredentialStore(.first)) }
        #expect(try await client.get("/a").params(Self.params).preview().url.query?.contains("sign=\(Self.digests[0])") == true)
        stubs.get("/a").sequence(.status(401), .reply(data: 1))
        try await client.get("/a").params(Self.params).execute(.void).value
        #expect(stubs.requests.first?.query("sign") == Self.digests[1])
        #expect(stubs.requests.first?.query("sign") != stubs.requests.last?.query("sign"))
    }

    @Test("the signature includes the params of the path's query and of the sign-in")
    func writtenQuery() async throws {
        let seen = Recorder<String>()
        let client = Client(testing: stubs)
        client.commonParams { _ in ["x": "common", "c": 1] }
        let authentication = Authentication(QueryAuthenticator("k"))
        try authentication.signIn(BearerToken(accessToken: "made up", user: "ann"))
        client.configureDefaults {
            $0.signer = Noting(seen: seen)
            $0.authentication = authentication
        }
        _ = try await client.get("/a?x=1&y=a%20b&z=1&z=2&n").params(["y": "own"]).preview()
        #expect(seen.events == ["c=1&k=made up&n=&x=1&y=own&z=1,2"])
        client.intercept("more") { call, next in
            var call = call
            call.request.address = try HTTPAddress(parsing: "https://stubs.test/a?x=2&more=3")
            return try await next(call)
        }
        stubs.get("/a").reply(data: 1)
        try await client.get("/a").execute(.void).value
        // A param that the interceptor has removed is not sent, and therefore not signed.
        #expect(seen.events.last == "k=made up&more=3&x=2")
    }

    @Test(
        "the signature includes all values of a repeated name that are sent, and no others",
        arguments: [
            ("/a?tag=x", [:], "tag=x&tag=y", "tag=x,y"), ("/a?a=1&a=2", [:], "a=1", "a=1"),
            ("/a", ["ids": [1, 2]], "ids%5B%5D=1&ids%5B%5D=3", "ids[]=1,3"),
            (
                "/a", ["o": ["x": 1, "y": 2] as Params], "o%5Bx%5D=1&o%5By%5D=2&o%5Bz%5D=3",
                "o[x]=1&o[y]=2&o[z]=3"
            ),
        ] as [(String, Params, String, String)])
    func changedQuery(path: String, params: Params, query: String, signed: String) async throws {
        let seen = Recorder<String>()
        let client = Client(testing: stubs)
        client.configureDefaults { $0.signer = Noting(seen: seen) }
        client.intercept("change") { call, next in
            var call = call
            call.request.address = try HTTPAddress(parsing: "https://stubs.test/a?\(query)")
            return try await next(call)
        }
        stubs.get("/a").reply(data: 1)
        try await client.get(path).params(params).execute(.void).value
        #expect(seen.events == [signed])
    }

    @Test("a signer that throws fails the call, and nothing is sent")
    func failing() async {
        struct Refusing: RequestSigner {
            func sign(_ request: inout HTTPRequest, params: Params) throws { throw Failure(4) }
        }
        let client = Client(testing: stubs)
        client.configureDefaults { $0.signer = Refusing() }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
        #expect(error?.message.hasPrefix("signer: ") == true)
        #expect(error?.underlying as? Failure == Failure(4))
        #expect(stubs.requests.isEmpty)
    }

    @Test("a header that a signer sets is validated before it is sent")
    func unsafe() async {
        struct Careless: RequestSigner {
            func sign(_ request: inout HTTPRequest, params: Params) { request.headers["X-Sign"] = "a\r\nX-B: c" }
        }
        let client = Client(testing: stubs)
        client.configureDefaults { $0.signer = Careless() }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
        #expect(error?.kind == .invalidRequest)
        #expect(stubs.requests.isEmpty)
    }

    /// Signers whose signature is different for each request.
    static let signers: [@Sendable (_ count: Counter) -> any RequestSigner] = [
        { count in
            .awsSignatureV4(accessKey: "AKIDEXAMPLE", secretKey: "made-up", sessionToken: "made-up", region: "r", service: "s3") {
                count.increment()
                return Date(timeIntervalSince1970: Double(count.count))
            }
        },
        { _ in .weChatPayV3(merchant: "1", serial: "2") { _ in Array("made-up".utf8) } },
    ]

    private static let signed = ["Authorization", "X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-SHA256"]

    @Test("a time-dependent signature is new for each attempt", arguments: signers.indices)
    func moments(row: Int) async throws {
        let client = Client(testing: stubs)
        client.configureDefaults { $0.signer = Self.signers[row](Counter()) }
        stubs.get("/a").sequence(.status(503), .reply(data: 1))
        try await client.get("/a").retry(.exponential(limit: 1)).execute(.void).value
        #expect(Set(stubs.requests.compactMap { $0.headers["Authorization"] }).count == 2)
    }

    @Test("a time-dependent signature does not prevent caching, and another key has its own response", arguments: signers.indices)
    func kept(row: Int) async throws {
        let client = Client(testing: stubs)
        client.configureDefaults { defaults in
            defaults.cache = .memory(limit: 1_000_000)
            defaults.signer = Self.signers[row](Counter())
        }
        let count = Counter()
        stubs.get("/a").reply { _ in
            count.increment()
            return .reply(data: count.count).header("Cache-Control", "max-age=60")
        }
        for _ in 0..<2 { #expect(try await client.get("/a").value(as: Int.self) == 1) }
        client.configureDefaults {
            if row == 0 {
                $0.signer = .awsSignatureV4(accessKey: "AKIDOTHER", secretKey: "made-up", region: "r", service: "s3")
            } else {
                $0.signer = .weChatPayV3(merchant: "3", serial: "2") { _ in [] }
            }
        }
        #expect(try await client.get("/a").value(as: Int.self) == 2)
    }

    @Test("calls that differ only in a time-dependent signature share a response", arguments: signers.indices)
    func shared(row: Int) async throws {
        let client = Client(testing: stubs)
        client.configureDefaults { defaults in
            defaults.dedupe = true
            defaults.signer = Self.signers[row](Counter())
        }
        let gate = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            try await gate.promise.value
            return .reply(data: 7)
        }
        let request = client.get("/a")
        let calls = [request.execute(as: Int.self), request.execute(as: Int.self)]
        let run = CallRun(request)
        let key = try #require(try DedupeKey(await Preparation.call(of: run), needsPayload: true))
        await run.tagState.flights.waiters(of: [key], count: 2)
        gate.resolver.fulfill(())
        #expect(try await Promise.all(calls).value == [7, 7] && stubs.requests.count == 1)
    }

    @Test("a redirect to another origin drops the signature", arguments: signers.indices)
    func redirected(row: Int) async throws {
        let client = Client(testing: stubs)
        client.configureDefaults { $0.signer = Self.signers[row](Counter()) }
        stubs.get("/a").reply(.status(302).header("Location", "https://other.test/b"))
        stubs.get("https://other.test/b").reply(data: 1)
        try await client.get("/a").execute(.void).value
        #expect(stubs.requests.first?.headers.contains("Authorization") == true)
        #expect(Self.signed.compactMap { stubs.requests.last?.headers[$0] } == [])
    }

    @Test("a call that an interceptor after signing moves to another origin loses its signature headers", arguments: signers.indices)
    func moved(row: Int) async throws {
        let client = Client(testing: stubs)
        client.configureDefaults { $0.signer = Self.signers[row](Counter()) }
        client.intercept("move", .before(.transport)) { call, next in
            var call = call
            call.request.address = try HTTPAddress(parsing: "https://other.test/b")
            return try await next(call)
        }
        stubs.get("https://other.test/b").reply(data: 1)
        try await client.get("/a").header("X-Own", "1").execute(.void).value
        #expect(Self.signed.compactMap { stubs.requests.first?.headers[$0] } == [] && stubs.requests.first?.headers["X-Own"] == "1")
    }

    @Test("a call that an interceptor after signing moves to another origin loses the signature in its body")
    func movedBody() async throws {
        let client = client(.body("sign"))
        client.intercept("move", .before(.transport)) { call, next in
            var call = call
            call.request.address = try HTTPAddress(parsing: "https://other.test/b")
            return try await next(call)
        }
        stubs.post("https://other.test/b").reply(data: 1)
        try await client.post("/a").json(["a": 1]).execute(.void).value
        #expect(stubs.requests.first?.text == #"{"a":1}"#)
    }

    @Test("descriptions of a signed call contain no signature, key or token")
    func shown() async throws {
        for signer in Self.signers {
            let client = Client(testing: stubs)
            client.configure("pay") { $0.signer = signer(Counter()) }
            let text = try await client.tag("pay").get("/a").curl() + client.tag("pay").get("/a").explain()
            #expect(!text.contains("made-up") && !text.contains("bWFkZS11cA") && !text.contains("AKIDEXAMPLE"))
            #expect(text.contains("Authorization") && text.contains("***"))
        }
        let client = Client(testing: stubs)
        client.configure("pay") { pay in
            pay.encoding = .custom(XMLParameterEncoder())
            pay.signer = .weChatPayV2(key: "made-up")
        }
        let order = client.tag("pay").post("/a").params(["appid": "open-1"])
        let sent = String(decoding: try await order.preview().body ?? Data(), as: UTF8.self)
        let signature = try #require(sent.firstMatch(of: /<sign>(\w{32})<\/sign>/)?.1)
        let text = try await order.curl()
        #expect(!text.contains(signature) && text.contains("open-1"))
    }
}

/// Records the params that it is given to sign.
private struct Noting: RequestSigner {
    let seen: Recorder<String>

    func sign(_ request: inout HTTPRequest, params: Params) throws {
        seen.note(try ParameterSigner(.md5).canonicalText(of: params))
    }
}
