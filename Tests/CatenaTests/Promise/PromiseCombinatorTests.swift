import Catena
import TestSupport
import Testing

/// A promise that a test settles, and that records whether its work was stopped.
struct ControlledPromise: Sendable {
    let promise: Promise<Int>
    let resolver: Resolver<Int>
    private let stops = Counter()

    init() {
        (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { [stops] in stops.increment() }
    }

    var isStopped: Bool { stops.count == 1 }

    static func several(_ count: Int) -> [ControlledPromise] {
        (0..<count).map { _ in ControlledPromise() }
    }
}

extension [ControlledPromise] {
    var promises: [Promise<Int>] { map(\.promise) }
    var stopped: [Bool] { map(\.isStopped) }
}

/// Returns the present state of a promise as a text. Never waits, so that a pending promise fails a test instead of hanging it.
func settlement<Value>(of promise: Promise<Value>) async -> String {
    if promise.isPending { return "pending" }
    return switch await promise.result {
    case .success(let value): "value \(value)"
    case .failure(is CancellationError): "cancelled"
    case .failure(let failure as Failure): "error \(failure.number)"
    case .failure(let aggregate as AggregateError): "errors \(aggregate.errors.map { ($0 as? Failure)?.number ?? -1 })"
    case .failure(let error): "\(error)"
    }
}

@Suite(.limitedParallelism) struct PromiseCombinatorTests {
    /// A test's action on one of several members.
    enum Step: Sendable {
        case fulfil(Int)
        case reject(Int)
        case cancel(Int)

        func act(on members: [ControlledPromise]) {
            switch self {
            case .fulfil(let index): members[index].resolver.fulfill(index)
            case .reject(let index): members[index].resolver.reject(Failure(index))
            case .cancel(let index): members[index].promise.cancel()
            }
        }
    }

    /// Steps on three members, with the expected outcome and the members that are stopped by then.
    struct Row: Sendable, CustomTestStringConvertible {
        let steps: [Step]
        let outcome: String
        let stopped: [Bool]

        init(_ steps: [Step], _ outcome: String, _ stopped: [Bool] = [false, false, false]) {
            self.steps = steps
            self.outcome = outcome
            self.stopped = stopped
        }

        var testDescription: String { "\(steps) is \(outcome)" }

        func check(early: Bool = false, _ combine: ([Promise<Int>]) -> Promise<some Sendable>) async {
            let members = ControlledPromise.several(3)
            if early { steps.forEach { $0.act(on: members) } }
            let result = combine(members.promises)
            if !early { steps.forEach { $0.act(on: members) } }
            #expect(await settlement(of: result) == outcome)
            #expect(members.stopped == stopped)
        }
    }

    static let allRows = [
        Row([], "pending"),
        Row([.fulfil(0), .fulfil(2)], "pending"),
        Row([.fulfil(2), .fulfil(0), .fulfil(1)], "value [0, 1, 2]"),
        Row([.reject(1)], "error 1"),
        Row([.reject(2), .reject(0)], "error 2"),
        Row([.fulfil(0), .reject(2), .fulfil(1)], "error 2"),
        Row([.fulfil(0), .cancel(1)], "cancelled", [false, true, false]),
        Row([.reject(0), .cancel(1)], "error 0", [false, true, false]),
    ]

    @Test("`all` returns the values in order, or the first error while the other members continue", arguments: allRows)
    func all(row: Row) async {
        await row.check { Promise.all($0) }
    }

    @Test("`all` of a tuple has the same outcome as `all` of an array", arguments: allRows)
    func tuple(row: Row) async {
        await row.check { Promise.all($0[0], $0[1], $0[2]).map { [$0.0, $0.1, $0.2] } }
    }

    static let allSettledRows = [
        Row([.fulfil(0), .reject(1)], "pending"),
        Row([.reject(2), .fulfil(0), .fulfil(1)], "value [\"0\", \"1\", \"error 2\"]"),
        Row([.reject(2), .reject(0), .reject(1)], "value [\"error 0\", \"error 1\", \"error 2\"]"),
        Row([.cancel(0), .fulfil(1), .reject(2)], "value [\"cancelled\", \"1\", \"error 2\"]", [true, false, false]),
        Row([.cancel(0), .cancel(1), .cancel(2)], "value [\"cancelled\", \"cancelled\", \"cancelled\"]", [true, true, true]),
    ]

    @Test("`allSettled` returns every outcome in order and never rejects", arguments: allSettledRows, [false, true])
    func allSettled(row: Row, early: Bool) async {
        await row.check(early: early) { promises in
            Promise.allSettled(promises).map { results in
                results.map { result in
                    switch result {
                    case .success(let value): "\(value)"
                    case .failure(let failure as Failure): "error \(failure.number)"
                    case .failure(let error): error is CancellationError ? "cancelled" : "\(error)"
                    }
                }
            }
        }
    }

