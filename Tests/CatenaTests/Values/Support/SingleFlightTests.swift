import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("Single flights", .limitedParallelism)
struct SingleFlightTests {
    /// Work that waits at a gate, and counts its starts and cancellations.
    private final class Work: Sendable {
        let started = Counter()
        let stopped = Counter()
        let gate = Promise<Int>.pending()

        func run() async throws -> Int {
            started.increment()
            return try await withTaskCancellationHandler {
                try await gate.promise.value
            } onCancel: {
                stopped.increment()
            }
        }
    }

    private static func start(_ flights: SingleFlight<String, Int>, _ work: Work, key: String = "k", count: Int) async -> [Task<
        Int, any Error
    >] {
        let former = flights.waiters(of: key)
        let tasks = (0..<count).map { _ in Task { try await flights.run(key) { try await work.run() } } }
        await flights.waiters(of: key, count: former + count)
        return tasks
    }

    @Test("all callers get the result of one run", arguments: [1, 2, 1000])
    func shared(count: Int) async throws {
        let flights = SingleFlight<String, Int>()
        let work = Work()
        let tasks = await Self.start(flights, work, count: count)
        work.gate.resolver.fulfill(7)
        for task in tasks { #expect(try await task.value == 7) }
        #expect(work.started.count == 1)
        #expect(flights.isIdle)
    }

    @Test("all callers get the error, and the next caller starts a new run")
    func failing() async throws {
        let flights = SingleFlight<String, Int>()
        let work = Work()
        let tasks = await Self.start(flights, work, count: 3)
        work.gate.resolver.reject(Failure(3))
        for task in tasks { await #expect(throws: Failure(3)) { try await task.value } }
        #expect(flights.isIdle)
        #expect(try await flights.run("k") { 8 } == 8)
    }

    @Test("different keys have separate runs")
    func keys() async throws {
        let flights = SingleFlight<String, Int>()
        let work = Work()
        let first = await Self.start(flights, work, key: "a", count: 1)
        let second = await Self.start(flights, work, key: "b", count: 1)
        await work.started.reached(2)
        work.gate.resolver.fulfill(1)
        for task in first + second { _ = try await task.value }
        #expect(work.started.count == 2)
    }

    @Test("cancelling one caller leaves the others alone, even if it started the work", arguments: [0, 1, 2])
    func cancelOne(index: Int) async throws {
        let flights = SingleFlight<String, Int>()
        let work = Work()
        var tasks: [Task<Int, any Error>] = []
        for _ in 0..<3 { tasks += await Self.start(flights, work, count: 1) }
        tasks[index].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[index].value }
        #expect(flights.waiters(of: "k") == 2)
        work.gate.resolver.fulfill(5)
        tasks.remove(at: index)
        for task in tasks { #expect(try await task.value == 5) }
        #expect(work.started.count == 1)
        #expect(work.stopped.count == 0)
    }

    @Test("cancelling all callers stops the work, and the next caller starts a new run")
    func cancelAll() async throws {
        let flights = SingleFlight<String, Int>()
        let work = Work()
        let tasks = await Self.start(flights, work, count: 3)
        await work.started.reached(1)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(flights.isIdle)
        await work.stopped.reached(1)
        #expect(try await flights.run("k") { 9 } == 9)
    }

    @Test("work that does not end with its last caller continues, and the next caller joins it")
    func goesOn() async throws {
        let flights = SingleFlight<String, Int>(endsWithLast: false)
        let work = Work()
        let tasks = await Self.start(flights, work, count: 2)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(flights.isUnderWay("k"))
        let late = await Self.start(flights, work, count: 1)
        work.gate.resolver.fulfill(4)
        #expect(try await late[0].value == 4)
        #expect(work.started.count == 1)
        #expect(work.stopped.count == 0)
    }

    @Test("a cancelled caller starts no work")
    func cancelledBefore() async {
        let flights = SingleFlight<String, Int>()
        let work = Work()
        let task = Task {
            await untilCancelled()
            return try await flights.run("k") { try await work.run() }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(work.started.count == 0)
        #expect(flights.isIdle)
    }

    @Test("a call after the result starts a new run")
    func again() async throws {
        let flights = SingleFlight<String, Int>()
        let runs = Counter()
        let work: @Sendable () async throws -> Int = {
            runs.increment()
            return runs.count
        }
        let task = Task {
            let first = try await flights.run("k", work)
            return try await first + flights.run("k", work)
        }
        #expect(try await task.value == 3)
    }

    @Test("work that requests its own result does not wait for itself")
    func reentrant() async throws {
        let flights = SingleFlight<String, Int>()
        let result = try await flights.run("k") {
            #expect(!flights.isUnderWay("k"))
            return try await flights.run("k") { 6 }
        }
        #expect(result == 6)
        #expect(flights.isIdle)
    }

    @Test("ending a flight gives its result to all callers and stops the work")
    func end() async throws {
        let flights = SingleFlight<String, Int>()
        let work = Work()
        let tasks = await Self.start(flights, work, count: 3)
        await work.started.reached(1)
        flights.end("k", with: .success(2))
        for task in tasks { #expect(try await task.value == 2) }
        await work.stopped.reached(1)
        #expect(flights.isIdle)
        flights.end("k", with: .success(3))
    }

    @Test("callers that come and go at random each get one result")
    func chaos() async {
        let flights = SingleFlight<Int, Int>()
        let runs = Counter()
        let answered = Counter()
        let cancelled = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let task = Task {
                        try await flights.run(number % 7) {
                            runs.increment()
                            for _ in 0..<(number % 5) { await suspendOnce() }
                            return number % 7
                        }
                    }
                    if number % 3 == 0 {
                        await suspendOnce()
                        task.cancel()
                    }
                    switch await task.result {
                    case .success(let value): if value == number % 7 { answered.increment() }
                    case .failure(let error): if error is CancellationError, number % 3 == 0 { cancelled.increment() }
                    }
                }
            }
        }
        #expect(answered.count + cancelled.count == 2000)
        #expect(runs.count > 0)
        #expect(flights.isIdle)
    }
}
