import Catena
import Foundation
import TestSupport
import Testing

@Suite(.limitedParallelism) struct PromiseSequenceTests {
    @Test("steps run lazily, each with the value of the one before, until a step returns nil")
    func steps() async {
        let members = ControlledPromise.several(3)
        let begun = Recorder<Int?>()
        let result = Promise<Int>.sequence { last in
            let number = begun.count
            begun.note(last)
            return number < 3 ? members[number].promise : nil
        }
        #expect(begun.events == [nil])
        members[1].resolver.fulfill(20)
        #expect(begun.events == [nil])
        members[0].resolver.fulfill(10)
        #expect(begun.events == [nil, 10, 20])
        #expect(await settlement(of: result) == "pending")
        members[2].resolver.fulfill(30)
        #expect(begun.events == [nil, 10, 20, 30])
        #expect(await settlement(of: result) == "value [10, 20, 30]")
    }

    @Test("the steps of an array run lazily, each with the value of the one before")
    func arrayOfSteps() async {
        let members = ControlledPromise.several(3)
        let begun = Recorder<Int?>()
        let result = Promise<Int>.sequence(
            members.map { member in
                { last in
                    begun.note(last)
                    return member.promise
                }
            })
        #expect(begun.events == [nil])
        for (index, member) in members.enumerated() { member.resolver.fulfill(index * 10) }
        #expect(begun.events == [nil, 0, 10])
        #expect(await settlement(of: result) == "value [0, 10, 20]")
    }

    @Test("a sequence without steps returns an empty array")
    func noStep() async {
        #expect(await settlement(of: Promise<Int>.sequence { _ in nil }) == "value []")
    }

    /// The outcome of the second of three steps.
    enum Ending: CaseIterable {
        case rejects, throwsError, isCancelled

        func step() throws -> Promise<Int> {
            switch self {
            case .rejects: Promise(error: Failure(2))
            case .throwsError: throw Failure(2)
            case .isCancelled: Promise(error: CancellationError())
            }
        }

        var outcome: String { self == .isCancelled ? "cancelled" : "error 2" }
    }

    @Test("a step that fails or is cancelled ends the sequence", arguments: Ending.allCases)
    func ending(ending: Ending) async {
        let begun = Counter()
        let closure = Promise<Int>.sequence { _ in
            begun.increment()
            return begun.count == 2 ? try ending.step() : Promise(value: 1)
        }
        #expect(await settlement(of: closure) == ending.outcome)
        #expect(begun.count == 2)
        let third = Counter()
        let array = Promise<Int>.sequence([
            { _ in Promise(value: 1) },
            { _ in try ending.step() },
            { _ in
                third.increment()
                return Promise(value: 3)
            },
        ])
        #expect(await settlement(of: array) == ending.outcome)
        #expect(third.count == 0)
    }

    @Test("cancelling the result cancels the current step and starts no other")
    func cancelling() async {
        let members = ControlledPromise.several(3)
        let begun = Counter()
        let result = Promise<Int>.sequence { _ in
            begun.increment()
            return members[begun.count - 1].promise
        }
        members[0].resolver.fulfill(0)
        result.cancel()
        #expect(await settlement(of: result) == "cancelled")
        #expect(members.stopped == [false, true, false])
        members[1].resolver.fulfill(1)
        #expect(begun.count == 2)
    }

    @Test("a sequence that is cancelled inside a step cancels the promise of that step")
    func cancelledInsideStep() async {
        let members = ControlledPromise.several(2)
        let box = Recorder<Promise<[Int]>>()
        let result = Promise<Int>.sequence { last in
            guard last != nil else { return members[0].promise }
            box.events[0].cancel()
            return members[1].promise
        }
        box.note(result)
        members[0].resolver.fulfill(0)
        #expect(await settlement(of: result) == "cancelled")
        #expect(members.stopped == [false, true])
    }

    @Test("100,000 steps that are already settled do not grow the stack", arguments: ["closure", "array"])
    func depth(form: String) async throws {
        let count = 100_000
        let seen = Recorder<Promise<[Int]>>()
        await onThread(stackSize: 512 * 1024) {
            if form == "closure" {
                seen.note(
                    Promise<Int>.sequence { last in
                        let number = (last ?? 0) + 1
                        return number > count ? nil : Promise(value: number)
                    })
            } else {
                let step: @Sendable (Int?) throws -> Promise<Int> = { last in Promise(value: (last ?? 0) + 1) }
                seen.note(Promise<Int>.sequence(Array(repeating: step, count: count)))
            }
        }
        let result = try #require(seen.events.first)
        try #require(!result.isPending)
        #expect(try await result.value == Array(1...count))
    }
}
