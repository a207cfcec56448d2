/// What is known of the way to the network.
public struct NetworkStatus: Sendable, Hashable {
    /// Through what a device is connected. More may come.
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

    /// Whether there is a way. That a server is there nobody knows before it has answered.
    public var isReachable: Bool
    /// `nil` if there is no way, or if it is not known.
    public var interface: Interface?
    /// Whether it costs money, as a hotspot does.
    public var isExpensive: Bool
    /// Whether the user asks to save data.
    public var isConstrained: Bool

    /// Makes a status from what is known.
    ///
    /// - Parameters:
    ///   - isReachable: Whether there is a way to the network.
    ///   - interface: Through what the device is connected; `nil` if there is no way, or if it is not known.
    ///   - isExpensive: Whether the connection costs money.
    ///   - isConstrained: Whether the user asks to save data.
    public init(isReachable: Bool, interface: Interface? = nil, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.isReachable = isReachable
        self.interface = interface
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}

/// Knows whether there is a way to the network.
///
/// ```swift
/// for await status in reachability.changes() { banner.isHidden = status.isReachable }
/// ```
///
/// On Apple platforms that is `PathReachability`; elsewhere an app brings its own, or tells a ``ReportedReachability`` what it knows.
/// No call asks it: whether a server can be reached is best found out by asking the server.
public protocol Reachability: Sendable {
    /// The status at present.
    var status: NetworkStatus { get }

    /// The status of now, and then each other one. Who is slow gets the newest.
    func changes() -> AsyncStream<NetworkStatus>
}

/// A reachability that an app or a test sets, for tests and for platforms without one.
public final class ReportedReachability: Reachability {
    private struct State {
        var status: NetworkStatus
        var listeners: [Int: AsyncStream<NetworkStatus>.Continuation] = [:]
        var nextListener = 0
    }

    private let state: Mutex<State>

    /// Makes a reachability that starts with a status.
    public init(_ status: NetworkStatus = NetworkStatus(isReachable: true)) {
        state = Mutex(State(status: status))
    }

    deinit {
        for listener in state.withLock({ $0.listeners.values.map { $0 } }) { listener.finish() }
    }

    public var status: NetworkStatus { state.withLock { $0.status } }

    /// Takes another status and tells the listeners, unless it is the one that they know.
    public func report(_ status: NetworkStatus) {
        // Under the lock, so that of two reports the later one is the last that is heard; a continuation only keeps the value.
        state.withLock { state in
            guard state.status != status else { return }
            state.status = status
            for listener in state.listeners.values { listener.yield(status) }
        }
    }

    public func changes() -> AsyncStream<NetworkStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
            let key = state.withLock { state in
                state.nextListener += 1
                state.listeners[state.nextListener] = listener
                listener.yield(state.status)
                return state.nextListener
            }
            listener.onTermination = { [weak self] _ in
                let former = self?.state.withLock { $0.listeners.removeValue(forKey: key) }
                _ = consume former
            }
        }
    }
}
