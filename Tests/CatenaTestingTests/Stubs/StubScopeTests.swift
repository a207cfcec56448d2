import Catena
import CatenaRules
import CatenaTesting
import Foundation
import TestSupport
import Testing

/// Code under test that uses only the facade.
private enum Forum {
    static func login() -> Promise<User> {
        API.host("https://forum.test").post("/login").params(["email": "a@b.c"]).execute(as: String.self)
            .flatMap { token in me(token) }
    }

    static func me(_ token: String) -> Promise<User> {
        API.host("https://forum.test").get("/me").header("X-Token", token).execute(as: User.self)
    }

    static func name() async throws -> String {
        try await API.host("https://forum.test").get("/name").value(as: String.self)
    }
}

@Suite(.limitedParallelism) struct StubScopeTests {
    let stubs = Stubs()

    @Test("requests that are made in flatMap and then reach the stubs")
    func handlers() async throws {
        stubs.post("/login").reply(data: "made-up")
        stubs.get("/me").header("X-Token", "made-up").reply(data: User(name: "Ann"))
        stubs.get("/rooms").reply(data: [7])
        stubs.get("/seen").reply(data: 1)
        let (done, resolver) = Promise<[Int]>.pending()
        await stubs.activate {
            let user = Forum.login()
            user.then { _ in
                _ = API.host("https://forum.test").get("/rooms").execute(as: [Int].self)
                    .then(on: .global()) { rooms in
                        API.host("https://forum.test").get("/seen").execute(as: Int.self)
                            .map { rooms + [$0] }
                            .then { resolver.fulfill($0) }
                            .catch { resolver.reject($0) }
                    }
                    .catch { resolver.reject($0) }
            }
            .catch { resolver.reject($0) }
        }
        #expect(try await done.value == [7, 1])
        try stubs.verify()
        try stubs.expect(.post, "/login").then(.get, "/me").then(.get, "/rooms").then(.get, "/seen")
    }

