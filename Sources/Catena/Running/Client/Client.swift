package import CatenaPlatform
import Dispatch

/// Executes requests with the configuration of their tags and a transport.
///
/// ``API`` calls the client ``shared``. A client of your own has the same steps and shares nothing with it, which suits tests and SDKs.
///
/// ```swift
/// let client = Client()
/// client.configure(.forum) { $0.host = "https://forum.example.com" }
/// let users = try await client.tag(.forum).get("/users").value(as: [User].self)
/// ```
///
/// A client can be configured from any thread at any time. A call that has begun keeps the configuration with which it began.
public final class Client: Sendable {
    /// The client behind ``API``. In a stub scope the client of the scope acts for it in every method, even if it was stored before.
    public static let shared = Client()

    /// The client behind ``API`` in the current task: that of the enclosing stub scope, else ``shared``.
    package static var current: Client { shared.active }

    /// The client that acts for this one. Inside a stub scope, the scope's client acts for the shared client.
    package var active: Client {
        // The comparison comes first, because every call reads this property and finding a scope costs more.
        guard self === Client.shared, let scope = PromiseScope.around else { return self }
        return scope.content as? Client ?? self
    }

    /// The transport with which the client was made.
    let ownCarrier: Carrier
    /// Whether the transport enforces time limits by the clock of the client.
    let keepsTime: Bool
    package let clock: any CallClock
    /// Returns a random number from 0 to 1.
    let random: @Sendable () -> Double
    package let diagnostics: Diagnostics
    let hostSaving = Mutex(SaveCoalescer())
    /// The states that the active calls of each tag share.
    let tagStates = TagStateStore()
    /// The active calls.
    let registry = CallRegistry()
    /// Returns the time of day, for dates sent by servers.
    package let date: @Sendable () -> Date
    /// The queue on which observers run.
    let observation = ObservationQueue(label: "catena.observation")
    /// The queues on which logs and recordings are written.
    package let logQueues = ObservationQueues()
    /// The number of call ends that observers have not received, plus background cache refreshes and batches in progress.
    let expectedEnds = Monitor(0)
    /// The paths and groups whose responses calls have made stale, for calls that began before.
    let invalidations = Monitor(InvalidationLog())
    /// The notice about the platform's transport that the first call reports.
    private let transportNotice: String?
    private let companions = Mutex<[ObjectIdentifier: any Sendable]>([:])
    private let hasReportedFallback = AtomicFlag()
    private let isShutDown = AtomicFlag()
    private let configuration: Mutex<Configuration>

    /// Creates a client with a configuration of its own.
    ///
    /// - Parameter transport: The transport that sends the requests; by default that of the platform.
    public convenience init(transport: (any Transport)? = nil) {
        let platform = PlatformTransport.chosen
        self.init(
            transport: transport ?? platform.transport, timers: SystemClock.shared,
            transportNotice: transport == nil ? platform.notice : nil)
    }

    /// - Parameter template: A client from which the configuration is copied. Its caches and cookie jars are replaced by empty ones.
    package init(
        transport: any Transport,
        timers clock: any CallClock,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        transportNotice: String? = nil,
        date: @escaping @Sendable () -> Date = { Date() },
        like template: Client? = nil
    ) {
        ownCarrier = Carrier(transport)
        keepsTime = ownCarrier.engine == .curl && clock is SystemClock
        var settings = Settings()
        settings.transportSecrets = (transport as? any SecretHolder)?.secretValues ?? []
        configuration = Mutex(template?.active.configuration.withLock { $0 }.withEmptyStores ?? Configuration(settings))
        self.transportNotice = transportNotice
        self.clock = clock
        diagnostics = Diagnostics(clock: clock, random: random)
        self.random = random
        self.date = date
        UnhandledErrorWords.areKnown
        diagnostics.hide { [weak self] in self?.configuration.withLock { $0.known } ?? [] }
    }

    /// The transport that carries the calls: for the shared client, a ``LocalTransport`` if one is required.
    var carrier: Carrier {
        LocalTransport.isRequired && self === Client.shared ? Carrier(LocalTransport(transport: ownCarrier.transport)) : ownCarrier
    }

    /// Whether transfers may wait for a place in the transport. An attempt's timeout does not include that wait.
    var hasPlaces: Bool { ownCarrier.engine == .curl }

    /// An empty request that this client executes.
    public var request: Request { Request(client: self) }

    /// The names of the tags that have been configured, sorted.
    package var configuredTags: [String] { active.configuration.withLock { $0.configuredTags }.map(\.name).sorted() }

    /// Returns the address and the headers that the calls of a tag have by default.
    package func home(of tag: Tag?) -> (address: HTTPAddress?, headers: HTTPHeaders) {
        let profile = profile(for: tag)
        return (try? profile.address?.get(), profile.headers)
    }

    /// The settings that all tags share now.
    package var snapshot: Snapshot { active.configuration.withLock { $0.shared } }

    /// Returns the profile of a tag.
    package func profile(for tag: Tag?) -> ResolvedProfile { configuration(of: tag).profile }

