import CatenaTesting
import Foundation
import TestSupport

@testable import Catena
@testable import CatenaFleet

// The invariants while no task can run.
extension PropertyWorld {
    /// The time that a call may take to end.
    private static let delay = Duration.milliseconds(50)

    /// Runs all tasks that can run, and checks that everything still in progress is allowed to be.
    func settle() {
        simulation.run()
        let now = clock.now
        let (records, live, exchanges, bodies) = state.withLock { ($0.records, $0.live, $0.exchanges, $0.bodies) }
        for number in live.sorted() {
            // Each connection of an event stream is a call of its own, and a batch reports all of its calls at once. A suspended reader sees what has
            // arrived only when it resumes.
            guard let record = records[number], record.kind != .events, record.kind != .batch, !record.isSuspended, !record.spansSetups
            else { continue }
            // Handlers have a time limit of their own.
            if let deadline = record.deadline, record.handlers == 0, now > record.began + deadline + Self.delay {
                violate("call \(number) goes on after its deadline")
            }
            if let cancelled = record.cancelled, now > cancelled + Self.delay {
                violate("call \(number) goes on after all were cancelled")
            }
        }
        checkFutileWaits(records, live, Set(exchanges.values.map(\.call)))
        for exchange in exchanges.values.sorted(by: { $0.number < $1.number }) {
            guard let record = records[exchange.call] else { continue }
            if record.hasEnded, !mayGoOnBehind(record) {
                violate("request \(exchange.number) of call \(exchange.call) is under way after its end")
            }
            // Each connection of an event stream uses the configuration of the moment in which it was opened.
            if record.kind != .events, !record.spansSetups, now > exchange.began + record.setup.timeout {
                violate("request \(exchange.number) of call \(exchange.call) goes on after its timeout")
            }
        }
        for (number, body) in bodies where records[body.call]?.hasEnded == true {
            violate("body \(number) of call \(body.call) is read after its end")
        }
        checkReplaced(records, live)
        for (backend, cache) in caches.enumerated() where cache.size > PropertySetup.cacheLimit {
            violate("the cache of backend \(backend) holds \(cache.size) bytes")
        }
        noteBackends()
    }

    private func noteBackends() {
        for backend in caches.indices {
            let shared = CallRun(client.tag(Self.tag(backend))).tagState
            let (inside, open) = state.withLock { state in
                (state.inside[backend] ?? 0, state.bodies.values.filter { state.records[$0.call]?.backend == backend }.count)
            }
            if let limit = state.withLock({ $0.setups[backend].concurrency?.limit }), inside + open > limit {
                violate("\(inside + open) calls of backend \(backend) at a time, of \(limit) allowed")
            }
            let isWaiting = (shared.concurrency?.load.waiting ?? 0) > 4
            if isWaiting { violate("more calls of backend \(backend) wait than may") }
            state.withLock { $0.backends[ObjectIdentifier(shared)] = shared }
        }
    }

    /// Advances the clock timer by timer, and settles after each.
    func pass(_ time: Duration) {
        settle()
        let end = clock.now + time
        while let next = clock.untilNext, clock.now + next <= end, violation == nil {
            clock.advance(by: next)
            settle()
        }
        clock.advance(by: max(end - clock.now, .zero))
        settle()
    }

    /// Lets everything end, and checks that nothing is left over.
    func rest() {
        becomeCalm(true)
        log("nothing goes wrong any more")
        for group in 0..<4 { client.calls.resume(group: "g\(group)") }
        var rounds = 0
        repeat {
            settle()
            for number in state.withLock({ $0.exchanges.keys.sorted() }) { answer(number) }
            for body in state.withLock({ $0.bodies.sorted { $0.key < $1.key } }) { body.value.pieces.finish() }
            settle()
            checkTimers()
            if let next = clock.untilNext { pass(next) }
            rounds += 1
        } while violation == nil && rounds < 500 && (clock.untilNext != nil || !state.withLock { $0.live.isEmpty && $0.exchanges.isEmpty })
        let left = state.withLock { $0.live.sorted() }
        if !left.isEmpty { violate("calls \(left) never end") }
        checkRest()
        becomeCalm(false)
    }

    func becomeCalm(_ isCalm: Bool) {
        state.withLock { $0.isCalm = isCalm }
        store.isCalm = isCalm
    }

