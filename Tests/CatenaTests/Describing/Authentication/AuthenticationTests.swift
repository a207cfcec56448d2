import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Sign-in", .limitedParallelism)
struct AuthenticationTests {
    private static let unauthorized = APIError(.status, status: 401)

    /// Returns a backend that accepts one token only.
    private static func accepting(_ token: String) -> @Sendable (String?) -> APIError? {
        { $0 == token ? nil : unauthorized }
    }

    private static func signedIn(_ scheme: CountingScheme, _ stamp: Stamp? = .first, window: RefreshWindow? = .standard)
        -> Authentication<CountingScheme>
    {
        Authentication(scheme, store: MemoryCredentialStore(stamp), window: window)
    }

    // MARK: Before sending

    @Test("an accepted credential is applied once")
    func accepted() async throws {
        let scheme = CountingScheme()
        let (token, replays) = try await Self.signedIn(scheme).call(Self.accepting("a0"))
        #expect(token == "a0")
        #expect(replays == 0)
        #expect(scheme.counts == [1, 0, 0])
    }

    @Test("without a credential no call is sent")
    func missing() async {
        let scheme = CountingScheme()
        let authentication = Self.signedIn(scheme, nil)
        for _ in 0..<2 {
            let error = await #expect(throws: APIError.self) {
                try await authentication.call { _ in
                    Issue.record("nothing may be sent")
                    return nil
                }
            }
            #expect(error?.kind == .missingCredential)
        }
        #expect(scheme.counts == [0, 0, 0])
    }

    @Test("a sign-in or sign-out applies from the next call on")
    func signInAndOut() async throws {
        let scheme = CountingScheme()
        let authentication = Self.signedIn(scheme)
        #expect(try await authentication.call(Self.accepting("a0")).token == "a0")
        try authentication.signOut()
        #expect(try authentication.identity() == nil)
        await #expect(throws: APIError.self) { try await authentication.call { _ in nil } }
        try authentication.signIn(Stamp(number: 5))
        #expect(try authentication.identity() == "user")
        #expect(try await authentication.call(Self.accepting("a5")).token == "a5")
    }

    @Test("if no credential is required, a call without one is sent as it is")
    func optional() async throws {
        let scheme = CountingScheme(requiresCredential: false)
        let (token, replays) = try await Self.signedIn(scheme, nil).call { _ in nil }
        #expect(token == nil)
        #expect(replays == 0)
        let refused = await #expect(throws: Unrecovered.self) { try await Self.signedIn(scheme, nil).call { _ in Self.unauthorized } }
        #expect((refused?.error as? APIError)?.status == 401)
        #expect(scheme.counts == [0, 0, 1])
    }

    @Test("a stale credential is refreshed before calls are sent, once for all calls", arguments: [1, 2, 6])
    func stale(count: Int) async {
        let scheme = CountingScheme()
        let answers = await Self.signedIn(scheme, Stamp(number: 0, isStale: true)).calls(count, Self.accepting("a1"))
        #expect(answers.compactMap { try? $0.get() } == Array(repeating: "a1", count: count))
        #expect(scheme.counts == [count, 1, 0])
    }

    @Test("if the refresh of a stale credential fails, all calls fail with its error and none is sent")
    func staleAndFailing() async throws {
        let gate = Promise<Void>.pending()
        let scheme = CountingScheme { _ in
            try await gate.promise.value
            throw APIError(.offline, message: "no network")
        }
        let authentication = Self.signedIn(scheme, Stamp(number: 0, isStale: true))
        let tasks = (0..<3).map { _ in
            Task {
                try await authentication.call { _ in
                    Issue.record("nothing may be sent")
                    return nil
                }
            }
        }
        await authentication.waiting(3)
        gate.resolver.fulfill(())
        for task in tasks {
            let error = await task.result.apiError
            #expect(error?.kind == .offline)
            #expect(error?.underlying is RefreshError)
        }
        #expect(scheme.counts == [0, 1, 0])
    }

    @Test(
        "a credential that is stale again after its refresh fails the calls instead of refreshing forever", arguments: [1, 3],
        [RefreshWindow(limit: 1, per: .seconds(30)), nil])
    func staleForEver(count: Int, window: RefreshWindow?) async {
        let gate = Promise<Void>.pending()
        let scheme = CountingScheme { stamp in
            try await gate.promise.value
            return Stamp(number: stamp.number + 1, isStale: true)
        }
        let authentication = Self.signedIn(scheme, Stamp(number: 0, isStale: true), window: window)
        let tasks = (0..<count).map { _ in Task { try await authentication.call { _ in nil } } }
        await authentication.waiting(count)
        gate.resolver.fulfill(())
        for task in tasks { #expect(await task.result.apiError?.kind == .excessiveRefresh) }
        #expect(scheme.counts == [0, 1, 0])
    }

    // MARK: After a refusal

    @Test("a refused credential is refreshed and the call is sent again")
    func refused() async throws {
        let scheme = CountingScheme()
        let (token, replays) = try await Self.signedIn(scheme).call(Self.accepting("a1"))
        #expect(token == "a1")
        #expect(replays == 1)
        #expect(scheme.counts == [2, 1, 1])
    }

    @Test("calls that are refused at the same time share one refresh", arguments: [6, 1000])
    func refusedTogether(count: Int) async {
        let scheme = CountingScheme()
        let answers = await Self.signedIn(scheme).calls(count, Self.accepting("a1"))
        #expect(answers.compactMap { try? $0.get() } == Array(repeating: "a1", count: count))
        #expect(scheme.counts == [2 * count, 1, count])
    }

    @Test("if the refresh fails, calls fail with its error, which keeps the refusal", arguments: [1, 3])
    func refreshFailing(count: Int) async throws {
        let gate = Promise<Void>.pending()
        let scheme = CountingScheme { _ in
            try await gate.promise.value
            throw APIError(.business, code: 1234, message: "signed out elsewhere", status: 200)
        }
        let authentication = Self.signedIn(scheme)
        async let answers = authentication.calls(count, Self.accepting("never"))
        await authentication.waiting(count)
        gate.resolver.fulfill(())
        for answer in await answers {
            #expect(answer.apiError?.code == 1234)
            #expect(answer.apiError?.message == "signed out elsewhere")
            #expect((answer.apiError?.underlying as? RefreshError)?.original?.status == 401)
            #expect(answer.replays == 0)
        }
        #expect(scheme.counts == [count, 1, count])
    }

    @Test("a call whose old credential is refused after a refresh is sent again without another refresh")
    func lateRefusal() async throws {
        let scheme = CountingScheme()
        let authentication = Self.signedIn(scheme)
        let context = AuthenticationContext(clock: VirtualClock())
        var slow = HTTPRequest(method: .get, address: try HTTPAddress(parsing: "https://h/"))
        let pass = try await authentication.authenticateAfterWait(&slow, context)
        _ = try await authentication.call(Self.accepting("a1"))
        #expect(try await authentication.recover(from: Self.unauthorized, pass, context))
        #expect(scheme.refreshed.count == 1)
    }

    @Test("a call that is refused after the sign-out fails with missingCredential")
    func signedOutMeanwhile() async throws {
        let scheme = CountingScheme()
        let authentication = Self.signedIn(scheme)
        let error = await #expect(throws: Unrecovered.self) {
            try await authentication.call { _ in
                try authentication.signOut()
                return Self.unauthorized
            }
        }
        #expect((error?.error as? APIError)?.kind == .missingCredential)
        #expect(((error?.error as? APIError)?.underlying as? RefreshError)?.original?.status == 401)
        #expect(scheme.counts == [1, 0, 1])
    }

    @Test(
        "other errors than a refusal do not refresh the credential",
        arguments: [
            (APIError(.status, status: 500), [1, 0, 1]), (APIError(.connect), [1, 0, 0]), (APIError(.timeout), [1, 0, 0]),
            (APIError(.business, code: 7, status: 200), [1, 0, 1]),
        ])
    func others(error: APIError, counts: [Int]) async {
        let scheme = CountingScheme()
        await #expect(throws: Unrecovered.self) { try await Self.signedIn(scheme).call { _ in error } }
        #expect(scheme.counts == counts)
    }

    @Test("a business code can be a refusal at any status", arguments: [10001, "TOKEN_EXPIRED"] as [ErrorCode])
    func businessCodes(code: ErrorCode) async throws {
        let scheme = CountingScheme(rule: UnauthorizedRule(codes: [10001, "TOKEN_EXPIRED"]))
        let (token, replays) = try await Self.signedIn(scheme).call {
            $0 == "a1" ? nil : APIError(.business, code: code, status: 200)
        }
        #expect(token == "a1")
        #expect(replays == 1)
        #expect(scheme.counts == [2, 1, 1])
    }

    @Test("a call whose credential cannot be refreshed fails with the backend's refusal")
    func noRefresh() async {
        let scheme = CountingScheme(canRefresh: false)
        let error = await #expect(throws: Unrecovered.self) {
            try await Self.signedIn(scheme, Stamp(number: 0, isStale: true)).call(Self.accepting("a1"))
        }
        #expect((error?.error as? APIError)?.status == 401)
        #expect(scheme.counts == [1, 0, 1])
    }

    @Test("each refused call refreshes once, and each sign-in has its own credential")
    func cycles() async throws {
        let (scheme, other) = (CountingScheme(), CountingScheme())
        let authentication = Self.signedIn(scheme)
        #expect(try await authentication.call(Self.accepting("a1")).token == "a1")
        #expect(try await authentication.call(Self.accepting("a2")).token == "a2")
        #expect(scheme.refreshed.count == 2)
        #expect(try await Self.signedIn(other).call(Self.accepting("a0")).token == "a0")
        #expect(other.refreshed.count == 0)
    }

    @Test("the next call may refresh again after a failed refresh, and a new sign-in replaces the credential")
    func again() async throws {
        let fails = Counter()
        let scheme = CountingScheme { stamp in
            fails.increment()
            if fails.count == 1 { throw Failure(1) }
            return Stamp(number: stamp.number + 1)
        }
        let authentication = Self.signedIn(scheme)
        await #expect(throws: Unrecovered.self) { try await authentication.call(Self.accepting("a1")) }
        #expect(try await authentication.call(Self.accepting("a1")).token == "a1")
        #expect(scheme.refreshed.count == 2)
        try authentication.signIn(Stamp(number: 7))
        #expect(try await authentication.call(Self.accepting("a7")).token == "a7")
        #expect(try await authentication.call(Self.accepting("a8")).token == "a8")
        #expect(scheme.refreshed.count == 3)
    }

    // MARK: Loops

    @Test(
        "a backend that refuses every credential ends the call after the limit of refreshes",
        arguments: [(2, 2, [3, 2, 3]), (1, 1, [2, 1, 2]), (0, 0, [1, 0, 1]), (-1, 0, [1, 0, 1])])
    func endless(limit: Int, replays: Int, counts: [Int]) async {
        let scheme = CountingScheme()
        let error = await #expect(throws: Unrecovered.self) {
            try await Self.signedIn(scheme, window: RefreshWindow(limit: limit, per: .seconds(30))).call { _ in Self.unauthorized }
        }
        #expect((error?.error as? APIError)?.kind == .excessiveRefresh)
        #expect(((error?.error as? APIError)?.underlying as? RefreshError)?.original?.status == 401)
        #expect(error?.replays == replays)
        #expect(scheme.counts == counts)
    }

    @Test("without a refresh window the number of refreshes is unlimited")
    func noWindow() async throws {
        let scheme = CountingScheme()
        let (token, replays) = try await Self.signedIn(scheme, window: nil).call(Self.accepting("a20"))
        #expect(token == "a20")
        #expect(replays == 20)
        #expect(scheme.refreshed.count == 20)
    }

    @Test("calls that are refused twice at the same time share one refresh within the window")
    func endlessTogether() async {
        let scheme = CountingScheme()
        let again = Counter()
        let answers = await Self.signedIn(scheme, window: RefreshWindow(limit: 1, per: .seconds(30))).calls(3) { token in
            if token == "a1" {
                again.increment()
                await again.reached(3)
            }
            return Self.unauthorized
        }
        #expect(answers.map { $0.apiError?.kind } == Array(repeating: .excessiveRefresh, count: 3))
        #expect(answers.map(\.replays) == [1, 1, 1])
        #expect(scheme.refreshed.count == 1)
        #expect(scheme.applied.count == 6)
    }

    @Test("refreshes are possible again after the window, in which failed refreshes count, too")
    func windowGoesBy() async throws {
        let clock = VirtualClock()
        let scheme = CountingScheme { _ in throw Failure(1) }
        let authentication = Self.signedIn(scheme, window: RefreshWindow(limit: 2, per: .seconds(30)))
        func fail() async -> APIError? {
            do {
                _ = try await authentication.call(on: clock) { _ in Self.unauthorized }
                return nil
            } catch {
                return (error as? Unrecovered)?.error as? APIError
            }
        }
        #expect(await fail()?.kind == .other)
        clock.advance(by: .seconds(10))
        #expect(await fail()?.kind == .other)
        let excessive = await fail()
        #expect(excessive?.kind == .excessiveRefresh)
        #expect(excessive?.retryAfter == .seconds(20))
        #expect(scheme.refreshed.count == 2)
        clock.advance(by: .seconds(20))
        #expect(await fail()?.kind == .other)
        #expect(scheme.refreshed.count == 3)
    }

    // MARK: During a refresh

    @Test("a new call waits for the refresh in progress")
    func newcomer() async throws {
        let gate = Promise<Stamp>.pending()
        let scheme = CountingScheme { _ in try await gate.promise.value }
        let authentication = Self.signedIn(scheme)
        async let refused = authentication.call(Self.accepting("a1"))
        await scheme.refreshed.reached(1)
        async let newcomer = authentication.call(Self.accepting("a1"))
        await authentication.waiting(2)
        gate.resolver.fulfill(Stamp(number: 1))
        #expect(try await refused.replays == 1)
        #expect(try await newcomer.replays == 0)
        #expect(scheme.counts == [3, 1, 1])
    }

    @Test("a refresh that never returns fails all waiting calls after its timeout")
    func neverAnswers() async throws {
        let clock = VirtualClock()
        let never = Promise<Stamp>.pending()
        // This refresh ignores cancellation.
        let scheme = CountingScheme { _ in try await Task { try await never.promise.value }.value }
        let authentication = Authentication(scheme, store: MemoryCredentialStore(.first), refreshTimeout: .seconds(20))
        let tasks = (0..<3).map { _ in Task { try await authentication.call(on: clock) { _ in Self.unauthorized } } }
        await authentication.waiting(3)
        await scheme.refreshed.reached(1)
        await clock.scheduled(.seconds(20))
        clock.advance(by: .seconds(20))
        for task in tasks { #expect(await task.result.apiError?.kind == .timeout) }
        #expect(scheme.refreshed.count == 1)
        never.resolver.fulfill(Stamp(number: 1))
    }

    @Test("cancelling all waiting calls does not cancel the refresh")
    func cancelled() async throws {
        let gate = Promise<Stamp>.pending()
        let scheme = CountingScheme { _ in try await gate.promise.value }
        let authentication = Self.signedIn(scheme)
        let tasks = (0..<2).map { _ in Task { try await authentication.call(Self.accepting("a1")) } }
        await authentication.waiting(2)
        for task in tasks { task.cancel() }
        for task in tasks {
            guard case .failure(let error) = await task.result else { throw Failure() }
            #expect((error as? Unrecovered)?.error is CancellationError || error is CancellationError)
        }
        gate.resolver.fulfill(Stamp(number: 1))
        await authentication.holds { $0.number == 1 }
        #expect(try await authentication.call(Self.accepting("a1")).replays == 0)
        #expect(scheme.refreshed.count == 1)
    }

    @Test("a sign-out fails the calls that wait for a refresh, and the refresh's credential is ignored")
    func signOutMeanwhile() async throws {
        let gate = Promise<Stamp>.pending()
        let store = MemoryCredentialStore(Stamp.first)
        // This refresh ignores cancellation.
        let scheme = CountingScheme { _ in try await Task { try await gate.promise.value }.value }
        let authentication = Authentication(scheme, store: store)
        let tasks = (0..<3).map { _ in Task { try await authentication.call(Self.accepting("a1")) } }
        await authentication.waiting(3)
        await scheme.refreshed.reached(1)
        try authentication.signOut()
        for task in tasks { #expect(await task.result.apiError?.kind == .missingCredential) }
        gate.resolver.fulfill(Stamp(number: 1))
        _ = try await gate.promise.value
        await giveChances()
        #expect(try authentication.credential() == nil)
        #expect(store.load() == nil)
    }

    @Test("a sign-in lets the calls that wait for a refresh continue with the new credential")
    func signInMeanwhile() async throws {
        let gate = Promise<Stamp>.pending()
        let scheme = CountingScheme { _ in try await gate.promise.value }
        let authentication = Self.signedIn(scheme)
        let tasks = (0..<3).map { _ in Task { try await authentication.call(Self.accepting("a9")) } }
        await authentication.waiting(3)
        await scheme.refreshed.reached(1)
        try authentication.signIn(Stamp(number: 9))
        for task in tasks { #expect(try await task.value.token == "a9") }
        #expect(scheme.refreshed.count == 1)
    }

    @Test("requests of the refresh itself have no credential and do not wait for the refresh")
    func reentrant() async throws {
        let box = Recorder<Authentication<CountingScheme>>()
        let inner = Recorder<String?>()
        let scheme = CountingScheme { stamp in
            let (token, _) = try await box.events[0].call { _ in nil }
            inner.note(token)
            #expect(try box.events[0].identity() == nil)
            // A refused request of the refresh does not start another refresh.
            await #expect(throws: Unrecovered.self) { try await box.events[0].call { _ in Self.unauthorized } }
            return Stamp(number: stamp.number + 1)
        }
        let authentication = Self.signedIn(scheme)
        box.note(authentication)
        #expect(try await authentication.call(Self.accepting("a1")).token == "a1")
        #expect(inner.events == [nil])
        #expect(scheme.counts == [2, 1, 1])
    }

    @Test("a preview has the current credential and never refreshes it")
    func preview() async throws {
        let scheme = CountingScheme()
        let authentication = Self.signedIn(scheme, Stamp(number: 3, isStale: true))
        var request = HTTPRequest(method: .get, address: try HTTPAddress(parsing: "https://h/"))
        _ = try await authentication.authenticateAfterWait(&request, AuthenticationContext(clock: VirtualClock(), mayRefresh: false))
        #expect(request.headers["X-Token"] == "a3")
        #expect(scheme.refreshed.count == 0)
    }
}
