#if os(Linux) && canImport(Glibc)
/// A loop, and how the handles that it works with are set up.
///
/// Shared and exclusive connections to one host must not be in one loop: libcurl sometimes puts a second request on an HTTP/1.1 connection
/// that is busy if it has seen the host speak HTTP/2 elsewhere.
final class CurlEngine: Sendable {
    /// In bytes. More than this in all does not fit into an HTTP/2 request of libcurl's.
    static let longestSharedHead = 60_000

    let loop: CurlLoop
    private let configuration: CurlConfiguration
    private let sharesConnections: Bool
    private let trust: CurlTrust?
    private let origins = CurlOrigins()

    /// - Parameters:
    ///   - sharesConnections: Whether several requests may be on one connection at a time (HTTP/2).
    ///   - trust: Whom to trust; `nil` leaves that to libcurl.
    init?(_ configuration: CurlConfiguration, sharesConnections: Bool, trust: CurlTrust?) {
        guard let loop = CurlLoop(configuration, of: configuration.loops) else { return nil }
        self.configuration = configuration
        self.sharesConnections = sharesConnections
        self.trust = trust
        self.loop = loop
    }

    /// A handle for one transfer.
    func handle(for request: HTTPRequest, to origin: String, isOnNewConnection: Bool = false) throws -> CurlHandle {
        try CurlHandle(
            request, to: origins[origin], configuration, sharesConnections: sharesConnections, isOnNewConnection: isOnNewConnection,
            authorities: request.address.scheme == "https" ? trust?.current : nil)
    }

    deinit {
        loop.close()
    }
}

/// The engines of a transport, and which of them has which origin. Each is made when it is needed first.
///
/// An origin stays where it is, so that there is one connection where HTTP/2 shares it, and one queue where transfers wait for their turn.
final class CurlEngines: Sendable {
    fileprivate struct State {
        /// What shares connections, by loop, and what does not.
        var shared: [CurlEngine?]
        var exclusive: [CurlEngine?]
        /// Which loop an origin has, in the order in which they came.
        var places: [String: Int] = [:]
    }

    /// How many origins are dealt out in turn; those that come later are spread by chance, so that nothing is kept of them.
    private static let mostKnown = 1_000

    private let configuration: CurlConfiguration
    private let trust: CurlTrust?
    private let state: Mutex<State>

    /// `nil` if the system gives no descriptors.
    init?(_ configuration: CurlConfiguration) {
        trust = CurlTrust(configuration)
        guard let first = CurlEngine(configuration, sharesConnections: true, trust: trust) else { return nil }
        self.configuration = configuration
        let none = [CurlEngine?](repeating: nil, count: configuration.loops - 1)
        state = Mutex(State(shared: [first] + none, exclusive: [nil] + none))
    }

    /// How many have been made.
    var count: Int {
        state.withLock { state in (state.shared + state.exclusive).count { $0 != nil } }
    }

    func onLoopEnd(_ action: @escaping @Sendable () -> Void) {
        let engines = state.withLock { $0.shared + $0.exclusive }
        for engine in engines { engine?.loop.onEnd(action) }
    }

    func engine(for origin: String, sharesConnections: Bool) throws -> CurlEngine {
        try state.withLock { state in
            let place = state.place(of: origin, mostKnown: Self.mostKnown)
            if let known = sharesConnections ? state.shared[place] : state.exclusive[place] { return known }
            guard let made = CurlEngine(configuration, sharesConnections: sharesConnections, trust: trust) else {
                throw APIError(.connect, message: "The system gave no descriptors for another connection.")
            }
            if sharesConnections { state.shared[place] = made } else { state.exclusive[place] = made }
            return made
        }
    }
}

extension CurlEngines.State {
    fileprivate mutating func place(of origin: String, mostKnown: Int) -> Int {
        if shared.count == 1 { return 0 }
        if let known = places[origin] { return known }
        guard places.count < mostKnown else { return Int(UInt(bitPattern: origin.hashValue) % UInt(shared.count)) }
        let place = places.count % shared.count
        places[origin] = place
        return place
    }
}
#endif
