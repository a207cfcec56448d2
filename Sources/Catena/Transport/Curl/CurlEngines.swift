#if os(Linux) && canImport(Glibc)
/// A loop, and what the handles that it works with are set up with.
///
/// Shared and exclusive connections to one host must not be in one loop: libcurl sometimes puts a second request on an HTTP/1.1 connection
/// that is busy if it has seen the host speak HTTP/2 elsewhere.
final class CurlEngine: Sendable {
    /// In bytes. More than this in all does not fit into an HTTP/2 request of libcurl's.
    static let longestSharedHead = 60_000

    let loop: CurlLoop
    let configuration: CurlConfiguration
    /// As libcurl takes it: in whole seconds, and asked for by each handle.
    let idleConnectionAge: Int
    /// Whether several requests may be on one connection at a time (HTTP/2).
    let sharesConnections: Bool
    /// Whom to trust; `nil` leaves that to libcurl.
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

    /// The proxy for an origin; "" if it is reached without one.
    func proxy(for origin: HTTPOrigin) -> String { environment.proxy(for: origin, configuration) }
}

/// The engines of a transport, and which of them has which origin. Each is made when it is needed first.
///
/// An origin stays where it is, so that there is one connection where HTTP/2 shares it. Of one whose transfers need a connection each anyway,
/// other loops take what would keep one too busy.
final class CurlEngines: Sendable {
    fileprivate struct State {
        /// What shares connections, by loop, and what does not.
        var shared: [CurlEngine?]
        var exclusive: [CurlEngine?]
        /// The loops of the origins, dealt out in the order in which they came.
        var loads: [String: LoopLoads] = [:]
    }

    /// How many origins are dealt out in turn; those that come later are spread by chance, so that nothing is kept of them.
    private static let mostKnown = 1_000

    let configuration: CurlConfiguration
    private let trust: CurlTrust?
    private let sharedOrigins: CurlOriginTable
    private let exclusiveOrigins: CurlOriginTable
    private let state: Mutex<State>
    private let environment = ProxyEnvironment()

    /// `nil` if the system gives no descriptors.
    init?(_ configuration: CurlConfiguration) {
        trust = CurlTrust(configuration)
        sharedOrigins = CurlOriginTable(configuration)
        exclusiveOrigins = CurlOriginTable(configuration)
        guard let first = CurlEngine(configuration, sharedOrigins, sharesConnections: true, trust: trust, environment) else { return nil }
        self.configuration = configuration
        let none = [CurlEngine?](repeating: nil, count: configuration.loops - 1)
        state = Mutex(State(shared: [first] + none, exclusive: [nil] + none))
    }

    /// The proxy for an origin; "" if it is reached without one.
    func proxy(for origin: HTTPOrigin) -> String { environment.proxy(for: origin, configuration) }

    /// How many have been made.
    var count: Int {
        state.withLock { state in (state.shared + state.exclusive).count { $0 != nil } }
    }

    func onLoopEnd(_ action: @escaping @Sendable () -> Void) {
        let engines = state.withLock { $0.shared + $0.exclusive }
        for engine in engines { engine?.loop.onEnd(action) }
    }

    /// An engine for a transfer, and the seat that it takes there.
    ///
    /// - Parameters:
    ///   - sharesConnections: Whether several requests may be on one connection at a time, if the server speaks HTTP/2.
    ///   - freedom: Whether another loop than the origin's own may have it.
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

    /// Whether transfers to the origin over TLS are known to need a connection each.
    func requiresHTTP1(_ origin: String) -> Bool { sharedOrigins.requiresHTTP1(origin) }

    func isExclusive(_ origin: String) -> Bool { sharedOrigins.isExclusive(origin) }
}

extension ProxyEnvironment {
    /// The proxy for an origin. The environment has no say where a proxy was given, and none where a socket is.
    fileprivate func proxy(for origin: HTTPOrigin, _ configuration: CurlConfiguration) -> String {
        configuration.proxy ?? (configuration.unixSocketPath != nil ? "" : proxy(for: origin))
    }
}

extension CurlEngines.State {
    /// `nil` where there is one loop, and for origins that nothing is kept of.
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

/// Where a transfer is: given back once, when it is over.
struct CurlSeat {
    /// Whether another loop than its origin's own could have it.
    enum Freedom {
        case none
        /// Once it is known that the origin does not speak HTTP/2.
        case whenKnown
        case full
    }

    let loads: LoopLoads?
    /// How far from its origin's own loop it is.
    let distance: Int
    let freedom: Freedom

    func leave() { loads?.leave(distance) }
}
#endif