    /// Returns the shared settings and the profile of a tag, both of one moment.
    func configuration(of tag: Tag?) -> (shared: Snapshot, profile: ResolvedProfile) {
        let client = active
        let (shared, profile) = client.configuration.withLock { ($0.shared, $0.profile(for: tag)) }
        if let profile { return (shared, profile) }
        return client.resolve(tag, shared)
    }

    /// Resolves the profile of a tag, outside the lock, because releasing what it replaces may run user code.
    @inline(never)
    private func resolve(_ tag: Tag?, _ shared: Snapshot) -> (shared: Snapshot, profile: ResolvedProfile) {
        let (shared, layers, changes) = configuration.withLock { ($0.shared, $0.layers(tag), $0.changes) }
        let made = ResolvedProfile(layers, over: shared.defaults, hiding: shared.settings.hidden)
        guard let tag else { return (shared, made) }
        return (shared, configuration.withLock { $0.keep(made, for: tag, after: changes) })
    }

    /// Returns the object of this type that an upper layer stores with the client, created on first use.
    func companion<Companion: Sendable>(_ make: () -> Companion) -> Companion {
        let key = ObjectIdentifier(Companion.self)
        if let known = companions.withLock({ $0[key] }) as? Companion { return known }
        let made = make()
        return companions.withLock { companions in
            if let known = companions[key] as? Companion { return known }
            companions[key] = made
            return made
        }
    }
}

// MARK: Configuration

extension Client {
    /// Configures the profile of a tag, which its calls share. Values that the closure does not set stay unchanged.
    ///
    /// Calls that have begun keep the former configuration. The closure should only set values: it runs again if another thread changes
    /// the same profile at the same time.
    public func configure(_ tag: Tag, _ change: (inout Profile) -> Void) {
        update(ProfileKey(tag: tag), change)
    }

    /// Configures the defaults, which apply to all calls whose tag does not set something else.
    public func configureDefaults(_ change: (inout Profile) -> Void) {
        update(ProfileKey(), change)
    }

    /// Sets a closure that returns the params of all calls. It is called for every attempt of every call, with the call's tag.
    ///
    /// The closure is nonisolated. It may await and execute requests. An error that it throws fails the call. A second closure replaces the
    /// first.
    @_disfavoredOverload
    public func commonParams(_ source: @escaping @Sendable (Tag?) async throws -> Params) {
        install { $0.commonParams = CommonSource(.commonParams, "commonParams", .waiting(source)) }
    }

    /// Sets a closure that returns the params of all calls without awaiting, so that an awaited call can run in the task of its caller.
    public func commonParams(_ source: @escaping @Sendable (Tag?) throws -> Params) {
        install { $0.commonParams = CommonSource(.commonParams, "commonParams", .plain(source)) }
    }

    /// Sets a closure that returns the headers of all calls. It is called for every attempt of every call, with the call's tag.
    ///
    /// The closure is nonisolated. It may await and execute requests. An error that it throws fails the call. A second closure replaces the
    /// first.
    @_disfavoredOverload
    public func commonHeaders(_ source: @escaping @Sendable (Tag?) async throws -> HTTPHeaders) {
        install { $0.commonHeaders = CommonSource(.commonHeaders, "commonHeaders", .waiting(source)) }
    }

    /// Sets a closure that returns the headers of all calls without awaiting, so that an awaited call can run in the task of its caller.
    public func commonHeaders(_ source: @escaping @Sendable (Tag?) throws -> HTTPHeaders) {
        install { $0.commonHeaders = CommonSource(.commonHeaders, "commonHeaders", .plain(source)) }
    }

    /// Adds an interceptor to every call, replacing one of the same name. See ``Interceptor``.
    ///
    /// - Returns: A registration that removes the interceptor; active calls still use it. It may be ignored.
    @discardableResult
    public func intercept(
        _ name: String,
        _ position: Interceptor.Position = .after(.retry),
        with body: @escaping Interceptor.Body
    ) -> Registration {
        let interceptor = Interceptor(name, position, body).numbered()
        let client = active
        client.install { $0.interceptors.add(interceptor) }
        return Registration { [weak client] in
            client?.install { $0.interceptors.removeAll { $0.number == interceptor.number } }
        }
    }

    /// Adds a handler for the events of all calls. See ``CallEvent``.
    ///
    /// The handler runs after the event, one event at a time, on a queue that all observers of a client share. It can neither change nor
    /// delay a call, but a slow handler delays the other observers.
    ///
    /// - Returns: A registration that ends the observation, also of active calls. It may be ignored.
    @discardableResult
    public func observe(_ handler: @escaping @Sendable (CallEvent) -> Void) -> Registration {
        add(CallObserver(isImmediate: false, handler))
    }

    /// The host used if neither the call nor its tag has one.
    public var defaultHost: String? {
        get { snapshot.settings.defaults.host }
        set { configureDefaults { $0.host = newValue } }
    }

    /// The method used if a call has neither a verb nor a body.
    public var defaultMethod: HTTPMethod? {
        get { snapshot.settings.defaults.defaultMethod }
        set { configureDefaults { $0.defaultMethod = newValue } }
    }

