import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite(.limitedParallelism) struct ClientTests {
    let stub = ClosureTransport { _ in .json(#"{"code": 0, "data": 1}"#) }

    @Test("two clients share no configuration")
    func isolation() async throws {
        let first = Client(transport: stub)
        let second = Client(transport: stub)
        first.configure("forum") { $0.host = "https://first.example.com" }
        second.configure("forum") { $0.host = "https://second.example.com" }
        #expect(try await first.tag("forum").get("/a").preview().url.absoluteString == "https://first.example.com/a")
        #expect(try await second.tag("forum").get("/a").preview().url.absoluteString == "https://second.example.com/a")
    }

    @Test("a tag overrides the defaults, and a second configuration adds to the first")
    func layers() async throws {
        let client = Client(transport: stub)
        client.configureDefaults { defaults in
            defaults.host = "https://default.example.com"
            defaults.headers = ["X-Layer": "default", "X-Default": "1"]
        }
        client.configure("forum") { $0.headers = ["X-Layer": "forum"] }
        client.configure("forum") { $0.host = "https://forum.example.com" }
        let tagged = try await client.tag("forum").get("/a").preview()
        #expect(tagged.url.absoluteString == "https://forum.example.com/a")
        #expect(tagged.headers["X-Layer"] == "forum")
        #expect(tagged.headers["X-Default"] == "1")
        let untagged = try await client.get("/a").preview()
        #expect(untagged.url.absoluteString == "https://default.example.com/a")
        #expect(untagged.headers["X-Layer"] == "default")
    }

    @Test("the default host and method can be set by themselves")
    func defaults() async throws {
        let client = Client(transport: stub)
        client.defaultHost = "https://default.example.com"
        client.defaultMethod = .put
        let request = try await client.path("/a").preview()
        #expect(request.url.absoluteString == "https://default.example.com/a")
        #expect(request.method == .put)
        #expect(client.defaultHost == "https://default.example.com")
        #expect(client.defaultMethod == .put)
    }

    @Test("common closures receive the call's tag, or nil")
    func tags() async throws {
        let client = Client(transport: stub)
        client.onDiagnostic { _ in }
        client.defaultHost = "https://example.com"
        client.commonParams { tag in ["tag": tag?.name ?? "none"] }
        client.commonHeaders { tag in ["X-Tag": tag?.name] }
        let tagged = try await client.tag("forum").get("/a").preview()
        #expect(tagged.address.query == "tag=forum")
        #expect(tagged.headers["X-Tag"] == "forum")
        let untagged = try await client.get("/a").preview()
        #expect(untagged.address.query == "tag=none")
        #expect(untagged.headers["X-Tag"] == nil)
    }

    @Test("common closures may await and execute requests themselves")
    func reentrantClosures() async throws {
        let client = Client(transport: stub)
        client.defaultHost = "https://example.com"
        client.commonHeaders { _ in
            let token = try await client.get("/token").commonHeaders(.none).commonParams(.none).value(as: Int.self)
            client.configureDefaults { $0.headers = ["X-Seen": "1"] }
            return ["X-Token": String(token)]
        }
        #expect(try await client.get("/a").preview().headers["X-Token"] == "1")
    }

    @Test("a common closure that throws rejects the call and sends nothing", arguments: ["params", "headers"])
    func throwingClosure(which: String) async {
        struct NoToken: Error {}
        let client = Client(transport: stub)
        client.defaultHost = "https://example.com"
        if which == "params" { client.commonParams { _ in throw NoToken() } } else { client.commonHeaders { _ in throw NoToken() } }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
        #expect(error?.underlying is NoToken)
        #expect(error?.message.hasPrefix(which == "params" ? "commonParams: " : "commonHeaders: ") == true)
        #expect(stub.requests.isEmpty)
    }

    @Test("a call without common params and headers does not run their closures")
    func notAsked() async throws {
        let asked = Counter()
        let client = Client(transport: stub)
        client.defaultHost = "https://example.com"
        client.commonParams { _ in
            asked.increment()
            return [:]
        }
        client.commonHeaders { _ in
            asked.increment()
            return [:]
        }
        _ = try await client.get("/a").commonParams(.none).commonHeaders(.none).preview()
        #expect(asked.count == 0)
    }

    @Test("a tag without a configuration uses the defaults, and is reported once with the configured tags")
    func unknownTag() async throws {
        let client = Client(transport: stub)
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        client.defaultHost = "https://example.com"
        client.configure("wallet") { $0.timeout = .seconds(1) }
        client.configure("forum") { $0.timeout = .seconds(1) }
        for request in [client.tag("a").host("https://a.test"), client.tag("a").absoluteURL("https://a.test/")] {
            _ = try await request.value()
        }
        #expect(events.events.isEmpty)
        for _ in 0..<3 { _ = try await client.tag("fourm").get("/a").value() }
        #expect(events.events.map(\.kind) == [.unconfiguredTag])
        #expect(events.events.map { "\($0.kind)" } == ["unconfiguredTag"])
        #expect(events.events.first?.message.contains("\"fourm\"") == true)
        #expect(events.events.first?.message.contains("forum, wallet") == true)
    }

    @Test("one request executed 1,000 times at once sends 1,000 correct requests with fresh common values")
    func concurrentRuns() async throws {
        let client = Client(transport: stub)
        let asked = Counter()
        client.defaultHost = "https://example.com"
        client.commonParams { _ in
            asked.increment()
            return ["nonce": UUID().uuidString]
        }
        let request = client.get("/users/{id}").params(["id": 7, "page": 1])
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 { group.addTask { try await request.value(as: Int.self) } }
            return try await group.reduce(0, +)
        }
        #expect(values == 1000)
        #expect(asked.count == 1000)
        let queries = Set(stub.requests.compactMap(\.address.query))
        #expect(queries.count == 1000)
        #expect(stub.requests.allSatisfy { $0.address.path == "/users/7" && $0.address.query?.hasSuffix("&page=1") == true })
    }

    @Test("concurrent configurations lose no change, and each call sees one consistent state")
    func concurrentConfiguration() async throws {
        let client = Client(transport: stub)
        client.configure("t") { profile in
            profile.host = "https://0.example.com"
            profile.headers = ["X-Host": "0"]
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for round in 0..<25 {
                        client.configure(Catena.Tag("t\(number)-\(round)")) { $0.host = "https://example.com" }
                        client.configure("t") { profile in
                            profile.host = "https://\(number).example.com"
                            profile.headers = ["X-Host": "\(number)"]
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<100 {
                        guard let request = try? await client.tag("t").get("/").preview() else { continue }
                        #expect(request.address.host.first == request.headers["X-Host"]?.first)
                    }
                }
            }
        }
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        for number in 0..<4 {
            for round in 0..<25 { _ = try await client.tag(Catena.Tag("t\(number)-\(round)")).get("/").preview() }
        }
        #expect(events.events.isEmpty)
    }

    @Test("a configuration inside another one does not deadlock, and the outer change wins")
    func nestedConfiguration() async throws {
        let client = Client(transport: stub)
        client.configure("a") { outer in
            client.configure("b") { $0.host = "https://b.example.com" }
            client.configure("a") { $0.host = "https://inner.example.com" }
            client.commonParams { _ in [:] }
            outer.host = "https://a.example.com"
        }
        #expect(try await client.tag("a").get("/").preview().address.host == "a.example.com")
        #expect(try await client.tag("b").get("/").preview().address.host == "b.example.com")
    }

    @Test("a call uses the configuration of the moment in which it was executed")
    func oneSnapshot() async throws {
        let client = Client(transport: stub)
        client.configure("t") { $0.host = "https://old.example.com" }
        let call = client.tag("t").get("/x").before { client.configure("t") { $0.host = "https://new.example.com" } }.execute()
        client.configure("t") { $0.host = "https://newest.example.com" }
        _ = try await call.value
        #expect(stub.requests.map(\.address.host) == ["old.example.com"])
    }

    @Test(
        "a cancellation inside a closure fails the call, and does not cancel it",
        arguments: ["params", "headers", "before"])
    func cancelledClosure(which: String) async {
        let client = Client(transport: stub)
        client.defaultHost = "https://example.com"
        let cancelled = Promise<Params>.pending()
        cancelled.promise.cancel()
        if which == "params" { client.commonParams { _ in try await cancelled.promise.value } }
        if which == "headers" { client.commonHeaders { _ in throw CancellationError() } }
        let call = client.get("/a").before { if which == "before" { throw CancellationError() } }
        let error = await #expect(throws: APIError.self) { try await call.execute().value }
        #expect(error?.underlying is CancellationError)
        #expect(error?.message.lowercased().contains(which) == true)
    }

    @Test("a client without references completes its calls, and is then freed")
    func dropped() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let keeper = gate.map {}
        var client: Client? = Client(
            transport: ClosureTransport { _ in
                try await gate.value
                return .json("7")
            })
        client?.defaultHost = "https://example.com"
        let cage = Canary.Cage()
        client?.observe { [canary = cage.canary()] _ in canary.sing() }
        let call = try #require(client).get("/a").execute(as: Int.self)
        client = nil
        #expect(cage.alive == 1)
        resolver.fulfill(())
        #expect(try await call.value == 7)
        await cage.shrunk()
        _ = keeper
    }

    @Test("a replacement of the platform's transport is reported once")
    func fallback() async throws {
        let client = Client(
            transport: stub, timers: VirtualClock(), transportNotice: "URLSession carries the requests, because libcurl.so.4 is not there.")
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        for _ in 0..<3 { _ = try await client.host("https://example.com").get("/a").value() }
        #expect(events.events.map(\.kind) == [.transportFallback])
        #expect(events.events.first?.message.contains("libcurl.so.4 is not there") == true)
    }
}
