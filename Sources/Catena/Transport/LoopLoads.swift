/// Which loop an origin has been dealt to, and how many of its transfers that loop and those behind it have, waiting ones included.
final class LoopLoads: Sendable {
    /// With so many transfers a loop has enough to do.
    static let full = 8

    let place: Int
    /// By the distance from the origin's own loop.
    private let loads: Mutex<[Int]>

    /// - Parameter width: How many loops may have transfers to the origin.
    init(place: Int, width: Int) {
        self.place = place
        loads = Mutex(Array(repeating: 0, count: width))
    }

    /// Adds a transfer. Gives how far from the origin's own loop it goes: to the first that has not enough to do, so that few transfers have one
    /// thread and use its connections again; else to the one that has least.
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
