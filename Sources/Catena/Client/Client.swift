import Dispatch
public import Foundation

/// Runs requests: it holds the configuration of the tags and the transport.
///
/// ``API`` is a facade over ``shared``. A client of your own has the same vocabulary and shares nothing with it, which suits tests
/// and SDKs.
///
/// ```swift
/// let client = Client()
/// client.configure(.forum) { $0.host = "https://forum.example.com" }
/// let users = try await client.tag(.forum).get("/users").value(as: [User].self)
/// ```
///
/// Configuring is safe from any thread at any time; a call that has begun keeps the configuration that it began with.
public final class Client: Sendable {
    /// The client behind ``API``.
    public static let shared = Client()

    /// The client for what begins with ``API`` here: a test's, inside the scope of its stubs, else ``shared``.
    package static var current: Client { PromiseScope.around?.content as? Client ?? .shared }

    let transport: any Transport
    /// The transport again, if it brings whole responses.
    let collecting: (any CollectingTransport)?
    /// The transport again, if it is told of calls.
    let callTransport: (any CallTransport)?
    /// Whether the transport keeps time by the clock of the client.
    let keepsTime: Bool
    package let clock: any CallClock
    /// Gives a number from 0 to 1.
    let random: @Sendable () -> Double
    let diagnostics = Diagnostics()
    let hostSaving = Mutex(SaveCoalescer())
    /// What the calls of each tag have in common while they are under way.
    let backends = BackendStateStore()
    /// The calls under way.
    let registry = CallRegistry()
    /// The time of day, for what servers say about dates.
    package let date: @Sendable () -> Date
    /// Where observers run.
    let observation = ObservationQueue(label: "catena.observation")
    /// Why the platform's own transport is not in use, to be told with the first call.
    private let fallbackReason: String?
    private let companions = Mutex<[ObjectIdentifier: any Sendable]>([:])
    private let hasReportedFallback = AtomicFlag()
    private let isShutDown = AtomicFlag()
    private let current: Mutex<Snapshot>
    private let reportedTags = Mutex<Set<Tag>>([])
    /// Those of which it was reported that a call went elsewhere.
    private let tagsOfOtherOrigins = Mutex<Set<Tag?>>([])
    /// The tags whose responses have been reported for looking like failures.
    private let tagsOfFailureLooks = Mutex<Set<Tag?>>([])

    /// A client of its own.
    ///
    /// - Parameter transport: What carries the requests; the platform's own if it is not given.
    public convenience init(transport: (any Transport)? = nil) {
        let platform = PlatformTransport.chosen
        self.init(
            transport: transport ?? platform.transport, timers: SystemClock.shared,
            fallbackReason: transport == nil ? platform.fallbackReason : nil)
    }

