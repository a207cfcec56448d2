import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

// The steps of a run.
extension PropertyWorld {
    /// Performs one random action, and some of the work that follows from it.
    func step() {
        switch draw(100) {
        case 0..<38: call()
        case 38..<62: answerOne()
        case 62..<68: feed()
        case 68..<75: pass(.milliseconds(draw([1, 50, 500, 3_000, 20_000])))
        case 75..<80: signIn(to: draw(caches.count))
        case 80..<84: neighbour()
        case 84..<87: expire()
        case 87..<93: cancel()
        case 93..<95: reconfigure()
        case 95..<97: hold()
        case 97..<98: caches[draw(caches.count)].clear()
        case 98: strike()
        default: state.withLock { state in state.person = ["Ann", "Bob", "Eve"][Int(state.random.next() % 3)] }
        }
        // Sometimes the next step begins in the middle of that work.
        if draw(2) == 0 { simulation.run(atMost: draw(30)) } else { settle() }
    }

    private func answerOne() {
        let waiting = state.withLock { $0.exchanges.values.filter { $0.waiting != nil }.map(\.number).sorted() }
        guard !waiting.isEmpty else { return }
        answer(draw(waiting))
    }

    /// Sends more of a body, or its end.
    private func feed() {
        let bodies = state.withLock { $0.bodies.sorted { $0.key < $1.key } }
        guard !bodies.isEmpty else { return }
        let (number, body) = draw(bodies)
        log("body \(number) of call \(body.call) goes on")
        switch draw(4) {
        case 0: body.pieces.finish()
        case 1: body.pieces.finish(throwing: APIError(.connectionLost))
        default: body.pieces.yield(Data("\n".utf8))
        }
    }

    /// Lets a backend be well for some calls and then fail for a while, so that its breaker opens over responses that are kept.
    private func strike() {
        let backends = state.withLock { state in
            state.setups.indices.filter { state.setups[$0].breaker != nil && state.setups[$0].hasCache }
        }
        guard !backends.isEmpty else { return call() }
        let backend = draw(backends)
        for isWell in [true, false] {
            log("backend \(backend) is \(isWell ? "well" : "ill")")
            let end = clock.now + .seconds(20)
            state.withLock { $0.spells[backend] = PropertySpell(isWell: isWell, end: end) }
            for number in 0..<6 where violation == nil {
                call(draw([.typed, .awaited, .endpoint]), backend, "/p\(number % 2)")
                settle()
                for number in state.withLock({ $0.exchanges.keys.sorted() }) where record(of: number)?.backend == backend { answer(number) }
                pass(.milliseconds(isWell ? 10 : 500))
            }
        }
    }

    private func record(of exchange: Int) -> PropertyRecord? {
        state.withLock { state in state.exchanges[exchange].flatMap { state.records[$0.call] } }
    }

    func signIn(to backend: Int) {
        guard draw(3) > 0 else {
            log("somebody signs out of backend \(backend)")
            try? authentications[backend].signOut()
            return
        }
        let member = member(draw(["Ann", "Bob"]), of: backend)
        log("\(member.token) signs in")
        try? authentications[backend].signIn(member)
    }

    /// Creates a new user, who may be signed in while all calls in progress run.
    func member(_ name: String, of backend: Int) -> PropertyMember {
        state.withLock { state in
            state.lastSession += 1
            let member = PropertyMember(name: name, backend: backend, session: state.lastSession)
            state.members[backend, default: []].insert(member)
            for number in state.live where state.records[number]?.backend == backend { state.records[number]?.present.insert(member) }
            return member
        }
    }

    /// Lets the server refuse a credential from now on.
    private func expire() {
        let backend = draw(caches.count)
        guard let member = try? authentications[backend].credential() else { return }
        log("\(member.token) expires")
        state.withLock { $0.oldestRenewals[member.session] = member.renewal + 1 }
    }

    private func cancel() {
        let live = state.withLock { $0.live.sorted() }
        guard !live.isEmpty else { return }
        let number = draw(live)
        switch draw(12) {
        case 0, 4:
            log("all calls are cancelled")
            // A list has no call between two pages, where its task has work to do.
            let (now, isIdle) = (clock.now, simulation.isIdle)
            state.withLock { state in
                for number in state.live where state.records[number]?.hasBegun == true && (isIdle || state.records[number]?.kind != .pages)
                {
                    state.records[number]?.cancelled = now
                }
            }
            client.calls.cancelAll()
        case 1:
            let backend = draw(caches.count)
            log("the calls of backend \(backend) are cancelled")
            client.calls.cancel(tag: Self.tag(backend))
        case 2:
            log("group \(number % 4) is cancelled")
            client.calls.cancel(group: "g\(number % 4)")
        case 3:
            log("call \(number) is cancelled by its id")
            client.calls.cancel(id: "c\(number)")
        default:
            log("call \(number) is cancelled")
            record(number)?.cancel?()
        }
    }

    private func reconfigure() {
        // Calls that have been started must still get the old configuration.
        settle()
        let backend = draw(caches.count)
        log("backend \(backend) is configured anew")
        state.withLock { state in
            state.setups[backend].change(using: &state.random)
            for number in state.live where state.records[number]?.backend == backend {
                guard let kind = state.records[number]?.kind, kind == .pages || kind == .batch else { continue }
                state.records[number]?.spansSetups = true
            }
        }
        configure(backend)
    }

    /// Suspends or resumes a group of calls.
    private func hold() {
        let (group, isSuspended) = (draw(4), draw(2) == 0)
        log("group \(group) is \(isSuspended ? "held up" : "let go on")")
        if isSuspended { client.calls.suspend(group: "g\(group)") } else { client.calls.resume(group: "g\(group)") }
        state.withLock { state in
            for number in state.live where number % 4 == group && state.records[number]?.isNamed == true {
                state.records[number]?.isSuspended = isSuspended
            }
        }
    }

    // MARK: The end of a world

    /// Checks that the next call of each backend succeeds, whatever has happened before.
    func checkHealth() {
        guard violation == nil else { return }
        becomeCalm(true)
        defer { becomeCalm(false) }
        pass(.seconds(200))
        for backend in caches.indices {
            let member = member("Zoe", of: backend)
            try? authentications[backend].signIn(member)
            let number = begin(.typed, backend, "/health", isPosted: false)
            let promise = described(number).execute(as: PropertyReply.self)
            _ = promise.core.derive(interest: .any) { [self] outcome in
                let result = outcome.result(as: PropertyReply.self)
                if case .failure(let error) = result { violate("backend \(backend) is well, and its next call fails: \(error)") }
                end(number, result.map { $0 })
                return .settle(outcome.seen)
            }
            pass(.seconds(1))
            if record(number)?.hasEnded != true { violate("backend \(backend) is well, and its next call does not end") }
        }
    }

    /// Shuts the client down and starts further calls, which must not be sent.
    func shutDown() {
        log("the client is shut down")
        state.withLock { $0.isShutDown = true }
        client.shutdown()
        for _ in 0..<5 { call() }
    }
}
