import Catena
import Dispatch
import TestSupport
import Testing

@Suite(.limitedParallelism) struct PromiseCancellationTests {
    /// Returns a promise that records when its work is stopped.
    func work(_ stops: Recorder<String>, _ name: String = "work") -> (promise: Promise<Int>, resolver: Resolver<Int>) {
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { stops.note(name) }
        return (promise, resolver)
    }

    func isCancelled<Value>(_ promise: Promise<Value>) async -> Bool {
        if case .failure(is CancellationError) = await promise.result { true } else { false }
    }

    @Test("cancelling settles at once and stops the work")
    func cancelling() async {
        let stops = Recorder<String>()
        let (promise, resolver) = work(stops)
        promise.cancel()
        #expect(!promise.isPending)
        #expect(stops.events == ["work"])
        resolver.fulfill(1)
        #expect(await isCancelled(promise))
    }

    @Test("a settlement finds and stops the work, even immediately after the start")
    func early() async throws {
        for _ in 0..<10_000 {
            let core = PromiseCore(origin: nil)
            let (isStopped, resolver) = Promise<Bool>.pending()
            core.run {
                core.settle(.rejected(CancellationError()), stopping: true)
                resolver.fulfill(Task.isCancelled)
            }
            try #require(await isStopped.value)
        }
    }

    @Test("cancelling the end of a chain stops the work at its beginning")
    func upwards() async {
        let stops = Recorder<String>()
        let (promise, _resolver) = work(stops)
        let end = promise.map { $0 + 1 }.flatMap { Promise(value: $0) }.then { _ in }.catch { _ in }.finally {}
        end.cancel()
        #expect(stops.events == ["work"])
        #expect(!promise.isPending)
        withExtendedLifetime(_resolver) {}
    }

    @Test("cancelling the beginning cancels everything derived from it")
    func downwards() async {
        let (promise, resolver) = Promise<Int>.pending()
        let called = Recorder<String>()
        let first = promise.map { _ in called.note("map") }
        let second = promise.then { _ in called.note("then") }
        promise.cancel()
        #expect(await isCancelled(first))
        #expect(await isCancelled(second))
        #expect(called.events.isEmpty)
        withExtendedLifetime(resolver) {}
    }

    @Test("a source continues while it has a consumer")
    func forks() async throws {
        let stops = Recorder<String>()
        let (promise, resolver) = work(stops)
        let first = promise.map { $0 + 1 }
        let second = promise.map { $0 + 2 }
        first.cancel()
        #expect(stops.events.isEmpty)
        #expect(await isCancelled(first))
        resolver.fulfill(1)
        #expect(try await second.value == 3)
    }

    @Test("a source is cancelled when its last consumer withdraws, in any order")
    func lastConsumer() {
        let stops = Recorder<String>()
        let (promise, resolver) = work(stops)
        let consumers = (0..<40).map { number in promise.map { $0 + number } }
        for consumer in consumers.dropLast() { consumer.cancel() }
        #expect(stops.events.isEmpty)
        consumers.last?.cancel()
        #expect(stops.events == ["work"])
        withExtendedLifetime(resolver) {}
    }

    @Test("a reference to a promise is not a consumer")
    func holding() {
        let stops = Recorder<String>()
        let (promise, resolver) = work(stops)
        promise.map { $0 }.cancel()
        #expect(stops.events == ["work"])
        withExtendedLifetime((promise, resolver)) {}
    }

    @Test("cancelling runs `catch(.cancelled)` and `finally` in the order of the chain, but not `catch`")
    func handlers() async {
        let called = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending()
        let end =
            promise
            .then { _ in called.note("then") }
            .catch { _ in called.note("catch") }
            .catch(.cancelled) { _ in called.note("catch cancelled") }
            .recover { _ in 0 }
            .finally { called.note("finally") }
        end.cancel()
        #expect(await isCancelled(end))
        // Cancelling has enqueued the handlers on the main actor, so that a later turn comes after them.
        await MainActor.run {}
        let (later, _) = (Promise(value: ()).then { called.note("later") }, ())
        _ = await later.result
        #expect(called.events == ["catch cancelled", "finally", "later"])
        withExtendedLifetime(resolver) {}
    }

