import Network
import TestSupport
import Testing

@testable import Catena

/// Serial, because all tests share one network path.
@Suite("Reachability by the path monitor", .serialized, .timeLimit(.minutes(1))) struct PathReachabilityTests {
    @Test(
        "a network path becomes a status",
        arguments: [
            (
                NWPath(.satisfied, over: [.cellular], isExpensive: true),
                NetworkStatus(isReachable: true, interface: .cellular, isExpensive: true)
            ),
            (NWPath(.satisfied, over: [.wiredEthernet]), NetworkStatus(isReachable: true, interface: .wired)),
            (NWPath(.satisfied, over: [.cellular, .wifi]), NetworkStatus(isReachable: true, interface: .wifi)),
            (
                NWPath(.satisfied, over: [.loopback], isConstrained: true),
                NetworkStatus(isReachable: true, interface: .other, isConstrained: true)
            ),
            (NWPath(.unsatisfied, over: [.wifi]), NetworkStatus(isReachable: false)),
            (NWPath(.requiresConnection), NetworkStatus(isReachable: false)),
        ])
    func status(path: NWPath, expected: NetworkStatus) async {
        let reachability = PathReachability()
        NWPathMonitor.report(path)
        for await status in reachability.changes() where status == expected { break }
        #expect(reachability.status == expected)
    }

    @Test("changes() reports each change of the path, and the monitor ends with its owner")
    func changes() async {
        NWPathMonitor.report(NWPath(.unsatisfied))
        var reachability: PathReachability? = PathReachability()
        #expect(NWPathMonitor.count == 1)
        var statuses: [Bool] = []
        if let changes = reachability?.changes() {
            for await status in changes {
                statuses.append(status.isReachable)
                if status.interface == .wifi { break }
                if !status.isReachable { NWPathMonitor.report(NWPath(.satisfied, over: [.wifi])) }
            }
        }
        #expect(statuses.suffix(2) == [false, true])
        reachability = nil
        #expect(NWPathMonitor.count == 0)
    }
}
