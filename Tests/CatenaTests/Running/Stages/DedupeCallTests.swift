import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Calls that share a response", .limitedParallelism)
struct DedupeCallTests {
    let stubs = Stubs()
    let client: Client
    private let gate = Promise<Void>.pending()

    init() {
        client = Client(testing: stubs)
        client.configureDefaults { $0.dedupe = true }
        stubs.on(nil, "/a").reply { [gate] _ in
            try await gate.promise.value
            return .reply(data: ["n": 7])
        }
    }

    struct Number: Decodable, Sendable, Equatable { let n: Int }

    /// Returns a function that waits until so many calls wait for the response to a request.
    private func waiters(for request: Request) async throws -> @Sendable (_ count: Int) async -> Void {
        let run = CallRun(request)
        let call = try await Preparation.call(of: run)
        let keys = [true, false].compactMap { try? DedupeKey(call, needsPayload: $0) }
        return { await run.tagState.flights.waiters(of: keys, count: $0) }
    }

    private func open() { gate.resolver.fulfill(()) }

    @Test("`dedupe` fails a POST; the default setting does not apply to it")
    func unshareable() async throws {
        open()
        try await client.post("/a").execute(.void).value
        let error = await #expect(throws: APIError.self) { try await client.post("/a").set(\.dedupe, true).execute(.void).value }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.contains("dedupe") == true && error?.message.contains("GET, HEAD and QUERY") == true)
        try await client.post("/a").set(\.dedupe, false).execute(.void).value
        #expect(stubs.requests.count == 2)
    }

    @Test("identical calls send one request, and each decodes its own type")
    func shared() async throws {
        let request = client.get("/a").params(["page": 1])
        let typed = request.execute(as: Number.self)
        let dynamic = request.execute()
        let other = request.execute(as: [String: Int].self)
        let wrong = request.execute(as: String.self)
        let waiters = try await waiters(for: request)
        await waiters(4)
        open()
        #expect(try await typed.value == Number(n: 7))
        #expect(try await dynamic.value.n.int == 7)
        #expect(try await other.value == ["n": 7])
        let error = await #expect(throws: APIError.self) { try await wrong.value }
        #expect(error?.kind == .decoding)
        #expect(stubs.requests.count == 1)
        try await request.execute(.void).value
        #expect(stubs.requests.count == 2)
    }

    private struct Note: Decodable, Sendable, Equatable {
        let ok: Bool
        let title: String
    }

    @Test("the code of a shared response is judged for the type of each call, whichever call is sent", arguments: [true, false])
    func judged(isTypedFirst: Bool) async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/note").reply { _ in
            try await gate.value
            return .body(Data(#"{"ok":false,"title":"t"}"#.utf8), contentType: "application/json")
        }
        let request = client.get("/note")
        let waiters = try await waiters(for: request)
        let first: Promise<Note>? = isTypedFirst ? request.execute(as: Note.self) : nil
        if isTypedFirst { await waiters(1) }
        let dynamic = request.execute(as: JSON.self)
        await waiters(isTypedFirst ? 2 : 1)
        let typed = first ?? request.execute(as: Note.self)
        await waiters(2)
        resolver.fulfill(())
        #expect(try await typed.value == Note(ok: false, title: "t"))
        #expect(await dynamic.result.apiError?.code == "false")
        #expect(stubs.requests.count == (isTypedFirst ? 1 : 2))
    }

