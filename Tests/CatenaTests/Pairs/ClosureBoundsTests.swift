import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Closures of the app, time limits and cancellation", .limitedParallelism)
struct ClosureBoundsTests {
    let stubs = Stubs()
    let clock = VirtualClock()

    /// A closure that never returns.
    enum Place: String, CaseIterable { case commonParams, commonHeaders, host, signer }

    private struct Silent: HostProvider, RequestSigner {
        let arrived: Counter

        func host(for key: HostKey) async throws -> String {
            arrived.increment()
            await untilCancelled()
            throw CancellationError()
        }

        func sign(_ request: inout HTTPRequest, params: Params) async throws { _ = try await host(for: HostKey("a")) }
    }

    @Test("a closure of common values or of the host is part of the attempt, whose timeout ends it", arguments: Place.allCases)
    func timeout(place: Place) async throws {
        stubs.get("/a").reply(data: 1)
        let client = Client(testing: stubs, clock: clock)
        let silent = Silent(arrived: Counter())
        switch place {
        case .commonParams:
            client.commonParams { _ in
                _ = try await silent.host(for: HostKey("a"))
                return [:]
            }
        case .commonHeaders:
            client.commonHeaders { _ in
                _ = try await silent.host(for: HostKey("a"))
                return [:]
            }
        case .host: client.configure("forum") { ($0.host, $0.hostProvider) = (nil, silent) }
        case .signer: client.configure("forum") { $0.signer = silent }
        }
        let call = client.tag("forum").get("/a").timeout(.seconds(5)).deadline(.seconds(60)).execute(as: Int.self)
        await silent.arrived.reached(1)
        await clock.scheduled(.seconds(60))
        clock.advance(by: .seconds(5))
        await giveChances()
        // Without a limit of the attempt, the deadline ends the call.
        clock.advance(by: .seconds(55))
        let error = await call.result.apiError
        #expect(error?.kind == .timeout)
        #expect(error?.message.contains(place.rawValue) == true)
        #expect(error?.message.contains("5") == true)
        #expect(stubs.requests.isEmpty)
    }

    @Test("the time of a closure is taken from the timeout of its attempt")
    func spent() async throws {
        stubs.get("/a").reply(.unanswered)
        let client = Client(testing: stubs, clock: clock)
        let arrived = Counter()
        client.commonHeaders { [clock] _ in
            arrived.increment()
            try await clock.sleep(for: .seconds(3))
            return [:]
        }
        let call = client.get("/a").timeout(.seconds(5)).execute(as: Int.self)
        await arrived.reached(1)
        await clock.scheduled(.seconds(3))
        clock.advance(by: .seconds(3))
        await stubs.requestsReceived(1)
        await clock.scheduled(.seconds(2))
        clock.advance(by: .seconds(2))
        let error = await call.result.apiError
        #expect(error?.kind == .timeout)
        #expect(error?.attempts == 1)
    }

    @Test("a call whose error handler cancels the calls of its tag keeps its error, and the others are cancelled")
    func cancelling() async throws {
        stubs.get("/a").reply(status: 401)
        stubs.get("/slow").reply(.unanswered)
        for selection in ["tag", "all", "id", "group"] {
            let client = Client(testing: stubs, clock: clock)
            client.configure("forum") { forum in
                forum.onError = { [weak client] _, _ in
                    switch selection {
                    case "tag": client?.calls.cancel(tag: "forum")
                    case "all": client?.calls.cancelAll()
                    case "id": client?.calls.cancel(id: "rooms")
                    default: client?.calls.cancel(group: "rooms")
                    }
                    return .proceed
                }
            }
            let base = client.tag("forum").id("rooms").group("rooms")
            let slow = base.get("/slow").execute(as: Int.self)
            for isAwaited in [true, false] {
                let call = Task {
                    isAwaited ? try await base.get("/a").value(as: Int.self) : try await base.get("/a").execute(as: Int.self).value
                }
                #expect(await call.result.apiError?.status == 401, "\(selection), \(isAwaited)")
            }
            await #expect(throws: CancellationError.self) { try await slow.value }
        }
    }

    @Test("cancelling a call from outside still ends a handler that waits")
    func outside() async throws {
        stubs.get("/a").reply(status: 401)
        let client = Client(testing: stubs, clock: clock)
        let asked = Counter()
        client.onError { _, _ in
            asked.increment()
            await untilCancelled()
            return .proceed
        }
        let call = client.get("/a").execute(as: Int.self)
        await asked.reached(1)
        client.calls.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}
