import CatenaArchive
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

private enum ScreenName: OptionKey { static let initial: String? = nil }
private enum Tries: OptionKey { static let initial = 3 }

@Suite("Values of the app's own", .limitedParallelism)
struct RequestOptionTests {
    private let stubs = Stubs()
    private let secret = "made-up-value"

    private struct ScreenSigner: RequestSigner {
        func sign(_ request: inout HTTPRequest, params: Params) { request.headers["X-Signed"] = request[ScreenName.self] }
    }

    private func client() -> Client {
        let client = Client(testing: stubs)
        client.defaultHost = "https://example.com"
        return client
    }

    @Test("a step sets a value, a later one replaces it, and a request without it has the initial value")
    func steps() {
        let request = client().get("/a").set(ScreenName.self, "rooms")
        #expect(request[ScreenName.self] == "rooms" && request[Tries.self] == 3)
        let other = request.set(ScreenName.self, "lobby").set(Tries.self, 5)
        #expect(other[ScreenName.self] == "lobby" && other[Tries.self] == 5)
        #expect(request[ScreenName.self] == "rooms" && client().get("/a")[ScreenName.self] == nil)
    }

    @Test("interceptors, signers, observers, logs, stubs and error handlers read the value of their call")
    func readers() async throws {
        let client = client()
        let read = Recorder<String>()
        client.configureDefaults { $0.signer = ScreenSigner() }
        client.intercept("read") { call, next in
            read.note("interceptor \(call[ScreenName.self] ?? "none")")
            var call = call
            // A new request without any values.
            call.request = HTTPRequest(method: .get, address: call.request.address, headers: call.request.headers)
            return try await next(call)
        }
        client.observe { event in if case .started = event.kind { read.note("observer \(event[ScreenName.self] ?? "none")") } }
        client.log(.oneLine, to: LogSink.entries { read.note("log \($0[ScreenName.self] ?? "none")") })
        client.onError { _, request in
            read.note("handler \(request[ScreenName.self] ?? "none")")
            return .proceed
        }
        stubs.get("/a").when { $0[ScreenName.self] == "rooms" }.reply { call in
            read.note("stub \(call[ScreenName.self] ?? "none") \(call.headers["X-Signed"] ?? "unsigned")")
            return .status(503)
        }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").set(ScreenName.self, "rooms").execute(.void).value }
        #expect(error?.status == 503)
        await client.waitUntilIdle()
        #expect(
            Set(read.events) == ["interceptor rooms", "observer rooms", "log rooms", "handler rooms", "stub rooms rooms"])
    }

    @Test("a redirect, a retry and a call whose request cannot be made keep the value")
    func kept() async throws {
        let client = client()
        let read = Recorder<String>()
        client.log(.oneLine, to: LogSink.entries { read.note($0[ScreenName.self] ?? "none") })
        client.observe { event in if case .finished = event.kind { read.note(event[ScreenName.self] ?? "none") } }
        stubs.get("/a").sequence(.status(503), .status(302).header("Location", "/b"))
        stubs.get("/b").when { $0[ScreenName.self] == "rooms" }.reply(data: 1)
        let request = client.get("/a").set(ScreenName.self, "rooms")
        try await request.retry(.exponential(limit: 1)).execute(.void).value
        _ = await request.header("Host", "x").execute(.void).result
        await client.waitUntilIdle()
        #expect(Set(read.events) == ["rooms"] && read.count == 5)
    }

    @Test("no description, log, archive or command shows a value")
    func hidden() async throws {
        let client = client()
        let lines = Recorder<String>()
        let recorder = HARRecorder()
        client.log(.verbose, to: LogSink { lines.note($0) })
        client.record(into: recorder)
        client.observe { event in
            var text = ""
            dump(event, to: &text)
            lines.note(text + "\(event)")
        }
        stubs.get("/a").reply { call in
            var text = ""
            dump(call, to: &text)
            lines.note(text)
            return .reply(data: 1)
        }
        let request = client.get("/a").set(ScreenName.self, secret)
        try await request.execute(.void).value
        await client.waitUntilIdle()
        var dumped = ""
        dump(request, to: &dumped)
        dump(try await request.preview(), to: &dumped)
        let shown = lines.events + [dumped, "\(request)", request.explain(), try await request.curl()]
        for text in shown { #expect(!text.contains(secret), "\(text)") }
        #expect(!String(decoding: try await recorder.archive(), as: UTF8.self).contains(secret))
        #expect("\(request)".contains("own values: ScreenName"))
    }

    @Test("calls with different values share a cached response")
    func cached() async throws {
        let client = client()
        client.configureDefaults { $0.cache = .memory(limit: 10_000) }
        stubs.get("/a").reply(StubReply.json(1).header("Cache-Control", "max-age=60"))
        for screen in ["rooms", "lobby"] { try await client.get("/a").set(ScreenName.self, screen).execute(.void).value }
        #expect(stubs.requests.count == 1)
    }
}
