/// Limits the number of simultaneous transfers to one origin. Further transfers wait in the order of their arrival. Pure.
///
/// Transfers wait here and not in libcurl, because libcurl's queue ignores time limits.
struct OriginQueue<Transfer> {
    /// A class, so that each step looks up the origin only once.
    private final class Line {
        var running = 0
        var waiting: [Transfer?] = []
        var head = 0
    }

    private let limit: Int
    private var lines: [String: Line] = [:]

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Returns whether the transfer may start now; otherwise it waits.
    mutating func enter(_ transfer: Transfer, to origin: String) -> Bool {
        let line = lines[origin] ?? addLine(for: origin)
        if line.running < limit {
            line.running += 1
            return true
        }
        line.waiting.append(transfer)
        return false
    }

    private mutating func addLine(for origin: String) -> Line {
        let line = Line()
        lines[origin] = line
        return line
    }

    /// Ends a running transfer, and returns the waiting one that takes its place.
    mutating func leave(_ origin: String) -> Transfer? {
        guard let line = lines[origin] else { return nil }
        while line.head < line.waiting.count {
            let next = line.waiting[line.head].take()
            line.head += 1
            if line.head == line.waiting.count {
                line.waiting.removeAll(keepingCapacity: true)
                line.head = 0
            }
            if let next { return next }
        }
        line.running -= 1
        if line.running == 0 { lines[origin] = nil }
        return nil
    }
}
