/// The loop to which an origin is assigned, and the number of its transfers on that loop and on the following ones, including waiting
/// transfers.
final class LoopLoads: Sendable {
    /// The number of transfers that keep a loop busy.
    static let full = 8

    let place: Int
    /// The number of transfers of each loop, indexed by the distance from the origin's own loop.
    private let loads: Mutex<[Int]>

    /// - Parameter width: The number of loops that may have transfers to the origin.
    init(place: Int, width: Int) {
        self.place = place
        loads = Mutex(Array(repeating: 0, count: width))
    }

    /// Adds a transfer, and returns the distance of its loop from the origin's own loop. Chooses the first loop that is not busy, so that
    /// few transfers share one thread and its connections. If all are busy, chooses the least loaded loop.
    func enter(mayMove: Bool) -> Int {
        loads.withLock { loads in
            var distance = 0
            if mayMove, loads[0] >= Self.full {
                for other in loads.indices where loads[other] < loads[distance] {
                    distance = other
                    if loads[other] < Self.full { break }
                }
            }
            loads[distance] += 1
            return distance
        }
    }

    func leave(_ distance: Int) {
        loads.withLock { $0[distance] -= 1 }
    }
}
