@testable import Catena

/// The number of times that features have met in random runs. A check for a meeting that never takes place cannot fail.
struct PropertyTally: Sendable {
    enum Meeting: String, CaseIterable {
        case listEnded = "lists read to their end"
        case listWithoutEnd = "lists without an end that failed"
        case listOfFormerUser = "lists ended by a change of user"
        case futileWait = "waits that did not fit"
        case breakerRefusal = "refusals of an open breaker"
        case keptForBreaker = "kept responses in place of such a refusal"
    }

    private(set) var counts: [Meeting: Int] = [:]

    mutating func add(_ meeting: Meeting) { counts[meeting, default: 0] += 1 }
    mutating func add(_ other: PropertyTally) { counts.merge(other.counts, uniquingKeysWith: +) }

    /// The meetings that have not taken place.
    var missing: [String] { Meeting.allCases.filter { counts[$0] == nil }.map(\.rawValue) }
    var text: String { Meeting.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ") }
}

extension PropertyWorld {
    func meet(_ meeting: PropertyTally.Meeting) { state.withLock { $0.tally.add(meeting) } }
}