    @Test("a breaker that opens in a scope is open in no other, also of a tag that the client has used")
    func breakers() async throws {
        let tag = Tag("breaker of a scope")
        API.configure(tag) { profile in
            profile.host = "https://forum.test"
            profile.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 1)
        }
        // Resolves the profile before the scopes begin.
        #expect(Client.shared.circuitBreakerStatus(of: tag) == nil)
        stubs.get("/a").reply(status: 500)
        await stubs.activate { _ = await API.tag(tag).get("/a").execute(.data).result }
        let others = Stubs()
        others.get("/a").reply(data: 7)
        #expect(try await others.activate { try await API.tag(tag).get("/a").value(as: Int.self) } == 7)
    }

    @Test("handlers of every kind of promise step run in the scope, also after an error and on other queues")
    func everyLink() async throws {
        stubs.get("/name").reply(data: "Ann")
        stubs.get("/fails").reply(status: 500)
        let names = try await stubs.activate {
            let failing = API.host("https://forum.test").get("/fails").execute(as: String.self)
            let name: @Sendable () -> Promise<String> = { API.host("https://forum.test").get("/name").execute(as: String.self) }
            let (caught, first) = Promise<Promise<String>>.pending()
            let (ended, second) = Promise<Promise<String>>.pending()
            failing.catch(on: .global()) { _ in first.fulfill(name()) }.finally { second.fulfill(name()) }
            return [
                try await failing.flatRecover { _ in name() }.value,
                try await caught.flatMap { $0 }.value,
                try await ended.flatMap { $0 }.value,
                try await Promise<Void>.delay(.milliseconds(1)).flatMap { name() }.value,
                try await Task { try await Forum.name() }.value,
            ]
        }
        #expect(names == Array(repeating: "Ann", count: 5))
    }

    @Test("handlers that are attached outside of a scope to a promise from inside run in the scope")
    func attachedOutside() async throws {
        stubs.post("/login").reply(data: "made-up")
        stubs.get("/name").reply(data: "Ann")
        let login = await stubs.activate { API.host("https://forum.test").post("/login").execute(as: String.self) }
        #expect(try await login.value == "made-up")
        let name = login.flatMap { _ in API.host("https://forum.test").get("/name").execute(as: String.self) }
        #expect(try await name.value == "Ann")
    }

    @Test("a configuration inside a scope does not apply outside, and an earlier configuration applies inside")
    func configuration() async throws {
        let tag: Catena.Tag = "scope-test"
        API.configure(tag) { $0.host = "https://real.example.com/api" }
        stubs.get("https://real.example.com/api/a").reply(data: 1)
        stubs.get("https://other.example.com/a").reply(data: 2)
        let values = try await stubs.activate {
            let first = try await API.tag(tag).get("/a").value(as: Int.self)
            API.configure(tag) { $0.host = "https://other.example.com" }
            return [first, try await API.tag(tag).get("/a").value(as: Int.self)]
        }
        #expect(values == [1, 2])
        #expect(try await API.tag(tag).get("/a").preview().url.absoluteString == "https://real.example.com/api/a")
    }

    @Test("the inner of two scopes applies, and a scope does not affect a client of its own")
    func nested() async throws {
        let inner = Stubs()
        stubs.get("/name").reply(data: "outer")
        inner.get("/name").reply(data: "inner")
        let client = Client(testing: stubs)
        let names = try await stubs.activate {
            [try await inner.activate { try await Forum.name() }, try await Forum.name()]
        }
        #expect(names == ["inner", "outer"])
        #expect(try await inner.activate { try await client.get("/name").value(as: String.self) } == "outer")
    }

    @Test("a stored shared client uses the scope in calls, requests, endpoints and batches")
    func shared() async throws {
        struct Service { var client: Client = .shared }
        struct Name: Endpoint {
            typealias Response = String
            var path: Path { "/name" }
            func adjust(_ request: Request) -> Request { request.host("https://forum.test") }
        }
        let service = Service()
        let request = service.client.host("https://forum.test").get("/name")
        stubs.get("/name").reply(data: "Ann")
        let names = try await stubs.activate {
            [
                try await request.value(as: String.self),
                try await service.client.host("https://forum.test").get("/name").execute(as: String.self).value,
                try await service.client.value(Name()),
                try await service.client.call(Name()).value,
                try await service.client.batch([request], as: String.self).value[0].get(),
                try await API.batch([request], as: String.self).value[0].get(),
                try await Task { try await service.client.request.host("https://forum.test").path("/name").value(as: String.self) }.value,
            ]
        }
        #expect(names == Array(repeating: "Ann", count: 7))
        #expect(stubs.requests.count == 7)
    }

    @Test("configuration, observers and queries of the shared client inside a scope end with it")
    func sharedConfiguration() async throws {
        let tag: Catena.Tag = "shared-scope-test"
        let client = Client.shared
        let heard = Recorder<UInt64>()
        let former = client.environments.current
        stubs.get("https://inside.example.com/a").reply(data: 1)
        let registration = try await stubs.activate {
            client.configure(tag) { $0.host = "https://inside.example.com" }
            client.environments.overrideHost(of: "shared-scope-other", with: "https://other.example.com")
            client.environments.current = "scope"
            client.rules.register(User.self)
            let registration = client.observe { heard.note($0.callID) }
            let value = try await client.tag(tag).get("/a").value(as: Int.self)
            #expect(value == 1)
            #expect(client.calls.tasks().isEmpty)
            await client.waitUntilIdle()
            client.shutdown()
            return registration
        }
        registration.end()
        #expect(!heard.events.isEmpty)
        #expect(client.environments.current == former)
        #expect(client.environments.hostOverrides["shared-scope-other"] == nil)
        #expect(!client.rules.registry.classNames.contains("User"))
        #expect(!client.configuredTags.contains(tag.name))
        let error = await #expect(throws: APIError.self) { try await client.tag(tag).get("/a").preview() }
        #expect(error?.kind == .invalidRequest)
    }

    @Test("with a forbidden network, a call outside of a scope fails unless it goes to this machine")
    func forbidden() async throws {
        Stubs.forbidNetwork()
        Stubs.forbidNetwork()
        let server = try LoopbackServer()
        server.get("/name") { _ in .json(text: "\"Ann\"") }
        let local = server.url
        for address in [local, local.replacingOccurrences(of: "127.0.0.1", with: "localhost")] {
            #expect(try await Client.shared.host(address).get("/name").value(as: String.self) == "Ann")
        }
        server.get("/silent") { _ in .unanswered }
        let late = await #expect(throws: APIError.self) {
            try await Client.shared.host(local).get("/silent").timeout(.milliseconds(200)).data()
        }
        #expect(late?.kind == .timeout)
        let requests = [
            API.host("https://forum.invalid").get("/name"), Client.shared.host("http://127.example.invalid").get("/name"),
        ]
        for request in requests {
            let error = await #expect(throws: APIError.self) { try await request.execute(.data).value }
            #expect(error?.kind == .unstubbed)
            #expect(error?.message.contains("stubs.activate") == true && error?.message.contains("invalid") == true)
        }
        let streamed = await #expect(throws: APIError.self) { for try await _ in requests[0].lines() {} }
        #expect(streamed?.kind == .unstubbed)
        stubs.get("/name").reply(data: "Ann")
        #expect(try await stubs.activate { try await Forum.name() } == "Ann")
        #expect(try await Client(testing: stubs).get("/name").value(as: String.self) == "Ann")
        let detached = await #expect(throws: APIError.self) {
            try await stubs.activate { try await Task.detached { try await Forum.name() }.value }
        }
        #expect(detached?.kind == .unstubbed)
    }

    /// A model whose methods throw nothing.
    @MainActor private final class Model {
        private(set) var name = ""

        func load() async { name = (try? await Forum.name()) ?? "none" }
    }

    @MainActor @Test("a scope throws only if its closure throws")
    func rethrowing() async throws {
        stubs.get("/name").reply(data: "Ann")
        let model = Model()
        await stubs.activate { await model.load() }
        #expect(model.name == "Ann")
        let name = await stubs.activate {
            await model.load()
            return model.name
        }
        let call = await stubs.activate { API.host("https://forum.test").get("/name").execute(as: String.self) }
        #expect(try await (name, call.value) == ("Ann", "Ann"))
        await #expect(throws: StubFailure.self) { try await stubs.activate { try stubs.expect(.get, "/other").times(1) } }
        let missing = await #expect(throws: APIError.self) { try await Stubs().activate { try await Forum.name() } }
        #expect(missing?.kind == .unstubbed)
    }

    @MainActor @Test("a scope runs on the actor of the test")
    func isolation() async throws {
        var names: [String] = []
        stubs.get("/name").reply(data: "Ann")
        try await stubs.activate { names.append(try await Forum.name()) }
        #expect(names == ["Ann"])
    }

    @Test("a test can pass its own clock to a scope")
    func clock() async throws {
        let clock = VirtualClock()
        stubs.get("/name").delay(.seconds(5)).reply(data: "Ann")
        let call = await stubs.activate(clock: clock) { API.host("https://forum.test").get("/name").execute(as: String.self) }
        await clock.scheduled(.seconds(5))
        #expect(call.isPending)
        await clock.runUntilIdle()
        #expect(try await call.value == "Ann")
    }
}

// Two suites with contradicting stubs, which run at the same time.

private func contradict(_ answer: String) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<1000 {
            group.addTask {
                let stubs = Stubs()
                let token = "\(answer) \(number)"
                stubs.post("/login").reply(data: token)
                stubs.get("/me").header("X-Token", token).reply(data: User(name: token))
                let (seen, resolver) = Promise<User>.pending()
                let user = try await stubs.activate {
                    let user = Forum.login()
                    user.then(on: .global()) { _ in
                        Forum.me(token).whenSettled(on: .global()) { resolver.resolve(with: $0) }
                    }
                    return try await user.value
                }
                #expect(user.name == token)
                #expect(try await seen.value.name == token)
                #expect(stubs.requests.count == 3)
                try stubs.verify()
            }
        }
        try await group.waitForAll()
    }
}

@Suite(.limitedParallelism) struct FirstContradictingTests {
    @Test("1,000 scopes of stubs do not see those of the other suite") func first() async throws {
        try await contradict("first")
    }
}

@Suite(.limitedParallelism) struct SecondContradictingTests {
    @Test("1,000 scopes of stubs do not see those of the other suite") func second() async throws {
        try await contradict("second")
    }
}
