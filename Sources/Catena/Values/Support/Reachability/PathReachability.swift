#if canImport(Network)
import Dispatch
import Network

/// The reachability on Apple platforms, from the path monitor of the system.
public final class PathReachability: Reachability {
    /// The reachability of policies that name none.
    static let shared = PathReachability()

    private let reported: ReportedReachability
    private let monitor = NWPathMonitor()

    /// Starts the monitor, which runs until this object is freed.
    public init() {
        // The monitor reports at once. Until then no call should fail for lack of a network.
        let reported = ReportedReachability()
        self.reported = reported
        monitor.pathUpdateHandler = { path in reported.report(NetworkStatus(path)) }
        monitor.start(queue: DispatchQueue(label: "catena.reachability", qos: .utility))
    }

    deinit {
        monitor.cancel()
    }

    public var status: NetworkStatus { reported.status }

    public func changes() -> AsyncStream<NetworkStatus> { reported.changes() }
}

extension NetworkStatus {
    fileprivate init(_ path: NWPath) {
        let isReachable = path.status == .satisfied
        let known: [(NWInterface.InterfaceType, Interface)] = [(.wifi, .wifi), (.cellular, .cellular), (.wiredEthernet, .wired)]
        let interface = known.first { path.usesInterfaceType($0.0) }?.1 ?? .other
        self.init(
            isReachable: isReachable, interface: isReachable ? interface : nil, isExpensive: path.isExpensive,
            isConstrained: path.isConstrained)
    }
}
#endif
