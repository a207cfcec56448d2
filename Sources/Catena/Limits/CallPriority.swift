/// Which of the calls that wait for their turn goes first.
///
/// Calls of one priority go in the order in which they came. A lower one waits for as long as there are higher ones.
public enum CallPriority: Int, Sendable, Comparable, CaseIterable {
    case low
    case normal
    case high

    public static func < (left: CallPriority, right: CallPriority) -> Bool { left.rawValue < right.rawValue }
}