    /// - Parameter template: A client from which the configuration is copied.
    package init(
        transport: any Transport,
        timers clock: any CallClock,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        fallbackReason: String? = nil,
        date: @escaping @Sendable () -> Date = { Date() },
        like template: Client? = nil
    ) {
        self.transport = transport
        collecting = transport as? any CollectingTransport
        callTransport = transport as? any CallTransport
        keepsTime = collecting?.keepsDeadlines == true && clock is SystemClock
        current = Mutex(template?.snapshot ?? Snapshot(Settings()))
        self.fallbackReason = fallbackReason
        self.clock = clock
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
    var snapshot: Snapshot { current.withLock { $0 } }

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
    /// Sets what the calls with a tag have in common. What the closure leaves alone stays as it was.
    ///
    /// The closure should only set values: it runs again if somebody else changes the same profile meanwhile.
    public func configure(_ tag: Tag, _ change: (inout Profile) -> Void) {
        update(ProfileKey(tag: tag), change)
    }

    /// Sets what holds for every call whose tag does not say otherwise.
    public func configureDefaults(_ change: (inout Profile) -> Void) {
        update(ProfileKey(), change)
    }

    /// Says which params all calls have. The closure is asked for every attempt of every call, with the call's tag.
    ///
    /// It runs on no particular thread, may await, may execute requests, and rejects the call by throwing. A second closure
    /// replaces the first.
    @_disfavoredOverload
    public func commonParams(_ source: @escaping @Sendable (Tag?) async throws -> Params) {
        install { $0.commonParams = .awaited(source) }
    }

    /// Says which params all calls have, by a closure that awaits nothing, so that an awaited call can run in the task of its caller.
    public func commonParams(_ source: @escaping @Sendable (Tag?) throws -> Params) {
        install { $0.commonParams = .immediate(source) }
    }

    /// Says which headers all calls have. The closure is asked for every attempt of every call, with the call's tag.
    ///
    /// It runs on no particular thread, may await, may execute requests, and rejects the call by throwing. A second closure
    /// replaces the first.
    @_disfavoredOverload
    public func commonHeaders(_ source: @escaping @Sendable (Tag?) async throws -> HTTPHeaders) {
        install { $0.commonHeaders = .awaited(source) }
    }

    /// Says which headers all calls have, by a closure that awaits nothing, so that an awaited call can run in the task of its caller.
    public func commonHeaders(_ source: @escaping @Sendable (Tag?) throws -> HTTPHeaders) {
        install { $0.commonHeaders = .immediate(source) }
    }

    /// Puts code on the way of every call, in place of any of the same name. See ``Interceptor``.
    ///
    /// - Returns: Takes it off the way again; calls under way go on with it. Discardable, as one for good needs no end.
    @discardableResult
    public func intercept(
        _ name: String,
        _ position: Interceptor.Position = .after(.retry),
        with body: @escaping Interceptor.Body
    ) -> Registration {
        let interceptor = Interceptor(name, position, body).numbered()
        install { $0.interceptors.add(interceptor) }
        return Registration { [weak self] in
            self?.install { $0.interceptors.removeAll { $0.number == interceptor.number } }
        }
    }

    /// Reports every point in the life of every call. See ``CallEvent``.
    ///
    /// The handler runs after the fact, one event at a time, on a queue that all observers of a client share: it can neither change a call nor
    /// delay it, but a slow one delays the other observers.
    ///
    /// - Returns: Ends it: from then on the handler is not called any more, for calls under way either; where it is running it finishes.
    ///   Discardable, as an observer for good needs no end.
    @discardableResult
    public func observe(_ handler: @escaping @Sendable (CallEvent) -> Void) -> Registration {
        add(CallObserver(isImmediate: false, handler))
    }

    /// The host of calls whose tag has none.
    public var defaultHost: String? {
        get { snapshot.settings.defaults.host }
        set { configureDefaults { $0.host = newValue } }
    }

    /// The method of calls that have neither a verb nor a body.
    public var defaultMethod: HTTPMethod? {
        get { snapshot.settings.defaults.defaultMethod }
        set { configureDefaults { $0.defaultMethod = newValue } }
    }

    /// Is told of what deserves attention but fails no call. Without a handler such events go to standard error.
    public func onDiagnostic(_ handler: @escaping @Sendable (DiagnosticEvent) -> Void) {
        diagnostics.setHandler(handler)
    }

    /// Is told of every failed call once, after all its attempts, and says how it goes on.
    ///
    /// ```swift
    /// client.onError { error, request in
    ///     guard error.status == 401 else { return .proceed }
    ///     await MainActor.run { router.showSignIn() }
    ///     return .cancelSilently
    /// }
    /// ```
    ///
    /// The handler of the call's tag, ``Profile/onError``, comes first; this one then sees what it made of the error. It runs on no
    /// particular thread and before the call ends, so that a `catch` sees the outcome. Cancelled calls and previews do not come
    /// here. A call that the handler itself makes does, if it fails. A second handler replaces the first.
    public func onError(_ handler: @escaping ErrorHandler) {
        install { $0.errorHandler = handler }
    }

    /// Gives the texts for an app's user, `localizedDescription`; nil leaves an error its own. A second closure replaces the first.
    ///
    /// ```swift
    /// client.errorMessages { error in error.status == 503 ? "Back at noon." : nil }
    /// client.errorMessages { error in error.words(in: [app.language]) }
    /// ```
    public func errorMessages(_ text: @escaping @Sendable (APIError) -> String?) {
        install { $0.errorMessages = text }
    }

    /// Gives the texts for an app's user by the kind of the error; the others keep their own.
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
        while true {
            let former = snapshot
            var settings = former.settings
            guard change(&settings) else { return false }
            let changed = Snapshot(settings)
            let isInPlace = current.withLock { current in
                guard current === former else { return false }
                current = changed
                return true
            }
            if isInPlace { return true }
        }
    }

    /// Refuses calls from now on; those under way finish.
    ///
    /// The transport goes with the client: dropping both gives thread, connections and memory back.
    public func shutdown() {
        isShutDown.set()
    }

    func checkOpen() throws {
        guard !isShutDown.isSet else {
            throw APIError.invalid("client", "it has been shut down")
        }
    }

    /// Reports that another transport has taken the place of the platform's own, once.
    func reportFallback() {
        guard let fallbackReason, !hasReportedFallback.set() else { return }
        diagnostics.report(.transportFallback, "URLSession carries the requests, because \(fallbackReason).")
    }

    /// Reports a tag that nobody configured, once.
    func reportIfUnknown(_ tag: Tag, in snapshot: Snapshot) {
        guard !snapshot.isConfigured(tag), reportedTags.withLock({ $0.insert(tag).inserted }) else { return }
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

// MARK: Starting a sentence

extension Client {
    /// Starts a call to a subsystem. The other starting words are those of ``API``.
    public func tag(_ tag: Tag?) -> Request { request.tag(tag) }
    /// Starts a call to a host.
    public func host(_ host: String) -> Request { request.host(host) }
    /// Starts a call with a path on the default host.
    public func path(_ path: String) -> Request { request.path(path) }
    /// Starts a call with a method.
    public func method(_ method: HTTPMethod) -> Request { request.method(method) }
    /// Starts a GET on the default host.
    public func get(_ path: String) -> Request { request.get(path) }
    /// Starts a POST on the default host.
    public func post(_ path: String) -> Request { request.post(path) }
    /// Starts a PUT on the default host.
    public func put(_ path: String) -> Request { request.put(path) }
    /// Starts a PATCH on the default host.
    public func patch(_ path: String) -> Request { request.patch(path) }
    /// Starts a DELETE on the default host.
    public func delete(_ path: String) -> Request { request.delete(path) }
    /// Starts a HEAD on the default host.
    public func head(_ path: String) -> Request { request.head(path) }
    /// Starts an OPTIONS on the default host.
    public func options(_ path: String) -> Request { request.options(path) }
    /// Starts a call to a whole address.
    public func absoluteURL(_ url: String) -> Request { request.absoluteURL(url) }
    /// Starts a call to a whole address.
    public func absoluteURL(_ url: URL) -> Request { request.absoluteURL(url) }
}
