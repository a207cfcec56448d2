import Dispatch
public import Foundation

/// Executes requests, with the configuration of the tags and a transport.
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
    /// The client behind ``API``. In a scope of stubs it stands for the client of the scope in each of its methods, whenever it was stored.
    public static let shared = Client()

    let transport: any Transport
    /// The transport again, if it brings whole responses.
    let collecting: (any CollectingTransport)?
    /// The transport again, if it is told of calls.
    let informedTransport: (any CallTransport)?
    /// Whether the transport keeps time by the clock of the client.
    let keepsTime: Bool
    package let clock: any CallClock
    /// Gives a number from 0 to 1.
    let random: @Sendable () -> Double
    let diagnostics: Diagnostics
    let hostSaving = Mutex(SaveCoalescer())
    /// What the calls of each tag have in common while they are under way.
    let backends = BackendStateStore()
    /// The calls under way.
    let registry = CallRegistry()
    /// The time of day, for what servers say about dates.
    package let date: @Sendable () -> Date
    /// Where observers run.
    let observation = ObservationQueue(label: "catena.observation")
    /// Where logs and recordings are written.
    let logQueues = ObservationQueues()
    /// How many ends are to come of which observers are to be notified, how many responses are renewed in the background, and how many batches
    /// are running.
    let expectedEnds = Monitor(0)
    /// The notice that the first call reports of the platform's transport.
    private let transportNotice: String?
    private let companions = Mutex<[ObjectIdentifier: any Sendable]>([:])
    private let hasReportedFallback = AtomicFlag()
    private let hasReportedVersion = AtomicFlag()
    private let isShutDown = AtomicFlag()
    private let current: Mutex<Snapshot>
    private let reportedTags = Mutex<Set<Tag>>([])
    /// Those of which it was reported that a call went elsewhere.
    private let tagsOfOtherOrigins = Mutex<Set<Tag?>>([])
    /// The tags whose responses have been reported for looking like failures.
    private let tagsOfFailureLooks = Mutex<Set<Tag?>>([])
    /// Types of which it was reported that a response has none of their keys.
    private let typesWithoutKeys = Mutex<Set<ObjectIdentifier>>([])

    /// Makes a client with a configuration of its own.
    ///
    /// - Parameter transport: What sends the requests; the transport of the platform if none is given.
    public convenience init(transport: (any Transport)? = nil) {
        let platform = PlatformTransport.chosen
        self.init(
            transport: transport ?? platform.transport, timers: SystemClock.shared,
            transportNotice: transport == nil ? platform.notice : nil)
    }

    /// - Parameter template: A client from which the configuration is copied.
    package init(
        transport: any Transport,
        timers clock: any CallClock,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        transportNotice: String? = nil,
        date: @escaping @Sendable () -> Date = { Date() },
        like template: Client? = nil
    ) {
        self.transport = transport
        collecting = transport as? any CollectingTransport
        informedTransport = transport as? any CallTransport
        keepsTime = collecting?.keepsDeadlines == true && clock is SystemClock
        current = Mutex(template?.snapshot ?? Snapshot(Settings()))
        self.transportNotice = transportNotice
        self.clock = clock
        diagnostics = Diagnostics(clock: clock, random: random)
        self.random = random
        self.date = date
        UnhandledErrorWords.areKnown
    }

    /// A request that this client will run.
    public var request: Request { Request(client: self) }

    /// The names of the tags that have been configured, sorted.
    package var configuredTags: [String] { snapshot.tagNames }

    /// Where the calls of a tag go, and what headers they have, unless they say otherwise.
    package func home(of tag: Tag?) -> (address: HTTPAddress?, headers: HTTPHeaders) {
        let profile = snapshot.profile(for: tag)
        return (try? profile.address?.get(), profile.headers)
    }

    /// The configuration of this moment.
    var snapshot: Snapshot { active.current.withLock { $0 } }

    /// What an upper floor keeps with the client, made when it is first asked for; one of each type.
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
    /// Configures the profile of a tag: what its calls have in common. What the closure does not set stays as it was.
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

    /// Sets a closure that gives the params of all calls. It is called for every attempt of every call, with the call's tag.
    ///
    /// The closure is nonisolated. It may await and execute requests; what it throws fails the call. A second closure replaces the first.
    @_disfavoredOverload
    public func commonParams(_ source: @escaping @Sendable (Tag?) async throws -> Params) {
        install { $0.commonParams = .awaited(source) }
    }

    /// Sets a closure that gives the params of all calls and awaits nothing, so that an awaited call can run in the task of its caller.
    public func commonParams(_ source: @escaping @Sendable (Tag?) throws -> Params) {
        install { $0.commonParams = .immediate(source) }
    }

    /// Sets a closure that gives the headers of all calls. It is called for every attempt of every call, with the call's tag.
    ///
    /// The closure is nonisolated. It may await and execute requests; what it throws fails the call. A second closure replaces the first.
    @_disfavoredOverload
    public func commonHeaders(_ source: @escaping @Sendable (Tag?) async throws -> HTTPHeaders) {
        install { $0.commonHeaders = .awaited(source) }
    }

    /// Sets a closure that gives the headers of all calls and awaits nothing, so that an awaited call can run in the task of its caller.
    public func commonHeaders(_ source: @escaping @Sendable (Tag?) throws -> HTTPHeaders) {
        install { $0.commonHeaders = .immediate(source) }
    }

    /// Adds an interceptor to every call, in place of one of the same name. See ``Interceptor``.
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

    /// The host of calls that have none, and whose tag has none.
    public var defaultHost: String? {
        get { snapshot.settings.defaults.host }
        set { configureDefaults { $0.host = newValue } }
    }

    /// The method of calls that have neither a verb nor a body.
    public var defaultMethod: HTTPMethod? {
        get { snapshot.settings.defaults.defaultMethod }
        set { configureDefaults { $0.defaultMethod = newValue } }
    }

    /// Sets a handler for events that deserve attention but fail no call. Without it they are written to standard error.
    public func onDiagnostic(_ handler: @escaping @Sendable (DiagnosticEvent) -> Void) {
        active.diagnostics.setHandler(handler)
    }

    /// Sets a handler that receives the error of every failed call once, after all its attempts, and decides how the call goes on.
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
    /// nonisolated and runs before the call ends, so that a `catch` sees the outcome. It does not receive cancelled calls and previews, but
    /// does receive calls that the handler itself makes. A second handler replaces the first.
    public func onError(_ handler: @escaping ErrorHandler) {
        install { $0.errorHandler = handler }
    }

    /// Sets the texts for the user of an app, `localizedDescription`; for `nil` an error keeps its own. A second closure replaces the
    /// first.
    ///
    /// ```swift
    /// client.errorMessages { error in error.status == 503 ? "Back at noon." : nil }
    /// client.errorMessages { error in error.words(in: [app.language]) }
    /// ```
    public func errorMessages(_ text: @escaping @Sendable (APIError) -> String?) {
        install { $0.errorMessages = text }
    }

    /// Sets the texts for the user of an app by the kind of the error; other errors keep their own.
    public func errorMessages(_ texts: [APIError.Kind: String]) {
        errorMessages { texts[$0.kind] }
    }

    /// Changes a profile outside any lock, since this runs user code, and puts it in place if it has not been changed meanwhile.
    func update(_ place: ProfileKey, _ change: (inout Profile) -> Void) {
        // A closure that configures the profile that it is configuring would lose every time; the outer change counts in the end.
        for remaining in (0..<16).reversed() {
            let former = snapshot.settings
            var profile = former[place]
            change(&profile)
            let isInPlace = install { settings in
                guard remaining == 0 || settings.revisions[place] == former.revisions[place] else { return false }
                settings[place] = profile
                return true
            }
            if isInPlace { return }
        }
    }

    func install(_ change: (inout Settings) -> Void) {
        _ = install { settings in
            change(&settings)
            return true
        }
    }

    /// Puts a change in place unless it says that it does not fit any more. Only code of Catena's own runs in it, any number of times.
    private func install(_ change: (inout Settings) -> Bool) -> Bool {
        let client = active
        while true {
            let former = client.snapshot
            var settings = former.settings
            guard change(&settings) else { return false }
            let changed = Snapshot(settings)
            let isInPlace = client.current.withLock { current in
                guard current === former else { return false }
                current = changed
                return true
            }
            if isInPlace { return true }
        }
    }

    /// Refuses further calls; those that were started before finish. ``waitUntilIdle()`` waits for them.
    ///
    /// They may still be retried and their tokens refreshed, and a batch goes on to its last call. A further page, the reconnection of an
    /// event stream, and what an interceptor or a common closure calls through this client are calls of their own, and refused.
    ///
    /// The transport is freed with the client, and with it its threads, connections and memory.
    public func shutdown() {
        active.isShutDown.set()
    }

    /// Whether a call is taken that has been listed just now. What refreshes a token is a part of the calls that wait for it.
    var takesCalls: Bool {
        guard isShutDown.isSet else { return true }
        return RefreshScope.isActive && registry.state.withLock { $0.calls.count > 1 }
    }

    /// Reports the notices of the transport, once.
    func reportTransport(_ routing: RequestRouting?) {
        if let transportNotice, !hasReportedFallback.set() { diagnostics.report(.transportFallback, transportNotice) }
        guard let routing, routing.version != .automatic, transport is URLSessionTransport, !hasReportedVersion.set() else { return }
        diagnostics.report(
            .transportFallback, "httpVersion = \(routing.version) has no effect: URLSession chooses the version of HTTP itself.")
    }

    /// Reports a tag that nobody configured, once. A host provider of the defaults knows tags without any configuration.
    func reportIfUnknown(_ tag: Tag, in snapshot: Snapshot) {
        guard !snapshot.isConfigured(tag), !snapshot.profile(for: tag).hasHostProvider,
            reportedTags.withLock({ $0.insert(tag).inserted })
        else { return }
        let names = snapshot.tagNames
        let known = names.isEmpty ? "no tag is" : "configured are: " + names.joined(separator: ", ")
        diagnostics.report(.unconfiguredTag, "The tag \"\(tag)\" is not configured, so the defaults apply; \(known).")
    }
}