    @Test("`finally` of a branch runs when the branch is cancelled while its source continues")
    func finallyOfBranch() async throws {
        let called = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending()
        let queue = DispatchQueue(label: "test")
        let branch = promise.finally(on: queue) { called.note("finally") }
        let other = promise.map { $0 }
        branch.cancel()
        queue.sync {}
        #expect(called.events == ["finally"])
        resolver.fulfill(1)
        #expect(try await other.value == 1)
        queue.sync {}
        #expect(called.events == ["finally"])
    }

    @Test("an enqueued handler does not run after its promise has been cancelled")
    func cancelledOnTheWay() {
        let called = Recorder<String>()
        let queue = DispatchQueue(label: "test")
        queue.suspend()
        let promise = Promise(value: 1).then(on: queue) { _ in called.note("then") }
        promise.cancel()
        queue.resume()
        queue.sync {}
        #expect(called.events.isEmpty)
    }

    @Test("a `catch(.cancelled)` runs for each promise that is cancelled while its source settles")
    func cancelledWhileSettling() async {
        let calls = Counter()
        let queue = DispatchQueue(label: "test")
        let sources = (0..<20_000).map { _ in Promise<Int>.pending() }
        let ends = sources.map { source in source.promise.catch(.cancelled, on: queue) { _ in calls.increment() } }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await onThread(stackSize: 512 * 1024) { for (_, resolver) in sources { resolver.fulfill(1) } } }
            group.addTask { await onThread(stackSize: 512 * 1024) { for end in ends { end.cancel() } } }
        }
        queue.sync {}
        let cancelled = Counter()
        for end in ends where await isCancelled(end) { cancelled.increment() }
        #expect(calls.count == cancelled.count)
    }

    @Test("a cancelled `catch(.cancelled)` runs on its queue, even if its source is fulfilled before its turn", arguments: [false, true])
    func fulfilledBeforeTurn(isCancelledByNeighbor: Bool) {
        let called = Recorder<String>()
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let (promise, resolver) = Promise<Int>.pending()
        let box = Recorder<Promise<Int>>()
        // So many that one which withdraws stays in the list until it is swept.
        let neighbors = (0..<20).map { _ in
            promise.map { value in
                if isCancelledByNeighbor { box.events[0].cancel() }
                return value
            }
        }
        box.note(
            promise.catch(.cancelled, on: queue) { _ in
                called.note(DispatchQueue.getSpecific(key: key) == true ? "on its queue" : "elsewhere")
            })
        queue.suspend()
        if !isCancelledByNeighbor { box.events[0].cancel() }
        resolver.fulfill(1)
        #expect(called.events.isEmpty)
        queue.resume()
        queue.sync {}
        #expect(called.events == ["on its queue"])
        withExtendedLifetime(neighbors) {}
    }

    @Test("cancelling during flatMap cancels the inner promise")
    func innerPromise() async {
        let stops = Recorder<String>()
        let (inner, innerResolver) = work(stops, "inner")
        let chain = Promise(value: 0).flatMap { _ in inner }
        chain.cancel()
        #expect(stops.events == ["inner"])
        withExtendedLifetime(innerResolver) {}
    }

    @Test("a chain that is cancelled inside its `flatMap` closure cancels the promise that the closure returns")
    func cancelledInsideFlatMap() async {
        let stops = Recorder<String>()
        let (inner, innerResolver) = work(stops, "inner")
        let (start, resolver) = Promise<Int>.pending()
        let box = Recorder<Promise<Int>>()
        let chain = start.flatMap { _ in
            box.events[0].cancel()
            return inner
        }
        box.note(chain)
        resolver.fulfill(0)
        #expect(stops.events == ["inner"])
        withExtendedLifetime(innerResolver) {}
    }

    @Test("cancelling the awaiting task withdraws its interest")
    func awaitingTask() async {
        let stops = Recorder<String>()
        let (promise, resolver) = work(stops)
        let task = Task { try await promise.value }
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(stops.events == ["work"])
        withExtendedLifetime(resolver) {}
    }

    @Test("cancelling an awaiting task does not cancel a promise that has another consumer")
    func twoAwaitingTasks() async throws {
        let stops = Recorder<String>()
        let (promise, resolver) = work(stops)
        let other = promise.map { $0 }
        let task = Task { try await promise.value }
        task.cancel()
        _ = await task.result
        #expect(stops.events.isEmpty)
        resolver.fulfill(1)
        #expect(try await other.value == 1)
    }

    @Test("cancelling a promise of asynchronous work cancels its task")
    func asyncWork() async {
        let (entered, enter) = Promise<Void>.pending()
        let seen = Recorder<Bool>()
        let (left, leave) = Promise<Void>.pending()
        let promise = Promise<Int> {
            enter.fulfill(())
            let never = Promise<Int>.pending()
            _ = try? await never.promise.value
            seen.note(Task.isCancelled)
            leave.fulfill(())
            return 1
        }
        _ = await entered.result
        promise.cancel()
        _ = await left.result
        #expect(seen.events == [true])
        #expect(await isCancelled(promise))
    }

    @Test("cancelling a settled promise changes nothing")
    func settled() async throws {
        let promise = Promise(value: 1)
        promise.cancel()
        #expect(try await promise.value == 1)
    }

    @Test("onCancel of a promise that is cancelled already runs at once")
    func lateRegistration() {
        let stops = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending()
        promise.cancel()
        resolver.onCancel { stops.note("stopped") }
        #expect(stops.events == ["stopped"])
    }

    @Test("consumers that come and go leave nothing behind on a long-lived source")
    func comingAndGoing() {
        let cage = Canary.Cage()
        let (promise, resolver) = Promise<Int>.pending()
        let stays = promise.map { $0 }
        for _ in 0..<10_000 {
            let canary = cage.canary()
            promise.map { value in
                canary.sing()
                return value
            }.cancel()
        }
        #expect(cage.alive < 100)
        withExtendedLifetime((stays, resolver)) {}
    }

    @Test("two `onCancel` closures both run, and objects that they release may read the promise")
    func twoRegistrations() {
        final class Watcher: Sendable {
            let promise: Promise<Int>
            init(_ promise: Promise<Int>) { self.promise = promise }
            deinit { _ = promise.isPending }
            func stop() {}
        }
        let stops = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending()
        func register() {
            let watcher = Watcher(promise)
            resolver.onCancel {
                watcher.stop()
                stops.note("first")
            }
        }
        register()
        resolver.onCancel { stops.note("second") }
        promise.cancel()
        #expect(stops.events == ["first", "second"])
    }

    @Test("handlers attached while a promise is being cancelled run after those attached before")
    func attachedWhileCancelling() {
        let called = Recorder<String>()
        let queue = DispatchQueue(label: "test")
        let (promise, resolver) = Promise<Int>.pending()
        promise.finally(on: queue) { called.note("early") }
        resolver.onCancel { promise.finally(on: queue) { called.note("late") } }
        promise.cancel()
        queue.sync {}
        #expect(called.events == ["early", "late"])
    }

    @Test("a handler may block on work that it starts on another thread by settling a promise")
    func blockingOnOwnSettlement() async {
        let queue = DispatchQueue(label: "test", attributes: .concurrent)
        let (first, firstResolver) = Promise<Int>.pending()
        let (second, secondResolver) = Promise<Int>.pending()
        let semaphore = DispatchSemaphore(value: 0)
        second.then(on: queue) { _ in semaphore.signal() }
        let waiting = Task {
            _ = try? await second.value
            semaphore.signal()
        }
        let end = first.then(on: queue) { _ in
            secondResolver.fulfill(1)
            semaphore.wait()
            semaphore.wait()
        }
        firstResolver.fulfill(1)
        _ = await end.result
        _ = await waiting.result
    }

    @Test("cancelling 20,000 nested combinators does not grow the stack", arguments: ["timeout", "race", "all"])
    func nestedCombinators(kind: String) async {
        let stops = Recorder<Int>()
        await onThread(stackSize: 512 * 1024) {
            let (start, resolver) = Promise<Int>.pending()
            resolver.onCancel { stops.note(1) }
            var end = start
            for _ in 0..<20_000 {
                switch kind {
                case "timeout": end = end.timeout(.seconds(3600))
                case "race": end = Promise.race([end])
                default: end = Promise.all([end]).map { $0[0] }
                }
            }
            end.cancel()
            withExtendedLifetime(resolver) {}
        }
        #expect(stops.count == 1)
    }

    @Test("a settled `all` is no longer a consumer of its members")
    func settledAll() {
        let stops = Recorder<String>()
        let (first, firstResolver) = Promise<Int>.pending()
        let (second, secondResolver) = work(stops, "second")
        let all = Promise.all([first, second])
        let other = second.map { $0 }
        firstResolver.reject(Failure())
        #expect(!all.isPending && second.isPending)
        other.cancel()
        #expect(stops.events == ["second"])
        _ = all.catch { _ in }
        withExtendedLifetime(secondResolver) {}
    }
}
