import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// The owner of a token from an app's closure is unknown. Therefore a response for one token is never used for another.
@Suite("Tokens from a closure", .limitedParallelism)
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

    private var sent: [String?] { stubs.requests.map { $0.headers["Authorization"] } }

    @Test("a response that is cached for one token is used only for that token")
    func kept() async throws {
        echo()
        let client = client()
        for token in ["A", "A", "B", "B", "A"] {
            vault.change(to: token)
            #expect(try await value(client) == "Bearer \(token)")
        }
        #expect(sent == ["Bearer A", "Bearer B"])
    }

    @Test("a response that is cached for a token is not used without a token")
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

    /// Waits until so many calls with the current token wait for one response.
    private func waiting(_ client: Client, count: Int) async throws {
        let call = try await Preparation.call(of: CallRun(client.get("/a")))
        let key = try #require(try DedupeKey(call, needsPayload: true))
        await call.run.tagState.flights.state.wait { $0.table.waiters(of: key) == count }
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

    @Test("a token that changes between preparation and attempt does not affect the call", arguments: StageName.early)
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

    @Test("the response to a second sending with another token is cached for neither token", arguments: [503, 401])
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

    @Test("the response to a second sending with another token is not shared with the calls that joined", arguments: [503, 401])
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
        // The joined call began with A's token, and is sent with it.
        #expect(try await joined.value == "Bearer A")
    }

    @Test("a failure with another token is not replaced by the first token's cached response")
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
        // The cached response is still there for the first token.
        vault.change(to: "A")
        #expect(try await value(client) == "A's")
    }

    @Test("a 304 for another token neither refreshes nor returns the first token's response")
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

    @Test("a background refresh uses the token of its call")
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

    @Test("after a detected sign-out, an earlier call is not sent again with a new token", arguments: [503, 401])
    func signOut(status: Int) async throws {
        let vault = vault
        let client = client { _ in }
        stubs.get("/a").reply { _ in
            vault.change(to: nil)
            await #expect(throws: APIError.self) { try await client.get("/b").execute(.void).value }
            vault.change(to: "B")
            return .status(status)
        }
        let error = await #expect(throws: APIError.self) {
            try await client.get("/a").retry(.exponential(limit: 1, baseDelay: .zero)).execute(.void).value
        }
        #expect(error?.kind == .missingCredential)
        #expect(sent == ["Bearer A"])
    }

    @Test("after a detected sign-out, an earlier call is sent again if the token is the same", arguments: [true, false])
    func signedInAgain(isWaiting: Bool) async throws {
        let vault = vault
        let client = client { _ in }
        stubs.get("/a").sequence(.status(503), .reply(data: 1))
        client.intercept("visit", .after(.retry)) { call, next in
            if call.attempt == (isWaiting ? 2 : 1), call.request.url.path() == "/a" {
                vault.change(to: nil)
                await #expect(throws: APIError.self) { try await client.get("/b").execute(.void).value }
                vault.change(to: "A")
            }
            return try await next(call)
        }
        try await client.get("/a").retry(.exponential(limit: 1, baseDelay: .zero)).execute(.void).value
        #expect(sent == ["Bearer A", "Bearer A"])
    }

    @Test("a call that got its token before a sign-out is not sent after it")
    func queued() async throws {
        let vault = vault
        let client = client { _ in }
        client.intercept("visit", .before(.limits)) { call, next in
            if call.request.url.path() == "/a" {
                vault.change(to: nil)
                await #expect(throws: APIError.self) { try await client.get("/b").execute(.void).value }
            }
            return try await next(call)
        }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.void).value }
        #expect(error?.kind == .missingCredential)
        #expect(stubs.requests.isEmpty)
    }

    @Test("responses for a token are not cached on disk")
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

    @Test("many concurrent calls with changing tokens each receive their own response")
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
    /// The stages between the preparation of a call and its attempts.
    static let early: [StageName] = [.start, .cache, .limits, .retry]
}
