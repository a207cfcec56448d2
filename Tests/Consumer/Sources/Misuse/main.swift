// Misuses promises, and counts the outcomes. Exits with 0 if every count is right and nothing leaks.
import Catena
import Dispatch
import Foundation

startWatchdog(seconds: 60)
// Most of these promises intentionally fail without a handler.
PromiseDiagnostics.onUnhandledError = nil
let report = Report()
await settlesTwice(report)
await dropsResolvers(report)
await cancelsWhileSettling(report)
await blocksInHandlers(report)
await blocksInlineAndOnMain(report)
await attachesInsideHandlers(report)
await throwsEverywhere(report)
await awaitsAndCancels(report)
await readsInsideDeinit(report)
await stopsTwice(report)
await leaksNothing(report)
exit(report.isRight ? 0 : 1)

/// Settles each promise twice from four threads, with a value and with an error.
func settlesTwice(_ report: Report) async {
    let (values, errors, differing) = (Counter(), Counter(), Counter())
    let total = 20_000
    do {
        let canary = Canary()
        let pairs = (0..<total).map { _ in Promise<Int>.pending() }
        let seen = pairs.map { promise, _ in
            promise.map { value in
                canary.sing()
                values.increment()
                return value
            }.recover { _ in
                canary.sing()
                errors.increment()
                return -1
            }
        }
        await onThreads(4) { thread in
            for (_, resolver) in pairs {
                if thread.isMultiple(of: 2) { resolver.fulfill(thread) }
                resolver.reject(Failure())
                resolver.fulfill(thread)
            }
        }
        for (pair, seen) in zip(pairs, seen) {
            let value = (try? await pair.promise.value) ?? -1
            if (try? await seen.value) != value { differing.increment() }
        }
    }
    report.check(
        "settles 8 times from 4 threads", ("handlers", values.count + errors.count, total), ("differing readers", differing.count, 0))
}

/// Releases the copies of a resolver on two threads without settling the promise.
func dropsResolvers(_ report: Report) async {
    let (abandoned, finals) = (Counter(), Counter())
    let queue = DispatchQueue(label: "drops")
    let total = 10_000
    var promises: [Promise<Canary>] = []
    do {
        let canary = Canary()
        let resolvers = Bag<Resolver<Canary>>(count: 4)
        for _ in 0..<total {
            let (promise, resolver) = Promise<Canary>.pending()
            resolver.onCancel { canary.sing() }
            resolvers.add(resolver)
            promises.append(
                promise.map { $0 }
                    .catch(as: PromiseError.self, on: queue) { error in
                        canary.sing()
                        if error == .abandoned { abandoned.increment() }
                    }
                    .finally(on: queue) { finals.increment() })
        }
        await onThreads(4) { thread in resolvers.drop(thread) }
    }
    var thrown = 0
    for promise in promises {
        do { _ = try await promise.value } catch let error as PromiseError where error == .abandoned { thrown += 1 } catch {}
    }
    queue.sync {}
    report.check("drops resolvers", ("caught", abandoned.count, total), ("thrown", thrown, total), ("finally", finals.count, total))
}

/// Settles from two threads and cancels from two others, which cancel the beginning and the end of each chain.
func cancelsWhileSettling(_ report: Report) async {
    let (values, cancelled, finals, ends, failed) = (Counter(), Counter(), Counter(), Counter(), Counter())
    let queue = DispatchQueue(label: "cancels")
    let total = 10_000
    do {
        let canary = Canary()
        let pairs = (0..<total).map { _ in Promise<Int>.pending() }
        let chains = pairs.map { promise, resolver in
            resolver.onCancel { canary.sing() }
            promise.then(on: queue) { _ in values.increment() }
                .catch(.cancelled, on: queue) { _ in cancelled.increment() }
                .catch(on: queue) { _ in failed.increment() }
                .finally(on: queue) { finals.increment() }
            return promise.map { value in
                canary.sing()
                return value
            }.finally(on: queue) { ends.increment() }
        }
        await onThreads(4) { thread in
            for index in 0..<total {
                switch thread {
                case 0: pairs[index].resolver.fulfill(index)
                case 1: pairs[total - 1 - index].resolver.fulfill(index)
                case 2: pairs[(index + total / 2) % total].promise.cancel()
                default: chains[index].cancel()
                }
            }
        }
        for chain in chains { _ = await chain.result }
        // Each step of a chain takes one turn of the queue.
        for _ in 0..<8 { queue.sync {} }
    }
    report.check(
        "cancels while settling from 4 threads", ("values or cancellations", values.count + cancelled.count, total),
        ("errors", failed.count, 0), ("finally", finals.count, total), ("finally of ends", ends.count, total))
}

