import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Of the tokens that an app's closure gives nobody knows whose they are. So nothing that came for one is given to another.
@Suite("Whose a token is", .limitedParallelism)
struct TokenIdentityTests {
    private let stubs = Stubs()
    private let vault = Vault("A")

    private func client(_ change: (inout Profile) -> Void = { $0.cache = .memory(limit: 1_000_000) }) -> Client {
        let client = Client(testing: stubs)
        client.configureDefaults { defaults in
            defaults.authentication = vault.authentication
            change(&defaults)
        }
        return client
    }

    private func echo(_ cacheControl: String = "max-age=60") {
        stubs.get("/a").reply { call in .reply(data: call.headers["Authorization"] ?? "nobody").header("Cache-Control", cacheControl) }
    }

    private func value(_ client: Client) async throws -> String { try await client.get("/a").value(as: String.self) }

    private var sent: [String?] { stubs.calls.map { $0.headers["Authorization"] } }

    @Test("what is kept for one token is used for that one alone")
    func kept() async throws {
        echo()
        let client = client()
        for token in ["A", "A", "B", "B", "A"] {
            vault.change(to: token)
            #expect(try await value(client) == "Bearer \(token)")
        }
        #expect(sent == ["Bearer A", "Bearer B"])
    }

    @Test("and for nobody without one")
    func nobody() async throws {
        echo()
        let client = client()
        #expect(try await value(client) == "Bearer A")
        vault.change(to: nil)
        let error = await #expect(throws: APIError.self) { try await value(client) }
        #expect(error?.kind == .missingCredential)
        #expect(try await client.get("/a").authenticated(false).value(as: String.self) == "nobody")
        #expect(sent == ["Bearer A", nil])
    }

    /// Waits until so many calls with the token of the moment wait for one response.
    private func waiting(_ client: Client, count: Int) async throws {
        let call = try await Preparation.call(of: Execution(client.get("/a")))
        let key = try #require(try DedupeKey(call, needsPayload: true))
        await call.execution.backend.flights.state.wait { $0.table.waiters(of: key) == count }
    }

    @Test("calls with the same token share a response, calls with another one do not")
    func shared() async throws {
        let (arrived, arrival) = Promise<Void>.pending()
        let (gate, opening) = Promise<Void>.pending()
        stubs.get("/a").reply { call in
            arrival.fulfill(())
            try await gate.value
            return .reply(data: call.headers["Authorization"] ?? "nobody")
        }
        let client = client { $0.dedupe = true }
        let first = client.get("/a").execute(as: String.self)
        try await arrived.value
        let joined = client.get("/a").execute(as: String.self)
        try await waiting(client, count: 2)
        vault.change(to: "B")
        let other = client.get("/a").execute(as: String.self)
        try await waiting(client, count: 1)
        opening.fulfill(())
        #expect(try await [first.value, joined.value, other.value] == ["Bearer A", "Bearer A", "Bearer B"])
        #expect(sent == ["Bearer A", "Bearer B"])
    }

    @Test("a token that changes between preparation and attempt changes nothing for the call", arguments: StageName.early)
    func betweenPreparationAndAttempt(stage: StageName) async throws {
        echo()
        let client = client()
        let vault = vault
        let change = client.intercept("change", .before(stage)) { call, next in
            vault.change(to: "B")
            return try await next(call)
        }
        #expect(try await value(client) == "Bearer A")
        change.end()
        #expect(try await value(client) == "Bearer B")
        vault.change(to: "A")
        #expect(try await value(client) == "Bearer A")
        #expect(sent == ["Bearer A", "Bearer B"])
    }

    @Test("what was sent again with another token is kept for neither", arguments: [503, 401])
    func secondAttempt(status: Int) async throws {
        let vault = vault
        let asked = Counter()
        stubs.get("/a").reply { call in
            asked.increment()
            guard asked.count > 1 else {
                vault.change(to: "B")
                return .status(status)
            }
            return .reply(data: call.headers["Authorization"] ?? "nobody").header("Cache-Control", "max-age=60")
        }
        let client = client()
        let request = client.get("/a").retry(.exponential(limit: 1, baseDelay: .zero))
        #expect(try await request.value(as: String.self) == "Bearer B")
        #expect(try await value(client) == "Bearer B")
        vault.change(to: "A")
        #expect(try await value(client) == "Bearer A")
        #expect(sent == ["Bearer A", "Bearer B", "Bearer B", "Bearer A"])
    }

    @Test("nor is it shared with those who joined", arguments: [503, 401])
    func secondAttemptOfOthers(status: Int) async throws {
        let vault = vault
        let (arrived, arrival) = Promise<Void>.pending()
        let (gate, opening) = Promise<Void>.pending()
        let asked = Counter()
        stubs.get("/a").reply { call in
            asked.increment()
            guard asked.count > 1 else {
                arrival.fulfill(())
                try await gate.value
                return .status(status)
            }
            return .reply(data: call.headers["Authorization"] ?? "nobody")
        }
        let client = client {
            $0.dedupe = true
            $0.retry = .exponential(limit: 1, baseDelay: .zero)
        }
        let first = client.get("/a").execute(as: String.self)
        try await arrived.value
        let joined = client.get("/a").execute(as: String.self)
        try await waiting(client, count: 2)
        vault.change(to: "B")
        opening.fulfill(())
        #expect(try await first.value == "Bearer B")
        // It began with A's token, and that is what it is sent with.
        #expect(try await joined.value == "Bearer A")
    }