    /// Checks that no timer outlives its purpose. If no work is in progress, only a rate limit may have one.
    private func checkTimers() {
        let (isAnythingLeft, backends) = state.withLock { state in
            (!state.live.isEmpty || !state.exchanges.isEmpty, state.backends.values.map { $0 })
        }
        // A task that waits for a store and ignores cancellation may do so when no call needs it any more.
        guard !state.withLock({ $0.deaf > 0 || $0.setups.contains(where: \.isShared) }) else { return }
        let isAnybodyBehind = caches.contains { !$0.renewals.keys.withLock { $0.isEmpty } } || backends.contains { !$0.flights.isIdle }
        guard !isAnythingLeft, !isAnybodyBehind, !authentications.contains(where: { !$0.flights.isIdle }) else { return }
        if clock.delays.count > backends.filter({ $0.rate != nil }).count {
            violate("nothing is under way, and the clock has \(clock.delays)")
        }
    }

    /// Checks that all calls, places and timers have been released.
    private func checkRest() {
        guard violation == nil else { return }
        if !client.calls.tasks().isEmpty { violate("calls that have ended are listed: \(client.calls.tasks().map { $0.id ?? "?" })") }
        if clock.untilNext != nil { violate("the clock has something left: \(clock.delays)") }
        let (exchanges, bodies, backends) = state.withLock { ($0.exchanges.count, $0.bodies.count, $0.backends.values.map { $0 }) }
        if exchanges + bodies > 0 { violate("\(exchanges) requests and \(bodies) bodies never end") }
        for shared in backends {
            if !shared.flights.isIdle { violate("somebody waits for a shared response that nobody asks for") }
            if let load = shared.concurrency?.load, load != (0, 0) { violate("places do not come back: \(load)") }
            if (shared.sharedRate as? SharedRateLimiter)?.state.withLock({ !$0.line.isEmpty }) == true {
                violate("somebody waits at the rate of the fleet for ever")
            }
            if let rate = shared.rate, rate.state.withLock({ $0.queue.waiting }) > 0 { violate("somebody waits at the rate for ever") }
        }
        for (backend, cache) in caches.enumerated() {
            if !cache.renewals.keys.withLock({ $0.isEmpty }) { violate("a renewal of backend \(backend) never ends") }
            if !authentications[backend].flights.isIdle { violate("a refresh of backend \(backend) never ends") }
        }
        client.observation.queue.sync {}
        checkTold()
        // The objects of the calls are freed with them.
        if canaries.alive > 0 { violate("\(canaries.alive) of the calls are kept in memory") }
    }

    private func checkTold() {
        let told = told.withLock { $0 }
        for (id, call) in told where call.ends != 1 || call.starts > 1 {
            violate("observers are told of \(call.starts) beginnings and \(call.ends) ends of the call with id \(id)")
        }
        for (id, call) in told where call.open != 0 {
            violate("observers are told of \(call.open) attempts more than have ended, of the call with id \(id)")
        }
        checkSendings()
        let (setups, meddled) = state.withLock { ($0.setups, $0.meddled) }
        for (backend, setup) in setups.enumerated() {
            // An interceptor may let a call run its attempts more than once.
            guard let budget = setup.budget, !meddled.contains(backend) else { continue }
            let calls = told.values.filter { $0.tag == Self.tag(backend) }
            // With a sign-in, a second sending may also begin while another attempt is in progress, at no cost. So may the repeat of a request that no server
            // has
            // processed.
            let retries = calls.reduce(0) { $0 + $1.retries + (setup.hasSignIn ? 0 : max($1.hedges - $1.repeats, 0)) }
            if Double(retries) > Double(budget.reserve) + budget.share * Double(calls.count) {
                violate("\(retries) retries of \(calls.count) calls of backend \(backend) are more than the budget allows")
            }
        }
    }

    /// Checks that observers were notified of each sending. If no sending of the call was cancelled, also checks that they were notified of no other.
    private func checkSendings() {
        let (told, records) = (toldAttempts.withLock { $0 }, state.withLock { $0.records })
        for record in records.values.sorted(by: { $0.number < $1.number }) {
            let count = told[record.number] ?? 0
            let isGivenUp =
                !record.hasSucceeded || record.hedgeDelay != nil || record.setup.hasCache || record.kind == .events || record.spansSetups
            if record.sent > count || !isGivenUp && record.sent < count {
                violate("call \(record.number) was sent \(record.sent) times, and observers were told of \(count) attempts")
            }
        }
    }
}
