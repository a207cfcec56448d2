import CatenaTesting
import Foundation
import TestSupport

@testable import Catena
@testable import CatenaFleet

/// An app's own signer, which signs with a unique number and may take time.
struct PropertySigner: RequestSigner {
    let nonce: @Sendable () async -> String

    func sign(_ request: inout HTTPRequest, params: Params) async throws { request.headers["X-Nonce"] = await nonce() }
}

// Other machines and processes, and closures that suspend calls.
extension PropertyWorld {
    typealias SignIn = Authentication<PropertyScheme>
    typealias Renewal = @Sendable (PropertyMember) async throws -> PropertyMember

    /// Returns the sign-in of a backend, and the one with which it shares its credential.
    static func signIns(
        _ backend: Int, _ setup: PropertySetup, _ store: PropertyStore, own: @escaping Renewal, others: @escaping Renewal
    ) -> (own: SignIn, other: SignIn?) {
        let window = RefreshWindow(limit: 20, per: .seconds(60))
        let schemes = [own, others].map { renewal in
            PropertyScheme(isKnown: setup.isKnown, requiresCredential: setup.signIn != .optional, renew: renewal)
        }
        switch setup.company {
        case .nobody: return (SignIn(schemes[0], window: window), nil)
        case .fleet:
            let shared = SharedCredential("b\(backend)", in: store)
            return (SignIn(schemes[0], shared: shared, window: window), SignIn(schemes[1], shared: shared, window: window))
        case .processes:
            let store = PropertyCredentialStore()
            return (SignIn(schemes[0], store: store, window: window), SignIn(schemes[1], store: store, window: window))
        }
    }

    /// Refreshes a credential on another machine.
    func renewElsewhere(_ member: PropertyMember) async throws -> PropertyMember {
        if !isCalm { await pause(for: .milliseconds(draw([1, 50, 500, 5_000]))) }
        if !isCalm, draw(4) == 0 { throw APIError(.connectionLost) }
        var renewed = member
        renewed.renewal = max(member.renewal + 1, state.withLock { $0.oldestRenewals[member.session] ?? 0 })
        log("\(member.token) becomes \(renewed.token) elsewhere")
        return renewed
    }

    /// Performs a random action of another machine or process.
    func neighbour() {
        let backend = draw(caches.count)
        if draw(3) == 0 { return useLimitsElsewhere(backend) }
        guard let neighbour = neighbours[backend] else { return }
        switch draw(4) {
        case 0:
            log("somebody signs out of backend \(backend) elsewhere")
            try? neighbour.signOut()
        case 1:
            let member = member(draw(["Ann", "Bob"]), of: backend)
            log("\(member.token) signs in elsewhere")
            try? neighbour.signIn(member)
        default:
            log("the credential of backend \(backend) is renewed elsewhere")
            let context = AuthenticationContext(clock: clock, outageHandler: watch)
            Task {
                _ = try? await neighbour.load()
                try? await neighbour.renew(neighbour.state.withLock { $0.credentials.generation }, context)
            }
        }
    }

    /// Sends failing calls from the other machine.
    private func useLimitsElsewhere(_ backend: Int) {
        guard neighbouringRates[backend] != nil || neighbouringBreakers[backend] != nil else { return }
        log("another machine has calls of backend \(backend), which fail")
        for _ in 0..<3 {
            Task {
                try? await neighbouringRates[backend]?.enter(priority: .normal)
                try? await neighbouringBreakers[backend]?.run { throw APIError(.connectionLost) }
            }
        }
    }

    /// Waits for the whole time, even after a cancellation.
    private func pause(for time: Duration) async {
        state.withLock { $0.deaf += 1 }
        await clock.pause(for: time)
        state.withLock { $0.deaf -= 1 }
    }

    // MARK: Common values and signatures

    func askForCommonValues(isWaiting: Bool) {
        guard isWaiting else {
            client.commonParams { _ in ["v": 1] }
            return client.commonHeaders { [unowned self] _ in ["X-Asked": asking()] }
        }
        client.commonParams { [unowned self] _ in
            await dawdle()
            return ["v": 1]
        }
        client.commonHeaders { [unowned self] _ in
            await dawdle()
            return ["X-Asked": asking()]
        }
    }

    func nonce() async -> String {
        await dawdle()
        return asking()
    }

    private func asking() -> String {
        state.withLock { state in
            state.lastAsking += 1
            return "\(state.lastAsking)"
        }
    }

    /// Sometimes waits, and sometimes ignores cancellation while it waits.
    func dawdle() async {
        guard !isCalm else { return }
        switch draw(12) {
        case 0: try? await clock.sleep(for: .milliseconds(draw([1, 100, 2_000])))
        case 1: await pause(for: .milliseconds(draw([1, 100, 40_000])))
        default: break
        }
    }
}
