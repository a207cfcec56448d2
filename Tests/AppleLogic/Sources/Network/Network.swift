import Dispatch
import Foundation

public enum NWInterface {
    public enum InterfaceType: Sendable {
        case other, wifi, cellular, wiredEthernet, loopback
    }
}

public struct NWPath: Sendable, Equatable {
    public enum Status: Sendable {
        case satisfied, unsatisfied, requiresConnection
    }

    public let status: Status
    public let isExpensive: Bool
    public let isConstrained: Bool
    private let interfaces: [NWInterface.InterfaceType]

    /// Makes a path for a test.
    public init(_ status: Status, over interfaces: [NWInterface.InterfaceType] = [], isExpensive: Bool = false, isConstrained: Bool = false)
    {
        self.status = status
        self.interfaces = interfaces
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }

    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { interfaces.contains(type) }
}

/// Reports the paths that a test sets, on the monitor's queue. Reports the current path at the start, and each later one until it is cancelled.
public final class NWPathMonitor: @unchecked Sendable {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var path = NWPath(.satisfied, over: [.wifi])
    nonisolated(unsafe) private static var running: [ObjectIdentifier: (DispatchQueue, @Sendable (NWPath) -> Void)] = [:]

    /// The number of active monitors.
    public static var count: Int { lock.withLock { running.count } }

    /// Changes the path for all monitors.
    public static func report(_ path: NWPath) {
        lock.withLock {
            self.path = path
            for (queue, handler) in running.values { queue.async { handler(path) } }
        }
    }

    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?

    public init() {}

    public func start(queue: DispatchQueue) {
        guard let handler = pathUpdateHandler else { return }
        Self.lock.withLock {
            let path = Self.path
            Self.running[ObjectIdentifier(self)] = (queue, handler)
            queue.async { handler(path) }
        }
    }

    public func cancel() {
        Self.lock.withLock { Self.running[ObjectIdentifier(self)] = nil }
    }
}
