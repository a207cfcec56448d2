import Catena
import CatenaTesting
import TestSupport
import Testing

@Suite(.limitedParallelism) struct PromiseTimeTests {
    let clock = VirtualClock()

    @Test("a time limit rejects at its time, not before, and cancels the source")
    func timeout() async {
        let member = ControlledPromise()
        let result = member.promise.timeout(.seconds(5), on: clock)
        clock.advance(by: .milliseconds(4999))
        #expect(await settlement(of: result) == "pending")
        #expect(!member.isStopped)
        clock.advance(by: .milliseconds(1))
        #expect(await settlement(of: result) == "\(PromiseError.timedOut)")
        #expect(member.isStopped)
        #expect(clock.delays.isEmpty)
    }

    @Test("a time limit does not cancel a source that has another consumer")
    func timeoutOfShared() async {
        let member = ControlledPromise()
        let other = member.promise.map { $0 }
        let result = member.promise.timeout(.seconds(5), on: clock)
        clock.advance(by: .seconds(5))
        #expect(await settlement(of: result) == "\(PromiseError.timedOut)")
        #expect(!member.isStopped)
        member.resolver.fulfill(1)
        #expect(await settlement(of: other) == "value 1")
    }

    enum Ending: CaseIterable {
        case fulfilled, rejected, sourceCancelled, resultCancelled

        func end(_ member: ControlledPromise, _ result: Promise<Int>) {
            switch self {
            case .fulfilled: member.resolver.fulfill(1)
            case .rejected: member.resolver.reject(Failure(2))
            case .sourceCancelled: member.promise.cancel()
            case .resultCancelled: result.cancel()
            }
        }

        var outcome: String {
            switch self {
            case .fulfilled: "value 1"
            case .rejected: "error 2"
            case .sourceCancelled, .resultCancelled: "cancelled"
            }
        }

        var stopsWork: Bool { self == .sourceCancelled || self == .resultCancelled }
    }

    @Test("an outcome in time passes through a time limit, and the timer is removed", arguments: Ending.allCases)
    func inTime(ending: Ending) async {
        let member = ControlledPromise()
        let result = member.promise.timeout(.seconds(5), on: clock)
        #expect(clock.delays == [.seconds(5)])
        ending.end(member, result)
        #expect(await settlement(of: result) == ending.outcome)
        #expect(member.isStopped == ending.stopsWork)
        #expect(clock.delays.isEmpty)
        clock.advance(by: .seconds(5))
        #expect(await settlement(of: result) == ending.outcome)
    }

    @Test("the outcome of a settled promise passes through a time limit, and no timer remains")
    func inTimeFromTheStart() async {
        #expect(await settlement(of: Promise(value: 1).timeout(.zero, on: clock)) == "value 1")
        #expect(await settlement(of: Promise<Int>(error: Failure(2)).timeout(.seconds(5), on: clock)) == "error 2")
        #expect(clock.delays.isEmpty)
    }

    @Test("a delay starts when the source is fulfilled, and then passes the value on")
    func delay() async {
        let member = ControlledPromise()
        let result = member.promise.delay(.seconds(3), on: clock)
        #expect(clock.delays.isEmpty)
        clock.advance(by: .seconds(3))
        member.resolver.fulfill(1)
        #expect(clock.delays == [.seconds(3)])
        clock.advance(by: .milliseconds(2999))
        #expect(await settlement(of: result) == "pending")
        clock.advance(by: .milliseconds(1))
        #expect(await settlement(of: result) == "value 1")
    }

    @Test("errors and cancellation pass through a delay at once", arguments: [Ending.rejected, .sourceCancelled, .resultCancelled])
    func noDelay(ending: Ending) async {
        let member = ControlledPromise()
        let result = member.promise.delay(.seconds(3), on: clock)
        ending.end(member, result)
        #expect(await settlement(of: result) == ending.outcome)
        #expect(clock.delays.isEmpty)
    }

