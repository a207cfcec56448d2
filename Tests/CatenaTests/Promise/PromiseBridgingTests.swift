import Catena
import Dispatch
import TestSupport
import Testing

@Suite(.limitedParallelism) struct PromiseBridgingTests {
    func text(_ result: Result<Int, any Error>) -> String {
        switch result {
        case .success(let value): "value \(value)"
        case .failure(is CancellationError): "cancelled"
        case .failure(let failure as Failure): "error \(failure.number)"
        case .failure(let error): "\(error)"
        }
    }

    @Test("a `Result` settles the promise with its value, error or cancellation")
    func result() async {
        let members = ControlledPromise.several(3)
        members[0].resolver.resolve(with: .success(1))
        members[1].resolver.resolve(with: .failure(Failure(2)))
        members[2].resolver.resolve(with: .failure(CancellationError()))
        #expect(await settlement(of: members[0].promise) == "value 1")
        #expect(await settlement(of: members[1].promise) == "error 2")
        #expect(await settlement(of: members[2].promise) == "cancelled")
    }

    @Test(
        "two optionals settle the promise: an error takes precedence over a value, and two nils abandon it",
        arguments: [(1, nil, "value 1"), (nil, Failure(2), "error 2"), (1, Failure(2), "error 2"), (nil, nil, "\(PromiseError.abandoned)")]
            as [(Int?, Failure?, String)])
    func optionals(value: Int?, error: Failure?, outcome: String) async {
        let member = ControlledPromise()
        member.resolver.resolve(value, error)
        #expect(await settlement(of: member.promise) == outcome)
    }

    @Test("an optional value of `nil` fulfills the promise")
    func optionalValue() async {
        let (promise, resolver) = Promise<Int?>.pending()
        resolver.resolve(.some(nil), nil)
        #expect(await settlement(of: promise) == "value nil")
    }

    @Test("a `Promise<Void>` is fulfilled without an argument")
    func withoutValue() async throws {
        let (promise, resolver) = Promise<Void>.pending()
        resolver.fulfill()
        try await promise.value
        resolver.fulfill(())
        try await Promise<Void> { resolver in resolver.fulfill() }.value
    }

    @Test("a closure without parameters runs as asynchronous work, one with a resolver is called at once")
    @MainActor func closures() async throws {
        let seen = Recorder<String>()
        let number: Promise<Int> = Promise { 1 }
        let inferred = Promise { 1 }
        let text = Promise {
            seen.note("work")
            return "a"
        }
        let nothing = Promise {}
        let resolved = Promise<Int> { resolver in
            seen.note("resolver")
            resolver.fulfill(2)
        }
        seen.note("attached")
        #expect(!resolved.isPending)
        #expect(try await [number.value, inferred.value, resolved.value] == [1, 1, 2])
        #expect(try await text.value == "a")
        try await nothing.value
        #expect(Set(seen.events) == ["work", "resolver", "attached"])
        #expect(seen.events.filter { $0 != "work" } == ["resolver", "attached"])
        let failing: Promise<Int> = Promise { throw Failure(3) }
        #expect(await #expect(throws: Failure.self) { try await failing.value }?.number == 3)
    }

    static let results: [(Result<Int, any Error>, String)] = [
        (.success(1), "value 1"), (.failure(Failure(2)), "error 2"), (.failure(CancellationError()), "cancelled"),
    ]

    @Test("a completion handler is called once on its queue, after the call that attaches it", arguments: results, [false, true])
    func completion(ending: (Result<Int, any Error>, String), early: Bool) {
        let queue = DispatchQueue(label: "completion")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let seen = Recorder<String>()
        let member = ControlledPromise()
        if early { member.resolver.resolve(with: ending.0) }
        queue.suspend()
        member.promise.whenSettled(on: queue) { result in
            seen.note(text(result))
            if DispatchQueue.getSpecific(key: key) != true { seen.note("elsewhere") }
        }
        if !early { member.resolver.resolve(with: ending.0) }
        member.resolver.fulfill(9)
        #expect(seen.events.isEmpty)
        queue.resume()
        queue.sync {}
        #expect(seen.events == [ending.1])
    }

    @Test("a completion handler needs no queue")
    func completionAnywhere() async throws {
        let (told, resolver) = Promise<Result<Int, any Error>>.pending()
        Promise(value: 1).whenSettled { resolver.fulfill($0) }
        #expect(try await text(told.value) == "value 1")
    }

    @Test("a task becomes a promise: value, error, cancellation", arguments: results)
    func fromTask(ending: (Result<Int, any Error>, String)) async {
        #expect(await text(Promise(Task { try ending.0.get() }).result) == ending.1)
    }

    @Test("cancelling a promise made from a task cancels the task, and cancelling a task cancels the promise that it awaits")
    func cancellingBridges() async {
        let stops = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { stops.increment() }
        let task = Task { try await promise.value }
        Promise(task).cancel()
        #expect(await text(task.result) == "cancelled")
        await stops.reached(1)
    }

    @Test("a completion handler is a consumer of the promise")
    func completionIsConsumer() {
        let queue = DispatchQueue(label: "completion")
        let seen = Recorder<String>()
        let member = ControlledPromise()
        member.promise.whenSettled(on: queue) { seen.note(text($0)) }
        member.promise.map { $0 }.cancel()
        #expect(!member.isStopped)
        member.resolver.fulfill(1)
        queue.sync {}
        #expect(seen.events == ["value 1"])
    }

    @Test("`asSettled` delivers outcomes in the order of settlement, with their indexes, and then ends")
    func asSettled() async {
        let members = ControlledPromise.several(4)
        let early = Promise(value: 40)
        let stream = Promise<Int>.asSettled(members.promises + [early])
        members[2].resolver.fulfill(20)
        members[0].promise.cancel()
        members[3].resolver.reject(Failure(30))
        members[1].resolver.fulfill(10)
        var seen: [String] = []
        for await (index, result) in stream { seen.append("\(index): \(text(result))") }
        #expect(seen == ["4: value 40", "2: value 20", "0: cancelled", "3: error 30", "1: value 10"])
    }

    @Test("`asSettled` of no promises ends at once")
    func asSettledOfNothing() async {
        for await _ in Promise<Int>.asSettled([]) { Issue.record("There was nothing to settle.") }
    }

    @Test("leaving the loop withdraws the interest in the remaining promises")
    func leaving() async {
        let members = ControlledPromise.several(4)
        let other = members[3].promise.map { $0 }
        func first() async -> Int? {
            for await (index, _) in Promise<Int>.asSettled(members.promises) { return index }
            return nil
        }
        members[1].resolver.fulfill(1)
        #expect(await first() == 1)
        #expect(members.stopped == [true, false, true, false])
        members[3].resolver.fulfill(3)
        #expect(await settlement(of: other) == "value 3")
    }

    @Test("a stream that is dropped without iteration withdraws its interest")
    func dropping() {
        let members = ControlledPromise.several(2)
        func drop() { _ = Promise<Int>.asSettled(members.promises) }
        drop()
        #expect(members.stopped == [true, true])
    }

    @Test("cancelling the iterating task withdraws its interest and reports no pending promise")
    func cancelledTask() async {
        let members = ControlledPromise.several(2)
        let other = members[1].promise.map { $0 }
        let task = Task {
            var seen: [Int] = []
            for await (index, _) in Promise<Int>.asSettled(members.promises) { seen.append(index) }
            return seen
        }
        task.cancel()
        #expect(await !task.value.contains(1))
        #expect(members.stopped == [true, false])
        #expect(other.isPending)
    }
}