    @Test("a call for the raw body and a call for a payload do not share a response")
    func readings() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/text").reply { _ in
            try await gate.value
            return .body(Data("{not json".utf8), contentType: "application/json")
        }
        let request = client.get("/text")
        let value = request.execute()
        let text: Promise<String> = request.execute(.string)
        let stubs = stubs
        await stubs.requestsReceived(2)
        resolver.fulfill(())
        #expect(try await text.value == "{not json")
        await #expect(throws: APIError.self) { try await value.value }
    }

    @Test("a thousand identical calls send one request")
    func crowd() async throws {
        let request = client.get("/a")
        let calls = (0..<1000).map { _ in request.execute(as: Number.self) }
        let waiters = try await waiters(for: request)
        await waiters(1000)
        open()
        for call in calls { #expect(try await call.value == Number(n: 7)) }
        #expect(stubs.requests.count == 1)
    }

    @Test(
        "a call that differs, or that belongs to another user, sends its own request",
        arguments: [
            "param", "tag", "header", "common header", "user", "cookie", "method", "body", "cache", "envelope", "interceptor", "unwrap",
            "progress", "not shared",
        ])
    func different(_ difference: String) async throws {
        let authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("one"))
        let jar = CookieJar()
        let user = Recorder<String>()
        user.note("one")
        client.configure("forum") { _ in }
        client.configure("other") { _ in }
        client.configureDefaults { defaults in
            defaults.authentication = authentication
            defaults.cookieJar = jar
        }
        client.commonHeaders { _ in ["X-User": user.events.last] }
        let first = client.tag("forum").get("/a")
        var second = first
        let one: Promise<Void> = first.execute(.void)
        let waiters = try await waiters(for: first)
        await waiters(1)
        // The first call is bound to its user when its request is sent.
        await stubs.requestsReceived(1)
        switch difference {
        case "param": second = second.params(["page": 2])
        case "tag": second = second.tag("other")
        case "header": second = second.header("X-Room", "2")
        case "common header": user.note("two")
        case "user": try authentication.signIn("two")
        case "cookie": jar.set(try #require(Cookie(parsing: "sid=2", from: HTTPAddress(parsing: "https://stubs.test/"), at: Date())))
        case "method": second = second.head("/a")
        case "body": second = second.post("/a")
        case "cache": second = second.cache(.never)
        case "envelope": second = second.envelope(.raw)
        case "unwrap": second = second.set(\.unwrap, .body)
        case "interceptor": second = second.set(\.interceptors, [Interceptor("call") { call, next in try await next(call) }])
        case "progress": second = second.onProgress { _ in }
        default: second = second.set(\.dedupe, false)
        }
        let two: Promise<Void> = second.execute(.void)
        let stubs = stubs
        await either {
            await stubs.requestsReceived(2)
        } or: {
            await waiters(2)
        }
        #expect(stubs.requests.count == 2)
        open()
        try await one.value
        try await two.value
    }

    @Test("cancelling one call leaves the others alone; cancelling all stops the request, and the next call sends a new one")
    func cancelled() async throws {
        // Without another consumer, the gate would be cancelled with the calls that wait for it.
        let keeper = Task { [gate] in try await gate.promise.value }
        defer { keeper.cancel() }
        let request = client.get("/a")
        let calls = (0..<3).map { _ in request.execute(as: Number.self) }
        let waiters = try await waiters(for: request)
        await waiters(3)
        await stubs.requestsReceived(1)
        calls[0].cancel()
        await waiters(2)
        let late = request.execute(as: Number.self)
        await waiters(3)
        calls[1].cancel()
        calls[2].cancel()
        await waiters(1)
        late.cancel()
        await waiters(0)
        let next = request.execute(as: Number.self)
        await waiters(1)
        open()
        #expect(try await next.value == Number(n: 7))
        #expect(stubs.requests.count == 2)
    }

    @Test("a call's deadline does not affect the calls that share its request")
    func deadline() async throws {
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        client.configureDefaults { $0.dedupe = true }
        let request = client.get("/a")
        let hasty: Promise<Void> = request.deadline(.seconds(1)).execute(.void)
        let waiters = try await waiters(for: request)
        await waiters(1)
        let patient: Promise<Void> = request.execute(.void)
        await waiters(2)
        clock.advance(by: .seconds(1))
        #expect(await hasty.result.apiError?.kind == .timeout)
        open()
        try await patient.value
        #expect(stubs.requests.count == 1)
    }

    @Test("calls that share a request share its failure, and the next call sends a new one")
    func failing() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/busy").times(1).reply { _ in
            try await gate.value
            return .reply(code: 5, message: "busy")
        }
        stubs.get("/busy").reply(data: 1)
        let request = client.get("/busy")
        let calls = (0..<3).map { _ in request.execute(as: Int.self) }
        let waiters = try await waiters(for: request)
        await waiters(3)
        resolver.fulfill(())
        for call in calls { #expect(await call.result.apiError?.code == 5) }
        #expect(try await request.value(as: Int.self) == 1)
        #expect(stubs.requests.count == 2)
    }

    @Test("a call that is started again in its own handler sends a new request")
    func again() async throws {
        open()
        let request = client.get("/a")
        let number = try await request.execute(as: Number.self).flatMap { _ in request.execute(as: Number.self) }.value
        #expect(number == Number(n: 7))
        #expect(stubs.requests.count == 2)
    }

    @Test("a call with an invalid request leaves nothing behind")
    func unmade() async throws {
        let request = client.get("/a").header("X", "a\r\nb")
        await #expect(throws: APIError.self) { try await request.value() }
        #expect(CallRun(request).tagState.flights.isIdle)
    }
}

/// A scheme whose credential is the user's name.
struct CountingUsers: Authenticator {
    func apply(_ credential: String, to request: inout HTTPRequest) { request.headers["X-Name"] = credential }
    func refresh(_ credential: String) async throws -> String { credential }
    func identity(of credential: String) -> String { credential }
}