extension Client {
    /// Reports that a call to a host of its own goes without what its tag gives, once for each tag.
    func reportOmitted(from execution: Execution) {
        guard execution.destination == .otherHost else { return }
        let omittedForOrigin = execution.omittedForOrigin
        let request = execution.request
        guard !omittedForOrigin.isEmpty, tagsOfOtherOrigins.withLock({ $0.insert(request.tag).inserted }) else { return }
        let origin = request.location.host.flatMap { try? HTTPAddress(parsing: $0) }?.origin ?? "a host of its own"
        let caller = request.tag.map { "A call with the tag \"\($0)\"" } ?? "A call"
        diagnostics.report(
            .otherOrigin,
            "\(caller) goes to \(origin), which is not its usual host, so without \(omittedForOrigin.joined(separator: ", ")); "
                + "commonParams(.query), commonHeaders(.merged) and authenticated() ask for them.")
    }
}

extension Client {
    /// Reports that a response which passes looks like a failure, once for each tag.
    func report(_ look: FailureLook, in execution: Execution) {
        let tag = execution.request.tag
        guard tagsOfFailureLooks.withLock({ $0.insert(tag).inserted }) else { return }
        let whose = tag.map { "A response to a call with the tag \"\($0)\"" } ?? "A response"
        diagnostics.report(
            .unrecognizedFailure, "\(whose) passes for a success and looks like a failure. \(look.advice). It is said once for each tag.")
    }
}

