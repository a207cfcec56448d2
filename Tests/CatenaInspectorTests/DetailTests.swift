import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("One call", .limitedParallelism) struct DetailTests {
    @Test("details have request and response with headers, params and bodies")
    func messages() async throws {
        let probe = try Probe()
        probe.stubs.post("/rooms").reply(code: 0, data: ["id": 7])
        try await probe.client.post("/rooms").query(["page": 2]).json(["name": "lobby"]).header("X-App", "ios").execute(.void).value
        let detail = try await probe.detail(probe.row())
        let attempt = detail.attempts[0]
        #expect(detail.summary.id.int == (try await probe.row()).id.int)
        #expect(attempt.outcome.string == "succeeded")
        #expect(attempt.request.method.string == "POST")
        #expect(attempt.request.params[0].array?.compactMap(\.string) == ["page", "2"])
        #expect(attempt.request.headers.array?.contains { $0[0].string == "X-App" && $0[1].string == "ios" } == true)
        #expect(attempt.request.body.text.string == #"{"name":"lobby"}"#)
        #expect(attempt.response.status.int == 200)
        #expect(attempt.response.body.text.string?.contains(#""id":7"#) == true)
        #expect(attempt.response.body.type.string == "application/json")
        #expect(
            detail.envelope.array?.contains {
                $0.string?.hasPrefix("found: ") == true && $0.string?.hasSuffix(" is 0: success, clear") == true
            } == true)
        #expect(detail.error.isNull)
        #expect(detail.curl.string?.contains("--data-raw '{\"name\":\"lobby\"}'") == true)
    }

    @Test("a secret that the library knows is hidden under any name", arguments: ["made-up-0123456789", "made-up/S3cr&t <é>"])
    func knownValues(secret: String) async throws {
        let probe = try Probe()
        probe.client.configure("forum") {
            $0.secrets.add(values: secret)
            $0.authentication = .basic(user: "ann", password: "made-up-password")
        }
        let body = String(decoding: try JSONEncoder().encode(["msg": "wrong: \(secret), made-up-password", "x": secret]), as: UTF8.self)
        probe.stubs.post("/rooms").reply(.text(body, status: 400, contentType: "application/json"))
        let request = probe.client.tag("forum").post("/rooms").query(["x": secret]).json(["note": secret]).header(
            "X-Note", "made-up-password")
        _ = await request.execute().result
        let shown = [
            try await probe.get("/api/calls").execute(.string).value,
            try await probe.get("/api/calls/\(probe.row().id.int ?? 0)").execute(.string).value,
            try await probe.get("/api/har").execute(.string).value,
        ].joined()
        let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        for form in [
            secret, percent, secret.replacing("/", with: "\\/"), "made-up-password",
            Data("ann:made-up-password".utf8).base64EncodedString(),
        ] {
            #expect(!shown.contains(form), "\(form)")
        }
        #expect(shown.contains("***"))
    }

    @Test("the row of a call hides a secret that the library knows in the code of a success")
    func knownCode() async throws {
        let probe = try Probe()
        probe.client.configure("forum") {
            $0.secrets.add(values: "made-up-0123456789")
            $0.envelope = .standard.success(whereMessageIs: "ok")
        }
        probe.stubs.get("/a").reply(.text(#"{"code":"made-up-0123456789","msg":"ok","data":1}"#, contentType: "application/json"))
        _ = try await probe.client.tag("forum").get("/a").value()
        #expect(try await probe.row().code.string == "***")
    }

    private struct Country: Decodable {
        let code: Int
        let name: String
    }

    @Test("a transformation of the payload receives the request of the response that is explained")
    func transformedPayload() async throws {
        let probe = try Probe()
        probe.client.configure("sealed") { sealed in
            sealed.host = "https://sealed.test"
            sealed.envelope = .standard.transformPayload { _, request in
                Data("\"opened with \(request.headers["X-Key-ID"] ?? "no key")\"".utf8)
            }
        }
        probe.stubs.get("/a").reply(.json(text: #"{"code":0,"data":"c2VhbGVk"}"#))
        let opened: String = try await probe.client.tag("sealed").get("/a").header("X-Key-ID", "k7").value()
        #expect(opened == "opened with k7")
        let lines = try await probe.detail(probe.row()).envelope.array?.compactMap(\.string) ?? []
        #expect(lines.contains { $0.contains("opened with k7") }, "\(lines)")
        #expect(!lines.contains { $0.contains("needs the request") })
    }

    @Test("the envelope is explained for the type that the call decodes")
    func envelopeOfType() async throws {
        let probe = try Probe()
        probe.stubs.get("/countries/86").reply(json: ["code": 86, "name": "China"])
        let country = try await probe.client.get("/countries/86").value(as: Country.self)
        #expect(country.code == 86)
        let lines = try await probe.detail(probe.row()).envelope.array?.compactMap(\.string) ?? []
        #expect(lines.contains("type: Country fits the whole body"))
        #expect(lines.contains { $0.hasPrefix("found: ") && $0.contains(" is 86: failure, weak, does not count") })
    }

    @Test("details have each attempt, and the reason for the next one")
    func attempts() async throws {
        let probe = try Probe()
        probe.stubs.get("/a").sequence(.status(503), .connectionLost, .reply(data: 1))
        _ = try await probe.client.get("/a").retry(.exponential(limit: 3)).value()
        let detail = try await probe.detail(probe.row())
        #expect(detail.attempts.array?.compactMap(\.outcome.string) == ["failed", "failed", "succeeded"])
        #expect(detail.attempts[0].response.status.int == 503)
        #expect(detail.attempts[1].response.isNull)
        #expect(detail.attempts[1].error.string?.hasPrefix("connectionLost") == true)
        let decisions = detail.decisions.array?.compactMap(\.string) ?? []
        #expect(decisions.count == 2)
        #expect(decisions.first?.hasPrefix("retry: another attempt after") == true)
        #expect(decisions.first?.hasSuffix("since status 503") == true)
        #expect(detail.lanes.array?.contains { $0.name.string == "retry" && ($0.end.double ?? 0) > ($0.start.double ?? 0) } == true)
    }

    @Test("details of a cached response have its body and the decision of the cache")
    func cache() async throws {
        let probe = try Probe()
        probe.client.configureDefaults { $0.cache = .memory(limit: 100_000) }
        probe.stubs.get("/a").reply { _ in .json(["code": 0, "data": 1]).header("Cache-Control", "max-age=60") }
        for _ in 0..<2 { _ = try await probe.client.get("/a").value() }
        let (second, first) = try await (probe.rows()[0], probe.rows()[1])
        #expect(first.source.string == "stub")
        #expect(second.source.string == "cache")
        #expect(second.attempts.int == 0)
        #expect(second.freshness.string == "fresh")
        #expect(first.freshness.isNull)
        let kept = try await probe.detail(second)
        #expect(kept.attempts[0].response.body.text.string == #"{"code":0,"data":1}"#)
        #expect(kept.decisions[0].string?.hasPrefix("cache: the kept response is used") == true)
        #expect(kept.decisions[0].string?.hasSuffix("and fresh") == true)
        #expect(kept.previous.int == first.id.int)
        let fetched = try await probe.detail(first)
        #expect(fetched.decisions.array?.compactMap(\.string).last == "cache: the response is kept")
    }

    @Test("details list the redirects of an attempt")
    func redirects() async throws {
        let probe = try Probe()
        probe.stubs.get("/old").reply { _ in .status(302).header("Location", "/new") }
        probe.stubs.get("/new").reply(data: 1)
        _ = try await probe.client.get("/old").value()
        let redirects = try await probe.detail(probe.row()).attempts[0].redirects
        #expect(redirects.array?.count == 1)
        #expect(redirects[0].status.int == 302)
        #expect(redirects[0].from.string?.hasSuffix("/old") == true)
        #expect(redirects[0].to.string?.hasSuffix("/new") == true)
    }

    @Test("details have the error that the app received")
    func error() async throws {
        let probe = try Probe()
        probe.stubs.get("/a").reply(data: ["name": 42])
        struct Named: Decodable { let name: String }
        _ = await probe.client.get("/a").execute(as: Named.self).catch { _ in }.result
        let detail = try await probe.detail(probe.row())
        #expect(detail.error.kind.string == "decoding")
        #expect(detail.error.message.string?.contains("\"name\"") == true)
        #expect(detail.error.description.string?.isEmpty == false)
    }

    @Test("details, list and archive hide secrets unless the settings show them", arguments: [false, true])
    func secrets(_ showsSecrets: Bool) async throws {
        let probe = try Probe { $0.showsSecrets = showsSecrets }
        probe.client.configure("wallet") { wallet in
            wallet.host = "https://wallet.example.com"
            wallet.authentication = .bearer("made-up")
            wallet.secrets.add(params: "uid")
        }
        probe.stubs.post("/pay").reply { _ in
            .json(["code": 7, "msg": "token=made-up", "data": ["uid": "made-up", "password": "made-up"]])
        }
        _ = await probe.client.tag("wallet").post("/pay").query(["token": "made-up"]).json(["pin": "made-up"]).execute().catch { _ in }
            .result
        let row = try await probe.row()
        for path in ["/api/calls/\(row.id.int ?? 0)", "/api/calls", "/api/har"] {
            let text = try await probe.get(path).execute(.string).value
            #expect(text.contains("made-up") == showsSecrets, "\(path): \(text)")
        }
    }

    @Test("details show binary bodies as base64 and text in its charset, and cut long bodies")
    func bodies() async throws {
        let probe = try Probe { $0.limits.body = 1000 }
        probe.stubs.get("/picture").reply(body: Data([0x89, 0x50, 0x4E, 0x47, 0, 1, 2]), contentType: "image/png")
        probe.stubs.get("/latin").reply(body: Data([0x63, 0x61, 0x66, 0xE9]), contentType: "text/plain; charset=iso-8859-1")
        probe.stubs.get("/long").reply(text: String(repeating: "é", count: 100_000))
        for path in ["/picture", "/latin", "/long"] { _ = try await probe.client.get(path).execute(.data).value }
        let rows = try await probe.rows()
        let (long, latin, picture) = try await (probe.detail(rows[0]), probe.detail(rows[1]), probe.detail(rows[2]))
        #expect(picture.attempts[0].response.body.base64.string == Data([0x89, 0x50, 0x4E, 0x47, 0, 1, 2]).base64EncodedString())
        #expect(latin.attempts[0].response.body.text.string == "café")
        let body = long.attempts[0].response.body
        #expect(body.size.int == 200_000)
        #expect(body.cut.bool == true)
        #expect(body.text.string == String(repeating: "é", count: 500))
        #expect(rows[0].received.int == 200_000)
    }

    @Test("a request for a dropped call receives a 404 with the reason")
    func gone() async throws {
        let probe = try Probe()
        guard case .failure(let error as APIError) = await probe.get("/api/calls/123456789").execute().result else {
            return #expect(Bool(false))
        }
        #expect(error.status == 404)
        #expect(String(decoding: error.body ?? Data(), as: UTF8.self).contains("not kept any more"))
    }

    @Test("the generated code makes the call again, relative to its tag's host")
    func code() async throws {
        let probe = try Probe()
        probe.client.configure("forum") { $0.host = "https://forum.example.com/api" }
        probe.stubs.post("/api/rooms").reply(data: 1)
        try await probe.client.tag("forum").post("/rooms").json(["name": "a \"b\""]).header("X-App", "ios").execute(.void).value
        let detail = try await probe.detail(probe.row())
        #expect(
            detail.swift.string == """
                API.tag(.forum)
                    .post("/rooms")
                    .header("X-App", "ios")
                    .json(try JSON(parsing: Data(#"{"name":"a \\"b\\""}"#.utf8)))
                    .execute()
                """)
        #expect(detail.stub.string?.hasPrefix("stubs.post(\"/rooms\").reply(body: Data(#\"{") == true)
    }
}