    /// Sets a handler for events that deserve attention but fail no call. Without a handler, events are written to standard error.
    public func onDiagnostic(_ handler: @escaping @Sendable (DiagnosticEvent) -> Void) {
        active.diagnostics.setHandler(handler)
    }

    /// Sets a handler that receives the error of every failed call once, after all its attempts, and decides how the call ends.
    ///
    /// ```swift
    /// client.onError { error, request in
    ///     guard error.status == 401 else { return .proceed }
    ///     await MainActor.run { router.showSignIn() }
    ///     return .cancelSilently
    /// }
    /// ```
    ///
    /// The handler of the call's tag, ``Profile/onError``, runs first; this one receives the error that it returns. The handler is
    /// nonisolated and runs before the call ends, so that a `catch` sees the outcome. It does not receive cancelled calls and previews, nor
    /// calls that the handler itself makes. A second handler replaces the first.
    public func onError(_ handler: @escaping ErrorHandler) {
        let handler = AppErrorHandler(closure: AppClosure(.clientErrorHandler), handle: handler)
        install { $0.errorHandler = handler }
    }

    /// Has moved to ``Profile/errorMessages`` of the defaults.
    @available(*, deprecated, message: "write `configureDefaults { $0.errorMessages = { error in … } }`")
    public func errorMessages(_ text: @escaping @Sendable (APIError) -> String?) {
        configureDefaults { $0.errorMessages = text }
    }

    /// Has moved to ``Profile/errorMessages`` of the defaults.
    @available(*, deprecated, message: "write `configureDefaults { $0.errorMessages = { error in texts[error.kind] } }`")
    public func errorMessages(_ texts: [APIError.Kind: String]) {
        configureDefaults { $0.errorMessages = { texts[$0.kind] } }
    }

    /// Changes a copy of a profile outside any lock, because `change` is user code. Installs it if the profile has not changed meanwhile.
    func update(_ place: ProfileKey, _ change: (inout Profile) -> Void) {
        // A closure that configures its own profile would conflict every time, so the last of 16 attempts installs the outer change regardless.
        for remaining in (0..<16).reversed() where update(place, change, isLast: remaining == 0) { return }
    }

    private func update(_ place: ProfileKey, _ change: (inout Profile) -> Void, isLast: Bool) -> Bool {
        guard let tag = place.tag else {
            let former = snapshot.settings
            var profile = former[place.environment]
            change(&profile)
            return install { settings in
                guard isLast || settings.revisions[place.environment] == former.revisions[place.environment] else { return false }
                settings[place.environment] = profile
                return true
            }
        }
        let client = active
        var (profile, revision) = client.configuration.withLock { $0.profile(at: place) }
        change(&profile)
        let displaced = client.configuration.withLock { configuration in
            isLast || configuration.profile(at: place).revision == revision ? configuration.set(profile, at: place, of: tag) : nil
        }
        return displaced != nil
    }

    package func install(_ change: (inout Settings) -> Void) {
        _ = install { settings in
            change(&settings)
            return true
        }
    }

    /// Installs a change unless it returns `false`. It may run any number of times, and contains no user code.
    // Not inlined, because each setting of the client would have a copy.
    @inline(never)
    private func install(_ change: (inout Settings) -> Bool) -> Bool {
        let client = active
        while true {
            let former = client.snapshot
            var settings = former.settings
            guard change(&settings) else { return false }
            let changed = Snapshot(settings)
            let displaced = client.configuration.withLock { $0.shared === former ? $0.set(changed) : nil }
            if displaced != nil { return true }
        }
    }

    /// Refuses new calls. Calls that have begun finish; ``waitUntilIdle()`` waits for them.
    ///
    /// Calls that have begun may still be retried and refresh their tokens, and a batch runs to its last call. A further page and the
    /// reconnection of an event stream are new calls, and refused. So are requests that an interceptor or a common closure executes through this
    /// client.
    ///
    /// The transport is freed with the client, including its threads, connections and memory.
    public func shutdown() {
        active.isShutDown.set()
        LastingIndicators.of(active).hideAll()
    }

    /// Whether the client has been shut down.
    var hasShutDown: Bool { isShutDown.isSet }

    /// Whether the client accepts a call just listed. After a shutdown it accepts only a token refresh that other calls wait for.
    var takesCalls: Bool {
        guard isShutDown.isSet else { return true }
        return ClosureScope.isRefreshing && registry.state.withLock { $0.calls.count > 1 }
    }

    /// Reports the notices of the transport, once.
    func reportTransport(_ routing: RequestRouting?) {
        if let transportNotice, !hasReportedFallback.set() { diagnostics.report(.transportFallback, transportNotice) }
        guard let routing, routing.version != .automatic, ownCarrier.engine == .urlSession else { return }
        diagnostics.report(.transportFallback, once: .setting("httpVersion")) {
            "httpVersion = \(routing.version) has no effect: URLSession chooses the version of HTTP itself."
        }
    }
}