extension Client {
    /// Reports that a response has none of the keys that a type asks for, once for each type.
    func reportNoKeys(of type: Any.Type, in execution: Execution) {
        guard typesWithoutKeys.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return }
        let whose = execution.request.tag.map { "A response to a call with the tag \"\($0)\"" } ?? "A response"
        diagnostics.report(
            .noKeysFound,
            "\(whose) has none of the keys of \(type), whose members are nil therefore. Compare explain() with the type. It is said once for each type."
        )
    }
}

// MARK: Starting a sentence

extension Client {
    /// Begins a request to a backend. The other first steps are those of ``API``.
    public func tag(_ tag: Tag?) -> Request { request.tag(tag) }
    /// Begins a request to a host, without a tag.
    public func host(_ host: String) -> Request { request.host(host) }
    /// Begins a request with a path on the default host.
    public func path(_ path: Path) -> Request { request.path(path) }
    /// Begins a request with a method, on the default host.
    public func method(_ method: HTTPMethod) -> Request { request.method(method) }
    /// Starts a GET on the default host.
    public func get(_ path: Path) -> Request { request.get(path) }
    /// Starts a POST on the default host.
    public func post(_ path: Path) -> Request { request.post(path) }
    /// Starts a PUT on the default host.
    public func put(_ path: Path) -> Request { request.put(path) }
    /// Starts a PATCH on the default host.
    public func patch(_ path: Path) -> Request { request.patch(path) }
    /// Starts a DELETE on the default host.
    public func delete(_ path: Path) -> Request { request.delete(path) }
    /// Starts a HEAD on the default host.
    public func head(_ path: Path) -> Request { request.head(path) }
    /// Starts an OPTIONS on the default host.
    public func options(_ path: Path) -> Request { request.options(path) }
    /// Begins a request to a whole URL.
    public func absoluteURL(_ url: String) -> Request { request.absoluteURL(url) }
    /// Begins a request to a whole URL.
    public func absoluteURL(_ url: URL) -> Request { request.absoluteURL(url) }
}
