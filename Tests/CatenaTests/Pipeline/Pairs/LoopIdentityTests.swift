import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The user and the deadline of a loop of calls", .limitedParallelism)
struct LoopIdentityTests {
    let stubs = Stubs()

    /// A change of the user between two pages.
    enum Change: CaseIterable { case signOut, another, sameUser }

    @Test(
        "a list belongs to the user who began it: after another sign-in it ends with missingCredential",
        arguments: Change.allCases, [true, false])
    func pages(change: Change, areItems: Bool) async throws {
        stubs.get("/a").reply { call in
            let page = call.query("cursor").flatMap(Int.init) ?? 1
            return .json(text: "{\"items\": [\(page)], \"next_cursor\": \"\(page + 1)\", \"has_more\": \(page < 3)}")
        }
        let authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("Ann"))
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = authentication }
        let request = client.tag("forum").get("/a")
        let changed = Counter()
        let leave: @Sendable () throws -> Void = {
            changed.increment()
            guard changed.count == 1 else { return }
            if change != .another { try authentication.signOut() }
            if change != .signOut { try authentication.signIn(change == .sameUser ? "Ann" : "Bob") }
        }
        var items: [Int] = []
        var failure: (any Error)?
        do {
            if areItems {
                for try await item in request.items(of: Int.self, by: .cursor()) {
                    items.append(item)
                    try leave()
                }
            } else {
                for try await page in request.pages(of: Int.self, by: .cursor()) {
                    items += page.items
                    try leave()
                }
            }
        } catch {
            failure = error
        }
        #expect(stubs.calls.allSatisfy { $0.headers["X-Name"] == "Ann" })
        if change == .sameUser {
            #expect(failure == nil)
            #expect(items == [1, 2, 3])
        } else {
            #expect((failure as? APIError)?.kind == .missingCredential)
            #expect(items == [1])
        }
    }

    @Test("a list that began without a credential goes on without one")
    func signedOut() async throws {
        stubs.get("/a").query("page", 1).reply(.json(["items": [1], "total": 2]))
        stubs.get("/a").query("page", 2).reply(.json(["items": [2], "total": 2]))
        let scheme = CountingScheme(requiresCredential: false)
        let authentication = Authentication(scheme, store: MemoryCredentialStore<Stamp>())
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = authentication }
        for try await page in client.tag("forum").get("/a").pages(of: Int.self) {
            if page.items == [1] { try authentication.signIn(.first) }
        }
        #expect(stubs.calls.map { $0.headers["X-Token"] } == [nil, nil])
    }

    @Test("the deadline of an event stream holds for all of its connections")
    func events() async throws {
        stubs.get("/feed").reply(.text("data: 1\n\n", contentType: "text/event-stream"))
        let client = Client(testing: stubs)
        let count = Counter()
        let error = await #expect(throws: APIError.self) {
            for try await _ in client.get("/feed").deadline(.seconds(10)).events(reconnecting: .after(.seconds(3), limit: 3)) {
                count.increment()
                if count.count > 20 { break }
            }
        }
        #expect(error?.kind == .timeout)
        #expect(stubs.clock.now == .seconds(10))
        #expect(count.count == 4)
    }
}
