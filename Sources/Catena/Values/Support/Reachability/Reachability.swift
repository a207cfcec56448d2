/// The status of the network path.
public struct NetworkStatus: Sendable, Hashable {
    /// The kind of the device's network interface. Later versions may add kinds.
    public struct Interface: Sendable, Hashable, CustomStringConvertible {
        /// The name of the interface, such as `wifi`.
        public let name: String

        /// A Wi-Fi network.
        public static let wifi = Interface(name: "wifi")
        /// A cellular network.
        public static let cellular = Interface(name: "cellular")
        /// A wired network, such as Ethernet.
        public static let wired = Interface(name: "wired")
        /// Any other interface.
        public static let other = Interface(name: "other")

        /// Makes an interface from its name.
        public init(name: String) {
            self.name = name
        }

        public var description: String { name }
    }

    /// Whether there is a path to the network. A path does not mean that a server responds.
    public var isReachable: Bool
    /// The interface, or `nil` if there is no path or if it is unknown.
    public var interface: Interface?
    /// Whether the path costs money, as a hotspot does.
    public var isExpensive: Bool
    /// Whether the user wants to save data.
    public var isConstrained: Bool

    /// Makes a status.
    ///
    /// - Parameters:
    ///   - isReachable: Whether there is a path to the network.
    ///   - interface: The interface, or `nil` if there is no path or if it is unknown.
    ///   - isExpensive: Whether the path costs money.
    ///   - isConstrained: Whether the user wants to save data.
    public init(isReachable: Bool, interface: Interface? = nil, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.isReachable = isReachable
        self.interface = interface
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}

/// Reports whether there is a path to the network.
///
/// ```swift
/// for await status in reachability.changes() { banner.isHidden = status.isReachable }
/// ```
///
/// On Apple platforms use `PathReachability`. Elsewhere an app implements this protocol or updates a ``ReportedReachability``. Calls do not
/// ask it whether to send, because only the server's response shows whether it can be reached. ``RetryPolicy/whenOnline(_:)`` ends waits by it.
public protocol Reachability: Sendable {
    /// The current status.
    var status: NetworkStatus { get }

    /// The current status, then every change. A slow consumer skips to the latest status.
    func changes() -> AsyncStream<NetworkStatus>
}

/// A reachability whose status an app or a test sets, also for platforms without one.
public final class ReportedReachability: Reachability {
    private struct State {
        var status: NetworkStatus
        var listeners = Listeners<NetworkStatus>()
    }

    private let state: Mutex<State>

    /// Makes a reachability with an initial status.
    public init(_ status: NetworkStatus = NetworkStatus(isReachable: true)) {
        state = Mutex(State(status: status))
    }

    deinit {
        state.withLock { $0.listeners }.finish()
    }

    public var status: NetworkStatus { state.withLock { $0.status } }

    /// Sets the status, and reports it to the listeners if it has changed.
    public func report(_ status: NetworkStatus) {
        // Under the lock, so that listeners receive reports in order. A continuation only stores the value.
        state.withLock { state in
            guard state.status != status else { return }
            state.status = status
            state.listeners.yield(status)
        }
    }

    public func changes() -> AsyncStream<NetworkStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
            let key = state.withLock { state in
                listener.yield(state.status)
                return state.listeners.add(listener)
            }
            listener.onTermination = { [weak self] _ in
                let former = self?.state.withLock { $0.listeners.remove(key) }
                _ = consume former
            }
        }
    }
}

extension Reachability {
    /// Waits until the network is back after it could not be reached. Returns `false` if no further status is reported.
    ///
    /// - Parameter wasReachable: Whether it could be reached before. The stream alone may leave out a status that the next one has replaced.
    func returns(after wasReachable: Bool) async -> Bool {
        var wasReachable = wasReachable
        for await status in changes() {
            if status.isReachable, !wasReachable { return true }
            wasReachable = status.isReachable
        }
        return false
    }
}
