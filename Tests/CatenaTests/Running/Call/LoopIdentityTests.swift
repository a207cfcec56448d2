import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Makes several calls for one statement of the app.
struct CallLoop: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Runs the loop, and the closure after the first call.
    let run: @Sendable (Request, _ between: @escaping @Sendable () throws -> Void) async throws -> Void

    static let all: [CallLoop] = [
        CallLoop(testDescription: "pages") { request, between in
            var isFirst = true
            for try await _ in request.pages(of: Int.self) {
                if isFirst { try between() }
                isFirst = false
            }
        },
        CallLoop(testDescription: "pages by cursor") { request, between in
            var isFirst = true
            for try await _ in request.pages(of: Int.self, by: .cursor("after")) {
                if isFirst { try between() }
                isFirst = false
            }
        },
        CallLoop(testDescription: "items") { request, between in
            for try await item in request.items(of: Int.self) where item == 1 { try between() }
        },
        CallLoop(testDescription: "poll") { request, between in
            var count = 0
            try await request.poll(every: .seconds(1)) { (_: JSON) in
                count += 1
                if count == 1 { try between() }
                return count == 3
            }
        },
        CallLoop(testDescription: "events") { request, between in
            var count = 0
            for try await _ in request.path("/events").events() {
                count += 1
                if count == 1 { try between() }
                if count == 3 { return }
            }
        },
        CallLoop(testDescription: "batch") { request, between in
            let isFirst = AtomicFlag()
            let requests = (0..<3).map { number in
                request.param("page", number + 1).set(
                    \.interceptors,
                    [
                        Interceptor("between", .after(.retry)) { call, next in
                            let response = try await next(call)
                            if !isFirst.isSet { try between() }
                            isFirst.set()
                            return response
                        }
                    ])
            }
            let client = try #require(request.client)
            for result in try await client.batch(requests, concurrency: 1).value { _ = try result.get() }
        },
    ]
}

/// Sends the number of a credential, because a header has no accents.
private struct NumberScheme: Authenticator {
    func apply(_ credential: Person, to request: inout HTTPRequest) { request.headers["Authorization"] = "number \(credential.number)" }
    func refresh(_ credential: Person) async throws -> Person { credential }
    func identity(of credential: Person) -> String { credential.name }
    func user(of credential: Person) -> String? { credential.name }
}

@Suite("The identity of a loop of calls", .limitedParallelism)
struct LoopIdentityTests {
    /// A change of the signed-in user between two calls.
    enum Change: String, CaseIterable {
        case otherUser, signOut, sameUser, sameSession
    }

    private static let pages = (1...4).map { page in
        #"{"code":0,"data":{"list":[\#(page)],"total":4,"nextCursor":\#(page < 4 ? "\"c\(page)\"" : "null")}}"#
    }

    @Test("a loop ends when another user signs in between two of its calls", arguments: CallLoop.all, Change.allCases)
    func changes(loop: CallLoop, change: Change) async throws {
        let stubs = Stubs()
        let sent = Recorder<String>()
        let count = Counter()
        stubs.on(nil, "/a").reply { call in
            sent.note(call.headers["Authorization"] ?? "nobody")
            count.increment()
            return .text(Self.pages[min(count.count, 4) - 1], contentType: "application/json")
        }
        stubs.on(nil, "/events").reply { call in
            sent.note(call.headers["Authorization"] ?? "nobody")
            return .text("data: x\n\n", contentType: "text/event-stream")
        }
        let client = Client(testing: stubs, clock: VirtualClock(isAutomatic: true))
        let signIn = Authentication(PersonScheme(isKnown: change != .sameSession), store: MemoryCredentialStore(Person(name: "Ann")))
        client.configure("forum") { $0.authentication = signIn }
        let end: (any Error)?
        do {
            try await loop.run(client.tag("forum").get("/a")) {
                switch change {
                case .otherUser: try signIn.signIn(Person(name: "Bob"))
                case .signOut: try signIn.signOut()
                case .sameUser: try signIn.signIn(Person(name: "Ann", number: 1))
                case .sameSession: break
                }
            }
            end = nil
        } catch {
            end = error
        }
        switch change {
        case .otherUser, .signOut:
            #expect((end as? APIError)?.kind == .missingCredential)
            #expect(sent.events == ["Ann0"])
        case .sameUser:
            #expect(end == nil)
            #expect(Set(sent.events) == ["Ann0", "Ann1"])
        case .sameSession:
            #expect(end == nil)
            #expect(Set(sent.events) == ["Ann0"])
            #expect(sent.count > 1)
        }
    }

    @Test("the calls of a batch have one user, or none, if no user was signed in when it began", arguments: [1, 2])
    func batchWithoutUser(concurrency: Int) async throws {
        let stubs = Stubs()
        let sent = Recorder<String>()
        let signIn = Authentication(PersonScheme(requiresCredential: false))
        stubs.get("/a").reply { call in
            sent.note(call.headers["Authorization"] ?? "nobody")
            try signIn.signIn(Person(name: "Ann"))
            return .reply(data: 1)
        }
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = signIn }
        let requests = (0..<4).map { client.tag("forum").get("/a").query(["n": $0]) }
        let results = try await client.batch(requests, as: Int.self, concurrency: concurrency).value
        #expect(try results.map { try $0.get() } == [1, 1, 1, 1])
        #expect(sent.events == ["nobody", "nobody", "nobody", "nobody"])
    }

    @Test("users whose names differ only in their bytes are two users")
    func bytes() async throws {
        let stubs = Stubs()
        let sent = Recorder<String>()
        let signIn = Authentication(NumberScheme(), store: MemoryCredentialStore(Person(name: "Jos\u{e9}")))
        stubs.get("/a").reply { call in
            sent.note(call.headers["Authorization"] ?? "nobody")
            if call.attempt == 1 { try signIn.signIn(Person(name: "Jose\u{301}")) }
            return .status(503)
        }
        let client = Client(testing: stubs, clock: VirtualClock(isAutomatic: true))
        client.configure("forum") { $0.authentication = signIn }
        let result = await client.tag("forum").get("/a").retry(.exponential(limit: 1)).execute(as: Int.self).result
        #expect(result.apiError?.kind == .missingCredential)
        #expect(sent.count == 1)
        let one = CallIdentity.session(.init(authentication: 1, number: 1), user: "Jos\u{e9}")
        let other = CallIdentity.session(.init(authentication: 1, number: 2), user: "Jose\u{301}")
        #expect(one != other && !one.mayGoOn(as: other))
    }

    @Test("a jar keeps the cookies of users apart whose names differ only in their bytes")
    func cookies() throws {
        var shelf = CookieShelf()
        _ = shelf.become("Jos\u{e9}")
        shelf.put(
            [try #require(Cookie(parsing: "sid=1", from: HTTPAddress(parsing: "https://stubs.test/"), at: Date()))], from: "stubs.test",
            isTrusted: true, at: Date(), PublicSuffixes())
        let hasLeft = shelf.become("Jose\u{301}")
        #expect(hasLeft)
        #expect(shelf.entries.isEmpty)
    }
}
