/// Ends the waits of calls when the network is back. The calls that wait for the same reachability share one listener.
final class NetworkReturn: Sendable {
    /// The network of the platform, which only Apple platforms report.
    static let ofPlatform: NetworkReturn = {
        #if canImport(Network)
        NetworkReturn(PathReachability.shared)
        #else
        NetworkReturn(nil)
        #endif
    }()
    /// The listeners in progress.
    static let listeners = SingleFlight<Listener, Bool>()

    /// The source of a listener, and the status with which it begins. A call that has seen the network fail needs one that has seen it, too.
    struct Listener: Hashable, Sendable {
        let source: ObjectIdentifier
        let wasReachable: Bool
    }

    private let reachability: (any Reachability)?

    /// - Parameter reachability: The source, or `nil` if there is none, so that all waits have their full length.
    init(_ reachability: (any Reachability)?) {
        self.reachability = reachability
    }

    /// Whether the status of the network is known.
    var isKnown: Bool { reachability != nil }

    /// Identifies the source. A reachability that is no object is one source for each policy that names it.
    private var source: ObjectIdentifier {
        guard let reachability, type(of: reachability) is AnyObject.Type else { return ObjectIdentifier(self) }
        return ObjectIdentifier(reachability as AnyObject)
    }

    /// Waits for a time, or only until the network is back. Returns whether the network has ended the wait.
    ///
    /// - Parameter random: A number from 0 to 1, which says how much of a tenth of the rest still passes, so that calls do not all begin at once.
    func sleep(for time: Duration, random: Double, on clock: any TimerClock) async throws -> Bool {
        guard let reachability else {
            try await clock.sleep(for: time)
            return false
        }
        let end = clock.now + time
        repeat {
            guard try await returns(reachability, within: end - clock.now, on: clock) else { return false }
            try await clock.sleep(for: (end - clock.now) * (random / 10))
            // A network that is gone again needs no attempt.
        } while !reachability.status.isReachable
        return true
    }

    private func returns(_ reachability: any Reachability, within time: Duration, on clock: any TimerClock) async throws -> Bool {
        let wasReachable = reachability.status.isReachable
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await clock.sleep(for: time)
                return false
            }
            group.addTask { [source] in
                // The listener belongs to no call, or a clock of tests would wait for it.
                let isBack = try await CurrentCall.$presence.withValue(nil) {
                    try await Self.listeners.run(Listener(source: source, wasReachable: wasReachable)) {
                        await reachability.returns(after: wasReachable)
                    }
                }
                if !isBack { try await clock.sleep(for: time) }
                return isBack
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }
}

extension NetworkReturn: Hashable {
    static func == (first: NetworkReturn, second: NetworkReturn) -> Bool { first.source == second.source }

    func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