/// Blocks handlers on several queues until the handler on the last queue has run.
func blocksInHandlers(_ report: Report) async {
    let (ran, finished) = (Counter(), Counter())
    let rounds = 50
    for _ in 0..<rounds {
        let canary = Canary()
        let (promise, resolver) = Promise<Int>.pending()
        let gate = DispatchSemaphore(value: 0)
        var ends: [Promise<Int>] = []
        for number in 0..<6 {
            ends.append(
                promise.then(on: DispatchQueue(label: "blocks \(number)")) { _ in
                    canary.sing()
                    gate.wait()
                    finished.increment()
                })
        }
        ends.append(
            promise.then(on: DispatchQueue(label: "opens")) { _ in
                ran.increment()
                for _ in 0..<6 { gate.signal() }
            })
        resolver.fulfill(1)
        for end in ends { _ = await end.result }
    }
    report.check("blocks in handlers of 6 queues", ("ran meanwhile", ran.count, rounds), ("went on", finished.count, 6 * rounds))
}

/// Blocks handlers on the settling thread and on the main actor until a later handler has run on a queue.
func blocksInlineAndOnMain(_ report: Report) async {
    let (ran, finished) = (Counter(), Counter())
    let rounds = 50
    for _ in 0..<rounds {
        let canary = Canary()
        let (promise, resolver) = Promise<Int>.pending()
        let gate = DispatchSemaphore(value: 0)
        let inline = promise.map { _ in
            canary.sing()
            gate.wait()
            finished.increment()
        }
        let main = promise.then { _ in
            gate.wait()
            finished.increment()
        }
        let opener = promise.then(on: DispatchQueue(label: "opens")) { _ in
            ran.increment()
            gate.signal()
            gate.signal()
        }
        await onThreads(1) { _ in resolver.fulfill(1) }
        _ = await (inline.result, main.result, opener.result)
    }
    report.check("blocks inline and on the main actor", ("ran meanwhile", ran.count, rounds), ("went on", finished.count, 2 * rounds))
}

/// Attaches two handlers to the same promise in each handler, inline and on a queue, in ten generations.
func attachesInsideHandlers(_ report: Report) async {
    let (inline, queued) = (Counter(), Counter())
    let queue = DispatchQueue(label: "attaches")
    let (promise, resolver) = Promise<Int>.pending()
    @Sendable func attach(_ generation: Int, _ canary: Canary) {
        guard generation > 0 else { return }
        _ = promise.map { _ in
            inline.increment()
            attach(generation - 1, canary)
        }
        promise.then(on: queue) { _ in
            queued.increment()
            attach(generation - 1, canary)
        }
    }
    attach(10, Canary())
    resolver.fulfill(1)
    // Each generation takes at most a turn of the queue.
    for _ in 0..<20 { queue.sync {} }
    report.check("attaches inside handlers", ("inline", inline.count, 1023), ("on a queue", queued.count, 1023))
}

/// Throws in every closure that may throw.
func throwsEverywhere(_ report: Report) async {
    let caught = Counter()
    let queue = DispatchQueue(label: "throws")
    let canary = Canary()
    let value = Promise(value: 1)
    let error = Promise<Int>(error: Failure())
    @Sendable func fail<Result>() throws -> Result {
        canary.sing()
        throw Failure()
    }
    let failing: [Promise<Int>] = [
        Promise { (_: Resolver<Int>) in try fail() },
        Promise { () async throws -> Int in try fail() },
        value.map { _ in try fail() },
        value.flatMap { _ in try fail() },
        value.then { _ in try fail() },
        value.then(on: queue) { _ in try fail() },
        error.catch { _ in try fail() },
        error.catch(on: queue) { _ in try fail() },
        error.catch(as: Failure.self, on: queue) { _ in try fail() },
        error.recover { _ in try fail() },
        error.flatRecover { _ in try fail() },
        value.validate { _ in try fail() },
        Promise<Int>.sequence { _ in try fail() }.map(\.count),
        Promise<Int>.sequence([{ _ in try fail() }]).map(\.count),
        Promise<Int>.retry(times: 3) { try fail() },
        Promise.all([value, value.map { _ in try fail() }]).map(\.count),
        Promise.race([value.map { _ in try fail() }]),
    ]
    for promise in failing {
        let end = promise.catch(as: Failure.self, on: queue) { _ in caught.increment() }
        _ = await end.result
    }
    report.check("throws everywhere", ("caught", caught.count, failing.count))
}

