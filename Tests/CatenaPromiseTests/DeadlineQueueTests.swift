import TestSupport
import Testing

@testable import CatenaPromise

@Suite(.limitedParallelism) struct DeadlineQueueTests {
    private struct Moment: Comparable {
        let number: Int
        let comparisons: Tally

        static func == (left: Moment, right: Moment) -> Bool {
            left.comparisons.count.add(1)
            return left.number == right.number
        }

        static func < (left: Moment, right: Moment) -> Bool {
            left.comparisons.count.add(1)
            return left.number < right.number
        }
    }

    private final class Tally: Sendable {
        let count = AtomicCounter()
    }

    enum Order: CaseIterable {
        case rising, falling, mixed

        func numbers(_ count: Int) -> [Int] {
            switch self {
            case .rising: Array(0..<count)
            case .falling: (0..<count).reversed()
            // Each number once, since the factor has no divisor in common with the count.
            case .mixed: (0..<count).map { $0 * 7_919 % count }
            }
        }
    }

    @Test(
        "actions run in the order of their deadlines, with a few comparisons each, in any order of arrival",
        arguments: Order.allCases)
    func order(_ order: Order) {
        let tally = Tally()
        let count = 10_000
        let start = Moment(number: -1, comparisons: tally)
        var queue = DeadlineQueue<Moment, Int>()
        var wakes: [Int] = []
        for number in order.numbers(count) {
            let moment = Moment(number: number, comparisons: tally)
            if queue.add(number, at: moment, now: start).mustWake { wakes.append(number) }
        }
        #expect(tally.count.count < 20 * count, "adding")
        #expect(wakes.last == 0)
        var seen: [Int] = []
        while let wake = wakes.popLast() {
            let moment = Moment(number: wake, comparisons: tally)
            let (due, next) = queue.fire(moment, now: moment)
            seen += due
            if let next { wakes.append(next.number) }
        }
        #expect(seen == Array(0..<count))
        #expect(tally.count.count < 60 * count, "adding and firing")
    }

    @Test("the timer is set only for a deadline before its next firing")
    func wakes() {
        var queue = DeadlineQueue<Int, String>()
        #expect(queue.add("b", at: 20, now: 0).mustWake)
        #expect(!queue.add("c", at: 30, now: 0).mustWake)
        #expect(queue.add("a", at: 10, now: 0).mustWake)
        #expect(!queue.add("d", at: 10, now: 0).mustWake)
        #expect(queue.fire(10, now: 12) == (["a", "d"], nil), "the timer already fires at 20")
        #expect(queue.fire(20, now: 20) == (["b"], 30))
        #expect(queue.fire(30, now: 30) == (["c"], nil))
        #expect(queue.add("e", at: 40, now: 30).mustWake, "nothing is left of the past")
    }

    @Test("a new deadline sets the timer although an earlier firing is overdue, as after a sleep of the machine", arguments: [false, true])
    func overdue(isRemoved: Bool) {
        var queue = DeadlineQueue<Int, String>()
        let early = queue.add("early", at: 60, now: 0)
        let removed = isRemoved ? queue.remove(early.id) : nil
        // The machine sleeps from 10 to 1000. The clock counts that time, and the timer does not.
        let new = queue.add("new", at: 1010, now: 1000)
        let later = queue.add("later", at: 1020, now: 1001)
        #expect(early.mustWake && new.mustWake && !later.mustWake)
        let awake = queue.fire(1010, now: 1010)
        #expect(awake == (isRemoved ? ["new"] : ["early", "new"], 1020))
        let late = queue.fire(60, now: 1015)
        #expect(late == ([], nil), "the timer already fires at 1020")
        #expect(removed == (isRemoved ? "early" : nil))
    }

    @Test("a removed action does not run and keeps no timer")
    func remove() {
        var queue = DeadlineQueue<Int, Int>()
        let ids = (0..<1000).map { queue.add($0, at: $0, now: -1).id }
        #expect(ids.map { queue.remove($0) } == Array(0..<1000))
        #expect(queue.remove(ids[0]) == nil)
        #expect(queue.fire(0, now: 0) == ([], nil))
    }
}

private func == <Action: Equatable, Deadline: Equatable>(
    left: (due: [Action], next: Deadline?),
    right: ([Action], Deadline?)
) -> Bool {
    left.due == right.0 && left.next == right.1
}
