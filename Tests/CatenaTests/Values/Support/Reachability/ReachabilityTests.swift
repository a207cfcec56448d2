import Testing

@testable import Catena

@Suite(.limitedParallelism) struct ReachabilityTests {
    @Test("a listener receives the current status and then every change") func changes() async {
        let reachability = ReportedReachability()
        var changes = reachability.changes().makeAsyncIterator()
        #expect(await changes.next() == NetworkStatus(isReachable: true))
        let cellular = NetworkStatus(isReachable: true, interface: .cellular, isExpensive: true)
        reachability.report(cellular)
        #expect(await changes.next() == cellular)
        reachability.report(cellular)
        reachability.report(NetworkStatus(isReachable: false))
        #expect(await changes.next() == NetworkStatus(isReachable: false))
        #expect(reachability.status == NetworkStatus(isReachable: false))
    }

    @Test("an equal status is not delivered again, and a slow listener receives only the newest") func newest() async {
        let reachability = ReportedReachability(NetworkStatus(isReachable: false))
        var changes = reachability.changes().makeAsyncIterator()
        for interface in [NetworkStatus.Interface.wifi, .wired, .cellular, .cellular] {
            reachability.report(NetworkStatus(isReachable: true, interface: interface))
        }
        #expect(await changes.next()?.interface == .cellular)
        reachability.report(NetworkStatus(isReachable: true, interface: .cellular))
        reachability.report(NetworkStatus(isReachable: true, interface: .wifi))
        #expect(await changes.next()?.interface == .wifi)
    }

    @Test("the changes end when the reachability is freed") func ending() async {
        var reachability: ReportedReachability? = ReportedReachability()
        var changes = reachability?.changes().makeAsyncIterator()
        #expect(await changes?.next()?.isReachable == true)
        reachability = nil
        #expect(await changes?.next() == nil)
    }

    #if canImport(Network)
    @Test("Apple's path monitor delivers a status") func path() async {
        let reachability: any Reachability = PathReachability()
        var changes = reachability.changes().makeAsyncIterator()
        #expect(await changes.next() != nil)
    }
    #endif
}