    @Test("a failure with another token is not answered with what is kept for the first")
    func staleIfError() async throws {
        let vault = vault
        let isDown = AtomicFlag()
        stubs.get("/a").reply { call in
            guard isDown.isSet else { return .reply(data: "A's").header("Cache-Control", "max-age=0, stale-if-error=600") }
            vault.change(to: "B")
            return .status(503)
        }
        let client = client()
        #expect(try await value(client) == "A's")
        isDown.set()
        let request = client.get("/a").retry(.exponential(limit: 1, baseDelay: .zero))
        await #expect(throws: APIError.self) { try await request.value(as: String.self) }
        #expect(sent == ["Bearer A", "Bearer A", "Bearer B"])
        // It is there for the first one.
        vault.change(to: "A")
        #expect(try await value(client) == "A's")
    }

    @Test("a 304 to another token does not make the first one's response fresh, nor another's")
    func notModified() async throws {
        let vault = vault
        stubs.get("/a").reply { call in
            switch (call.headers["Authorization"], call.headers["If-None-Match"]) {
            case ("Bearer A", nil): return .reply(data: "A's").header("Cache-Control", "max-age=0").header("ETag", "\"1\"")
            case ("Bearer A", _):
                vault.change(to: "B")
                return .status(401)
            case (_, nil): return .reply(data: "B's")
            default: return .status(304)
            }
        }
        let client = client()
        #expect(try await value(client) == "A's")
        #expect(try await value(client) == "B's")
    }

    @Test("what is renewed behind its caller is renewed for the caller's token")
    func renewal() async throws {
        echo("max-age=0, stale-while-revalidate=60")
        let client = client()
        let vault = vault
        #expect(try await value(client) == "Bearer A")
        let (renewed, renewal) = Promise<Void>.pending()
        client.intercept("change", .before(.limits)) { call, next in
            vault.change(to: "B")
            defer { renewal.fulfill(()) }
            return try await next(call)
        }
        #expect(try await value(client) == "Bearer A")
        try await renewed.value
        #expect(sent == ["Bearer A", "Bearer A"])
        #expect(try await value(client) == "Bearer B")
    }

    @Test("after a sign-out that was noticed, what began before goes no further with a new token", arguments: [503, 401])
    func signOut(status: Int) async throws {
        let vault = vault
        let client = client { _ in }
        stubs.get("/a").reply { _ in
            vault.change(to: nil)
            await #expect(throws: APIError.self) { try await client.get("/b").void().value }
            vault.change(to: "B")
            return .status(status)
        }
        let error = await #expect(throws: APIError.self) {
            try await client.get("/a").retry(.exponential(limit: 1, baseDelay: .zero)).void().value
        }
        #expect(error?.kind == .missingCredential)
        #expect(sent == ["Bearer A"])
    }

    @Test("with the same token it does", arguments: [true, false])
    func signedInAgain(isWaiting: Bool) async throws {
        let vault = vault
        let client = client { _ in }
        stubs.get("/a").sequence(.status(503), .reply(data: 1))
        client.intercept("visit", .after(.retry)) { call, next in
            if call.attempt == (isWaiting ? 2 : 1), call.request.url.path() == "/a" {
                vault.change(to: nil)
                await #expect(throws: APIError.self) { try await client.get("/b").void().value }
                vault.change(to: "A")
            }
            return try await next(call)
        }
        try await client.get("/a").retry(.exponential(limit: 1, baseDelay: .zero)).void().value
        #expect(sent == ["Bearer A", "Bearer A"])
    }

    @Test("what was got before a sign-out is not sent after it")
    func queued() async throws {
        let vault = vault
        let client = client { _ in }
        client.intercept("visit", .before(.limits)) { call, next in
            if call.request.url.path() == "/a" {
                vault.change(to: nil)
                await #expect(throws: APIError.self) { try await client.get("/b").void().value }
            }
            return try await next(call)
        }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").void().value }
        #expect(error?.kind == .missingCredential)
        #expect(stubs.calls.isEmpty)
    }

    @Test("nothing of it is on the disk")
    func disk() async throws {
        echo()
        let folder = try ScratchFolder()
        let client = client { $0.cache = .disk(folder: folder.file("cache"), limit: 1_000_000) }
        for _ in 0..<2 { #expect(try await value(client) == "Bearer A") }
        #expect(sent.count == 2)
        let files = FileManager.default.enumerator(atPath: folder.url.path())?.compactMap { $0 as? String } ?? []
        for file in files {
            let content = (try? Data(contentsOf: folder.url.appending(path: file))) ?? Data()
            #expect(!String(decoding: content, as: UTF8.self).contains("Bearer"))
        }
    }

    @Test("many at a time, whose token changes all the while, get each their own")
    func crowd() async throws {
        stubs.get("/a").reply { call in .reply(data: call.headers["Authorization"] ?? "nobody").header("Cache-Control", "max-age=60") }
        let client = client {
            $0.cache = .memory(limit: 1_000_000)
            $0.dedupe = true
        }
        client.configureDefaults { $0.authentication = .bearer { Holder.name } }
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            for number in 0..<200 {
                let name = "user\(number % 7)"
                group.addTask {
                    try await Holder.$name.withValue(name) { (name, try await client.get("/a").value(as: String.self)) }
                }
            }
            for try await (name, value) in group { #expect(value == "Bearer \(name)") }
        }
    }

    private enum Holder { @TaskLocal static var name: String? }
}

extension StageName {
    /// What stands between the preparation of a call and its attempts.
    static let early: [StageName] = [.start, .cache, .limits, .retry]
}