/// Awaits a hundred promises in a thousand tasks, and cancels some tasks at random while the promises are settled.
func awaitsAndCancels(_ report: Report) async {
    let (values, cancellations, others) = (Counter(), Counter(), Counter())
    var random = SystemRandomNumberGenerator()
    let pairs = (0..<100).map { _ in Promise<Canary>.pending() }
    // These consumers stay, so that a promise is not cancelled by tasks that leave before others begin.
    let stays = pairs.map { pair in pair.promise.map { $0 } }
    let isCancelled = (0..<1000).map { _ in Bool.random(using: &random) }
    let expected = isCancelled.count { !$0 }
    let early = Counter()
    let tasks = (0..<1000).map { number in
        Task {
            do {
                try await pairs[number % 100].promise.value.sing()
                (isCancelled[number] ? early : values).increment()
            } catch is CancellationError {
                (isCancelled[number] ? cancellations : others).increment()
            } catch {
                others.increment()
            }
        }
    }
    await onThreads(2) { thread in
        if thread == 0 {
            for number in tasks.indices.shuffled() where isCancelled[number] { tasks[number].cancel() }
        } else {
            for (_, resolver) in pairs.shuffled() { resolver.fulfill(Canary()) }
        }
    }
    for task in tasks { await task.value }
    for promise in stays { _ = await promise.result }
    report.check(
        "awaits from 1,000 tasks and cancels some", ("values", values.count, expected), ("unexpected", others.count, 0),
        ("cancelled or just in time", cancellations.count + early.count, 1000 - expected))
}

/// Reads, chains and cancels a promise in the `deinit` of an object that its handler captures.
func readsInsideDeinit(_ report: Report) async {
    final class Reader: Sendable {
        let promise: Promise<Int>
        let (ends, settled): (Counter, Counter)
        let canary = Canary()

        init(_ promise: Promise<Int>, _ ends: Counter, _ settled: Counter) {
            self.promise = promise
            (self.ends, self.settled) = (ends, settled)
        }

        func sing() {}

        deinit {
            if !promise.isPending { settled.increment() }
            _ = promise.map { $0 + 1 }.recover { _ in 0 }
            promise.finally(on: .global()) {}
            promise.cancel()
            ends.increment()
        }
    }
    let (ends, settled) = (Counter(), Counter())
    let total = 4_000
    for number in 0..<total {
        let (promise, resolver) = Promise<Int>.pending()
        do {
            let reader = Reader(promise, ends, settled)
            resolver.onCancel { reader.sing() }
            _ = promise.map { _ in reader.sing() }.recover { _ in reader.sing() }
        }
        switch number % 4 {
        case 0: resolver.fulfill(1)
        case 1: resolver.reject(Failure())
        case 2: promise.cancel()
        default: break
        }
    }
    report.check("reads a promise inside deinit", ("deinits", ends.count, total), ("settled by then", settled.count, total))
}

/// Registers cancellation handlers before and after cancelling. Each runs once, and never after the promise was fulfilled.
func stopsTwice(_ report: Report) async {
    let (first, second, late, never) = (Counter(), Counter(), Counter(), Counter())
    let total = 1_000
    for _ in 0..<total {
        let canary = Canary()
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel {
            canary.sing()
            first.increment()
            promise.cancel()
        }
        resolver.onCancel {
            canary.sing()
            second.increment()
        }
        promise.cancel()
        promise.cancel()
        resolver.onCancel { late.increment() }
        let (fulfilled, other) = Promise<Int>.pending()
        other.onCancel { never.increment() }
        other.onCancel { never.increment() }
        other.fulfill(1)
        fulfilled.cancel()
        other.onCancel { never.increment() }
    }
    report.check(
        "calls onCancel twice", ("first", first.count, total), ("second", second.count, total), ("late", late.count, total),
        ("after fulfilling", never.count, 0))
}

/// Checks repeatedly for a few seconds, because closures of tasks and of the main queue are freed shortly after they have run.
func leaksNothing(_ report: Report) async {
    let deadline = ContinuousClock.now + .seconds(5)
    while Canary.alive.count > 0, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(10)) }
    report.check("leaks", ("alive", Canary.alive.count, 0))
}