    static let anyRows = [
        Row([.reject(0)], "pending"),
        Row([.fulfil(1)], "value 1", [true, false, true]),
        Row([.reject(0), .fulfil(2)], "value 2", [false, true, false]),
        Row([.cancel(0), .fulfil(2)], "value 2", [true, true, false]),
        Row([.reject(2), .reject(0), .reject(1)], "errors [0, 1, 2]"),
        Row([.reject(2), .cancel(1), .reject(0)], "errors [0, 2]", [false, true, false]),
        Row([.cancel(2), .cancel(0), .cancel(1)], "cancelled", [true, true, true]),
    ]

    @Test("`any` returns the first value and cancels the others, or all errors in order", arguments: anyRows, [false, true])
    func any(row: Row, early: Bool) async {
        await row.check(early: early) { Promise.any($0) }
    }

    static let raceRows = [
        Row([], "pending"),
        Row([.fulfil(1)], "value 1", [true, false, true]),
        Row([.reject(2)], "error 2", [true, true, false]),
        Row([.cancel(0)], "pending", [true, false, false]),
        Row([.cancel(0), .reject(1)], "error 1", [true, false, true]),
        Row([.cancel(0), .cancel(2), .cancel(1)], "cancelled", [true, true, true]),
    ]

    @Test("`race` returns the first outcome and cancels the others", arguments: raceRows, [false, true])
    func race(row: Row, early: Bool) async {
        await row.check(early: early) { Promise.race($0) }
    }

    @Test("of members that are already settled, `any` and `race` take the first in the array")
    func firstInArray() async {
        let settled = [Promise<Int>(error: Failure(0)), Promise(value: 1), Promise(value: 2)]
        #expect(await settlement(of: Promise.any(settled)) == "value 1")
        #expect(await settlement(of: Promise.race(settled)) == "error 0")
    }

    @Test("`any` and `race` do not cancel a member that has another consumer")
    func wantedByOthers() async {
        for combine in [{ @Sendable in Promise<Int>.any($0) }, { @Sendable in Promise<Int>.race($0) }] {
            let members = ControlledPromise.several(2)
            let other = members[1].promise.map { $0 * 10 }
            let result = combine(members.promises)
            members[0].resolver.fulfill(0)
            #expect(await settlement(of: result) == "value 0")
            #expect(!members[1].isStopped)
            members[1].resolver.fulfill(1)
            #expect(await settlement(of: other) == "value 10")
        }
    }

    @Test("`all` of members of different types returns a tuple")
    func types() async throws {
        let (text, resolver) = Promise<String>.pending()
        let result = Promise.all(Promise(value: 1), text, Promise(value: [true]), Promise(value: ()))
        #expect(result.isPending)
        resolver.fulfill("two")
        try #require(!result.isPending)
        let (first, second, third, fourth): (Int, String, [Bool], Void) = try await result.value
        #expect(first == 1 && second == "two" && third == [true] && fourth == ())
    }

    @Test("a combinator without members settles at once")
    func empty() async {
        #expect(await settlement(of: Promise<Int>.all([])) == "value []")
        #expect(await settlement(of: Promise.all()) == "value ()")
        #expect(await settlement(of: Promise<Int>.allSettled([]).map(\.count)) == "value 0")
        #expect(await settlement(of: Promise<Int>.any([])) == "errors []")
        #expect(await settlement(of: Promise<Int>.race([])) == "\(PromiseError.abandoned)")
        #expect(await settlement(of: Promise<Int>.sequence([])) == "value []")
    }

    enum Combinator: CaseIterable {
        case all, tuple, allSettled, any, race

        func combine(_ promises: [Promise<Int>]) -> Promise<Void> {
            switch self {
            case .all: Promise.all(promises).map { _ in }
            case .tuple: Promise.all(promises[0], promises[1], promises[2]).map { _ in }
            case .allSettled: Promise.allSettled(promises).map { _ in }
            case .any: Promise.any(promises).map { _ in }
            case .race: Promise.race(promises).map { _ in }
            }
        }
    }

    @Test("cancelling the result withdraws its interest in every member", arguments: Combinator.allCases)
    func cancelling(combinator: Combinator) async {
        let members = ControlledPromise.several(3)
        let other = members[1].promise.map { $0 }
        let result = combinator.combine(members.promises)
        result.cancel()
        #expect(await settlement(of: result) == "cancelled")
        #expect(members.stopped == [true, false, true])
        members[1].resolver.fulfill(1)
        #expect(await settlement(of: other) == "value 1")
    }

    @Test("one promise can be a member twice", arguments: Combinator.allCases)
    func twice(combinator: Combinator) async {
        let member = ControlledPromise()
        let result = combinator.combine([member.promise, member.promise, member.promise])
        member.resolver.fulfill(1)
        #expect(await settlement(of: result) == "value ()")
        let cancelled = ControlledPromise()
        combinator.combine([cancelled.promise, cancelled.promise, cancelled.promise]).cancel()
        #expect(cancelled.isStopped)
    }
}
