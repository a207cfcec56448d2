#if os(Linux) && canImport(Glibc)
/// A loop and the settings of its handles.
///
/// Shared and exclusive connections to one host must not be in one loop. If libcurl has seen the host speak HTTP/2 elsewhere, it sometimes
/// puts a second request on a busy HTTP/1.1 connection.
final class CurlEngine: Sendable {
    /// The maximum total length of a request's headers, in bytes. Longer ones do not fit into an HTTP/2 request of libcurl.
    static let longestSharedHead = 60_000

    let loop: CurlLoop
    let configuration: CurlConfiguration
    /// The maximum age of idle connections in whole seconds, as libcurl takes it.
    let idleConnectionAge: Int
    /// Whether several requests may share one connection at a time (HTTP/2).
    let sharesConnections: Bool
    /// The authorities to trust, or `nil` if libcurl reads them.
    let trust: CurlTrust?
    let origins = CurlOrigins()
    private let environment: ProxyEnvironment

    init?(
        _ configuration: CurlConfiguration, _ origins: CurlOriginTable, sharesConnections: Bool, trust: CurlTrust?,
        _ environment: ProxyEnvironment
    ) {
        guard let loop = CurlLoop(configuration, origins) else { return nil }
        self.configuration = configuration
        idleConnectionAge = Int(max(1, configuration.idleConnectionAge.components.seconds))
        self.sharesConnections = sharesConnections
        self.trust = trust
        self.environment = environment
        self.loop = loop
    }

    deinit {
        loop.close()
    }

    /// Returns the proxy for an origin, or "" if it is reached without one.
    func proxy(for origin: HTTPOrigin) -> String { environment.proxy(for: origin, configuration) }
}

/// The engines of a transport, and the assignment of origins to them. Each engine is made when it is first needed.
///
/// An origin stays on its loop, so that HTTP/2 shares one connection. If the transfers of an origin need one connection each anyway, other
/// loops take over transfers when one is too busy.
final class CurlEngines: Sendable {
    fileprivate struct State {
        /// The engines with shared and with exclusive connections, by loop.
        var shared: [CurlEngine?]
        var exclusive: [CurlEngine?]
        /// The loops of the origins, assigned in the order of the origins' first requests.
        var loads: [String: LoopLoads] = [:]
    }

    /// The maximum number of origins assigned in turn. Later origins are assigned by hash, so that no state is stored for them.
    private static let mostKnown = 1_000

    let configuration: CurlConfiguration
    private let trust: CurlTrust?
    private let sharedOrigins: CurlOriginTable
    private let exclusiveOrigins: CurlOriginTable
    private let state: Mutex<State>
    private let environment = ProxyEnvironment()

    /// Returns `nil` if the system has no free descriptors.
    init?(_ configuration: CurlConfiguration) {
        trust = CurlTrust(configuration)
        sharedOrigins = CurlOriginTable(configuration)
        exclusiveOrigins = CurlOriginTable(configuration)
        guard let first = CurlEngine(configuration, sharedOrigins, sharesConnections: true, trust: trust, environment) else { return nil }
        self.configuration = configuration
        let none = [CurlEngine?](repeating: nil, count: configuration.loops - 1)
        state = Mutex(State(shared: [first] + none, exclusive: [nil] + none))
    }

    /// Returns the proxy for an origin, or "" if it is reached without one.
    func proxy(for origin: HTTPOrigin) -> String { environment.proxy(for: origin, configuration) }

    /// The credentials of the proxies and the password of the client's key.
    var secretValues: [String] {
        let proxies = configuration.proxy.map { ProxyEnvironment.credentials(in: $0) } ?? environment.credentials
        return proxies + [configuration.clientKeyPassword].compactMap { $0 }
    }

    /// The number of engines made so far.
    var count: Int {
        state.withLock { state in (state.shared + state.exclusive).count { $0 != nil } }
    }

    func onLoopEnd(_ action: @escaping @Sendable () -> Void) {
        let engines = state.withLock { $0.shared + $0.exclusive }
        for engine in engines { engine?.loop.onEnd(action) }
    }

    /// Returns an engine for a transfer, and the seat that the transfer takes there.
    ///
    /// - Parameters:
    ///   - sharesConnections: Whether several requests may share one connection at a time if the server speaks HTTP/2.
    ///   - freedom: Whether another loop than the origin's own may have the transfer.
    func seat(for origin: String, sharesConnections: Bool, _ freedom: CurlSeat.Freedom) throws -> (CurlEngine, CurlSeat) {
        try state.withLock { state in
            let loads = state.loads(of: origin, width: sharedOrigins.width, mostKnown: Self.mostKnown)
            let freedom = loads == nil ? .none : freedom
            let distance = loads?.enter(mayMove: freedom == .full) ?? 0
            let place = (loads?.place ?? state.anyPlace(for: origin)) + distance
            do {
                let engine = try engine(at: place % configuration.loops, of: &state, sharesConnections: sharesConnections)
                return (engine, CurlSeat(loads: loads, distance: distance, freedom: freedom))
            } catch {
                loads?.leave(distance)
                throw error
            }
        }
    }

    private func engine(at place: Int, of state: inout State, sharesConnections: Bool) throws -> CurlEngine {
        if let known = sharesConnections ? state.shared[place] : state.exclusive[place] { return known }
        let origins = sharesConnections ? sharedOrigins : exclusiveOrigins
        guard let made = CurlEngine(configuration, origins, sharesConnections: sharesConnections, trust: trust, environment) else {
            throw APIError(.connect, message: "The system gave no descriptors for another connection.")
        }
        if sharesConnections { state.shared[place] = made } else { state.exclusive[place] = made }
        return made
    }

    /// Whether the server of an origin requires HTTP/1.1.
    func requiresHTTP1(_ origin: String) -> Bool { sharedOrigins.requiresHTTP1(origin) }

    func isExclusive(_ origin: String) -> Bool { sharedOrigins.isExclusive(origin) }
}

extension ProxyEnvironment {
    /// Returns the proxy for an origin. A configured proxy or a Unix socket overrides the environment.
    fileprivate func proxy(for origin: HTTPOrigin, _ configuration: CurlConfiguration) -> String {
        configuration.proxy ?? (configuration.unixSocketPath != nil ? "" : proxy(for: origin))
    }
}

extension CurlEngines.State {
    /// Returns `nil` if there is only one loop, and for origins without stored state.
    fileprivate mutating func loads(of origin: String, width: Int, mostKnown: Int) -> LoopLoads? {
        guard shared.count > 1 else { return nil }
        if let known = loads[origin] { return known }
        guard loads.count < mostKnown else { return nil }
        let made = LoopLoads(place: loads.count % shared.count, width: width)
        loads[origin] = made
        return made
    }

    fileprivate func anyPlace(for origin: String) -> Int {
        shared.count == 1 ? 0 : Int(UInt(bitPattern: origin.hashValue) % UInt(shared.count))
    }
}

/// The place of a transfer on a loop, released once, when the transfer has ended.
struct CurlSeat {
    /// The freedom of a transfer to use another loop than its origin's own.
    enum Freedom {
        case none
        /// Allowed once the origin is known not to speak HTTP/2.
        case whenKnown
        case full
    }

    let loads: LoopLoads?
    /// The distance from the origin's own loop.
    let distance: Int
    let freedom: Freedom

    func leave() { loads?.leave(distance) }
}
#endif
