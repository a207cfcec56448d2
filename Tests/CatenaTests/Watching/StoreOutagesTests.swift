import Testing

@testable import Catena

@Suite("Outages of a shared store", .limitedParallelism)
struct StoreOutagesTests {
    private final class Store: Sendable {}

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        /// The operations, each with its second and outcome.
        let events: [(second: Int, succeeds: Bool)]
        /// The seconds at which an outage is reported.
        let reports: [Int]
    }

    static let cases = [
        Case(testDescription: "nothing fails", events: [(0, true), (1, true)], reports: []),
        Case(testDescription: "an outage", events: [(0, true), (1, false), (2, false), (100, false)], reports: [1]),
        Case(testDescription: "a success that ends late", events: [(1, false), (1, true), (1, false), (2, false)], reports: [1]),
        Case(testDescription: "reads succeed, writes fail", events: (1...40).map { ($0, $0 % 2 == 0) }, reports: [1]),
        Case(testDescription: "two outages", events: [(1, false), (10, true), (11, true), (12, false)], reports: [1, 12]),
        Case(testDescription: "two outages, few calls", events: [(1, false), (2, true), (100, false)], reports: [1, 100]),
        Case(testDescription: "soon again", events: [(1, false), (2, true), (3, false), (4, true), (9, false)], reports: [1, 9]),
    ]

    @Test("an outage is reported once, and the next one if the store could be used in between", arguments: cases)
    func reports(events: Case) {
        var outages = StoreOutages()
        let store = Store()
        var reports: [Int] = []
        for (second, succeeds) in events.events {
            if succeeds {
                outages.noteSuccess(of: ObjectIdentifier(store), at: .seconds(second))
            } else if outages.noteFailure(of: ObjectIdentifier(store), at: .seconds(second)) {
                reports.append(second)
            }
        }
        #expect(reports == events.reports)
    }

    @Test("each store has its own outages")
    func several() {
        var outages = StoreOutages()
        let (one, other) = (Store(), Store())
        let first = outages.noteFailure(of: ObjectIdentifier(one), at: .zero)
        outages.noteSuccess(of: ObjectIdentifier(other), at: .seconds(10))
        let again = outages.noteFailure(of: ObjectIdentifier(one), at: .seconds(20))
        let others = outages.noteFailure(of: ObjectIdentifier(other), at: .seconds(20))
        #expect([first, again, others] == [true, false, true])
    }

    @Test("an outage is forgotten after a quiet time")
    func forgotten() {
        var outages = StoreOutages()
        let store = Store()
        _ = outages.noteFailure(of: ObjectIdentifier(store), at: .zero)
        outages.noteSuccess(of: ObjectIdentifier(store), at: StoreOutages.quiet)
        #expect(outages.isEmpty)
    }
}
