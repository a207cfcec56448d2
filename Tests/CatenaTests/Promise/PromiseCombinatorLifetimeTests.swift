import Catena
import CatenaTesting
import Dispatch
import TestSupport
import Testing

/// For every combinator and ending, closures are freed at the settlement, and values with the last promise.
@Suite(.limitedParallelism) struct PromiseCombinatorLifetimeTests {
    enum Combinator: CaseIterable {
        case all, tuple, allSettled, any, race, sequence, sequenceOfArray, timeout, delay, retry, retryLater, validate, whenSettled

        /// Combines two promises, with closures that capture `canary` wherever the combinator has any.
        func combine(_ promises: [Promise<Canary>], _ canary: Canary, _ clock: VirtualClock, _ queue: DispatchQueue) -> Promise<Void> {
            switch self {
            case .all: return Promise.all(promises).map { _ in canary.sing() }
            case .tuple: return Promise.all(promises[0], promises[1]).map { _ in canary.sing() }
            case .allSettled: return Promise.allSettled(promises).map { _ in canary.sing() }
            case .any: return Promise.any(promises).map { _ in canary.sing() }
            case .race: return Promise.race(promises).map { _ in canary.sing() }
            case .sequence:
                let begun = Counter()
                return Promise<Canary>.sequence { _ in
                    canary.sing()
                    begun.increment()
                    return begun.count > promises.count ? nil : promises[begun.count - 1]
                }.map { _ in }
            case .sequenceOfArray:
                return Promise<Canary>.sequence(
                    promises.map { promise in
                        { _ in
                            canary.sing()
                            return promise
                        }
                    }
                ).map { _ in }
            case .timeout: return promises[0].timeout(.seconds(1), on: clock).map { _ in canary.sing() }
            case .delay: return promises[0].delay(.seconds(1), on: clock).map { _ in canary.sing() }
            case .retry, .retryLater:
                let delay: Duration = self == .retry ? .zero : .seconds(1)
                let made = Counter()
                let condition: @Sendable (any Error) -> Bool = { _ in
                    canary.sing()
                    return true
                }
                return Promise<Canary>.retry(times: 1, delay: delay, on: clock, while: condition) {
                    canary.sing()
                    made.increment()
                    return promises[made.count - 1]
                }.map { _ in }
            case .validate:
                return promises[0].validate { _ in
                    canary.sing()
                    return true
                }.map { _ in }
            case .whenSettled:
                promises[0].whenSettled(on: queue) { _ in canary.sing() }
                return promises[0].map { _ in canary.sing() }
            }
        }

        /// Whether a consumer remains when the result is cancelled. `whenSettled` adds one of its own.
        var outlivesCancelling: Bool { self == .whenSettled }
    }

    enum Ending: CaseIterable {
        case fulfilled, rejected, cancelled, membersCancelled, resolversDropped, everythingDropped
    }

    @Test("a combinator leaks neither closures nor values")
    static func freedRows() {
        each(Combinator.allCases, Ending.allCases) { Self().freed(combinator: $0, ending: $1) }
    }

    func freed(combinator: Combinator, ending: Ending) {
        let closures = Canary.Cage()
        let values = Canary.Cage()
        let clock = VirtualClock()
        let queue = DispatchQueue(label: "lifetime")
        var members = (0..<2).map { _ in Promise<Canary>.pending() }
        var kept: [Promise<Void>] = []
        do {
            let canary = closures.canary()
            for member in members { member.resolver.onCancel { canary.sing() } }
            let sources = members.map { member in
                member.promise.map { value in
                    canary.sing()
                    return value
                }
            }
            kept = [combinator.combine(sources, canary, clock, queue)]
        }
        #expect(closures.alive == 1)
        switch ending {
        case .fulfilled: members.forEach { $0.resolver.fulfill(values.canary()) }
        case .rejected: members.forEach { $0.resolver.reject(Failure()) }
        case .cancelled:
            kept[0].cancel()
            // Members without another consumer are cancelled with the result. The others are settled later.
            if !combinator.outlivesCancelling { #expect(members.contains { !$0.promise.isPending }) }
            members.forEach { $0.resolver.fulfill(values.canary()) }
        case .membersCancelled: members.forEach { $0.promise.cancel() }
        case .resolversDropped: members = []
        case .everythingDropped:
            kept = []
            members = []
        }
        clock.advance(by: .seconds(1))
        // A combinator of one member leaves the other one pending.
        members.forEach { $0.promise.cancel() }
        queue.sync {}
        #expect(!kept.contains { $0.isPending })
        #expect(closures.alive == 0, "while the result and the resolvers are still held")
        #expect(clock.delays.isEmpty)
        kept = []
        members = []
        #expect(values.alive == 0)
    }

    @Test("a loop over promises leaks neither closures nor values", arguments: Ending.allCases)
    func freedLoop(ending: Ending) async {
        let closures = Canary.Cage()
        let values = Canary.Cage()
        var members = (0..<3).map { _ in Promise<Canary>.pending() }
        func stream() -> AsyncStream<(index: Int, result: Result<Canary, any Error>)> {
            let canary = closures.canary()
            return Promise<Canary>.asSettled(
                members.map { member in
                    member.promise.map { value in
                        canary.sing()
                        return value
                    }
                })
        }
        func run() async {
            let stream = stream()
            switch ending {
            case .fulfilled: members.forEach { $0.resolver.fulfill(values.canary()) }
            case .rejected: members.forEach { $0.resolver.reject(Failure()) }
            case .cancelled:
                members[0].resolver.fulfill(values.canary())
                for await _ in stream { break }
                return
            case .membersCancelled: members.forEach { $0.promise.cancel() }
            case .resolversDropped: members = []
            case .everythingDropped: return
            }
            for await _ in stream {}
        }
        await run()
        #expect(!members.contains { $0.promise.isPending })
        #expect(closures.alive == 0)
        members = []
        #expect(values.alive == 0)
    }
}