    @Test("cancelling during a delay ends the wait")
    func cancelledDelay() async {
        let later = Promise(value: 1).delay(.seconds(3), on: clock)
        let bare = Promise<Void>.delay(.seconds(4), on: clock)
        let derived = Promise<Void>.delay(.seconds(5), on: clock).map {}
        #expect(clock.delays == [.seconds(3), .seconds(4), .seconds(5)])
        later.cancel()
        bare.cancel()
        derived.cancel()
        #expect(clock.delays.isEmpty)
        for result in [later.map { _ in }, bare, derived] { #expect(await settlement(of: result) == "cancelled") }
    }

    @Test("delays end in the order of their times")
    func orderOfDelays() async {
        let seen = Recorder<Int>()
        let ends = [3, 1, 2].map { number in Promise<Void>.delay(.seconds(number), on: clock).map { seen.note(number) } }
        clock.advance(by: .seconds(3))
        #expect(seen.events == [1, 2, 3])
        for end in ends { #expect(!end.isPending) }
    }

    // MARK: Retry

    /// The allowed retries, the attempts that fail, the attempts that are made and the outcome.
    static let attempts: [(times: Int, failures: Int, made: Int, outcome: String)] = [
        (0, 0, 1, "value 1"), (0, 9, 1, "error 1"), (-1, 9, 1, "error 1"),
        (2, 0, 1, "value 1"), (2, 1, 2, "value 2"), (2, 2, 3, "value 3"), (2, 3, 3, "error 3"),
    ]

    @Test("a failure is retried as often as allowed, and no more often", arguments: attempts, ["rejects", "throws"])
    func retry(row: (times: Int, failures: Int, made: Int, outcome: String), how: String) async {
        let made = Counter()
        let result = Promise<Int>.retry(times: row.times, delay: .zero, on: clock, while: { _ in true }) {
            made.increment()
            guard made.count <= row.failures else { return Promise(value: made.count) }
            if how == "throws" { throw Failure(made.count) }
            return Promise(error: Failure(made.count))
        }
        #expect(await settlement(of: result) == row.outcome)
        #expect(made.count == row.made)
        #expect(clock.delays.isEmpty)
    }

    @Test("asynchronous and synchronous work can be retried")
    func retryAsync() async throws {
        let made = Counter()
        let awaited = Promise.retry(times: 2) {
            made.increment()
            try await Promise(value: ()).value
            guard made.count == 3 else { throw Failure(made.count) }
            return made.count
        }
        #expect(try await awaited.value == 3)
        let plain = Promise.retry(times: 1, while: { ($0 as? Failure)?.number == 4 }) { () throws -> Int in
            made.increment()
            throw Failure(made.count)
        }
        await #expect(throws: Failure(5)) { try await plain.value }
        // If the closure returns a promise, the result is not a promise of a promise.
        let flat: Promise<Int> = Promise.retry(times: 1) { Promise(value: 6) }
        #expect(await settlement(of: flat) == "value 6")
        let inferred = Promise.retry(times: 1) { Promise(value: 7) }
        #expect(await settlement(of: inferred) == "value 7")
    }

    @Test("an error that the condition rejects is not retried")
    func condition() async {
        let made = Counter()
        let asked = Recorder<Int>()
        let condition: @Sendable (any Error) -> Bool = { error in
            guard let failure = error as? Failure else { return false }
            asked.note(failure.number)
            return failure.number < 2
        }
        let result = Promise<Int>.retry(times: 5, delay: .zero, on: clock, while: condition) {
            made.increment()
            return Promise(error: Failure(made.count))
        }
        #expect(await settlement(of: result) == "error 2")
        #expect(asked.events == [1, 2])
        #expect(made.count == 2)
    }

    @Test("the delay separates the attempts, and runs neither before the first nor after the last")
    func delayBetween() async {
        let made = Counter()
        let result = Promise<Int>.retry(times: 2, delay: .seconds(2), on: clock, while: { _ in true }) {
            made.increment()
            return Promise(error: Failure(made.count))
        }
        for attempt in 1...2 {
            #expect(made.count == attempt)
            #expect(clock.delays == [.seconds(2)])
            clock.advance(by: .milliseconds(1999))
            #expect(made.count == attempt)
            clock.advance(by: .milliseconds(1))
        }
        #expect(await settlement(of: result) == "error 3")
        #expect(made.count == 3)
        #expect(clock.delays.isEmpty)
    }

    @Test("cancelling during the wait ends the wait and prevents a retry")
    func cancelledWait() async {
        let made = Counter()
        let result = Promise<Int>.retry(times: 2, delay: .seconds(2), on: clock, while: { _ in true }) {
            made.increment()
            return Promise(error: Failure(made.count))
        }
        result.cancel()
        #expect(clock.delays.isEmpty)
        clock.advance(by: .seconds(10))
        #expect(made.count == 1)
        #expect(await settlement(of: result) == "cancelled")
    }

    @Test("cancelling during an attempt cancels the attempt and prevents a retry", arguments: 1...3)
    func cancelledAttempt(number: Int) async {
        let members = ControlledPromise.several(3)
        let made = Counter()
        let result = Promise<Int>.retry(times: 2, delay: .zero, on: clock, while: { _ in true }) {
            made.increment()
            return members[made.count - 1].promise
        }
        for member in members.prefix(number - 1) { member.resolver.reject(Failure()) }
        result.cancel()
        #expect(await settlement(of: result) == "cancelled")
        #expect(members.stopped == (1...3).map { $0 == number })
        #expect(made.count == number)
    }

    @Test("a cancelled attempt is not retried")
    func attemptThatWasCancelled() async {
        let made = Counter()
        let result = Promise<Int>.retry(times: 2, delay: .zero, on: clock, while: { _ in true }) {
            made.increment()
            return Promise(error: CancellationError())
        }
        #expect(await settlement(of: result) == "cancelled")
        #expect(made.count == 1)
    }

    @Test("`validate` passes a value on, rejects it, or fails with the error of its closure")
    func validate() async {
        #expect(await settlement(of: Promise(value: 1).validate { $0 == 1 }) == "value 1")
        #expect(await settlement(of: Promise(value: 2).validate { $0 == 1 }) == "\(PromiseError.invalid)")
        #expect(await settlement(of: Promise(value: 3).validate { throw Failure($0) }) == "error 3")
        let asked = Counter()
        let failed = Promise<Int>(error: Failure(4)).validate { _ in
            asked.increment()
            return true
        }
        #expect(await settlement(of: failed) == "error 4")
        #expect(asked.count == 0)
        let member = ControlledPromise()
        member.promise.validate { _ in true }.cancel()
        #expect(member.isStopped)
    }
}
