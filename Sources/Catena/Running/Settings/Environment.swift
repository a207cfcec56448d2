extension API {
    /// Has moved to ``Environments/current``.
    @available(*, deprecated, message: "write `API.environments.current`")
    public static var environment: Environment {
        get { environments.current }
        set { environments.current = newValue }
    }
}

extension Client {
    /// Has moved to ``Environments/current``.
    @available(*, deprecated, message: "write `environments.current`")
    public var environment: API.Environment {
        get { environments.current }
        set { environments.current = newValue }
    }
}

/// The environments of a client, such as production and staging: the current one, profiles that apply in one environment only, and host
/// overrides.
///
/// ```swift
/// API.environments.configure(.forum, in: .staging) { forum in forum.host = "https://staging.example.com/api" }
/// API.environments.remember(in: DefaultsEnvironmentStore(), among: [.production, .staging])
/// ```
public struct Environments: Sendable {
    /// The client, or `nil` for the current one.
    let owner: Client?

    private var client: Client { (owner ?? .shared).active }

    // MARK: Profiles

    /// Configures the profile of a tag in one environment. Its values take precedence over those of ``Client/configure(_:_:)``, which apply
    /// in every environment.
    public func configure(_ tag: Tag, in environment: API.Environment, _ change: (inout Profile) -> Void) {
        client.update(ProfileKey(tag: tag, environment: environment), change)
    }

    /// Configures the defaults of one environment, which apply to all calls whose tag does not set something else.
    public func configureDefaults(in environment: API.Environment, _ change: (inout Profile) -> Void) {
        client.update(ProfileKey(environment: environment), change)
    }

    // MARK: The selected environment

    /// The environment whose servers new calls use; active calls keep theirs. `.production` by default.
    ///
    /// ```swift
    /// API.environments.current = .staging
    /// ```
    public var current: API.Environment {
        get { client.snapshot.settings.environment }
        nonmutating set {
            let client = client
            client.install { $0.environment = newValue }
            guard let store = client.snapshot.settings.environmentStore else { return }
            do {
                try store.save(newValue.name)
            } catch {
                client.diagnostics.report(
                    .environment, "The environment \"\(newValue)\" could not be stored: \(APIError.wrapping(error).message)")
            }
        }
    }

    /// Restores the last selected environment from the store and saves every later selection.
    ///
    /// A stored name that is not among `known` is ignored and reported as a diagnostic.
    public func remember(in store: any EnvironmentStore, among known: [API.Environment]) {
        let client = client
        var former: API.Environment?
        do {
            former = try store.load().map { API.Environment($0) }
        } catch {
            client.diagnostics.report(.environment, "The stored environment could not be read: \(APIError.wrapping(error).message)")
        }
        if let name = former, !known.contains(name) {
            let names = known.map(\.name).joined(separator: ", ")
            client.diagnostics.report(.environment, "The stored environment \"\(name)\" is unknown; known are: \(names).")
            former = nil
        }
        client.install { settings in
            settings.environmentStore = store
            if let former { settings.environment = former }
        }
    }

    // MARK: Hosts

    /// Sends the calls of a tag to another host than the configured one, in every environment. `nil` removes the override.
    ///
    /// ```swift
    /// API.environments.overrideHost(of: .forum, with: "http://10.0.0.7:8080/api")
    /// ```
    ///
    /// The common headers and the credentials of the tag are sent there too. A call that sets a host itself keeps it, and so does an active
    /// call.
    public func overrideHost(of tag: Tag, with host: String?) {
        let client = client
        client.install { $0.hostOverrides[tag] = host }
        guard client.hostSaving.withLock({ $0.begin() }) else { return }
        repeat { client.saveHosts(after: tag) } while !client.hostSaving.withLock { $0.end() }
    }

    /// The hosts that override the configured ones.
    public var hostOverrides: [Tag: String] { client.snapshot.settings.hostOverrides }

    /// Restores the overrides from the store and saves every later change. Overrides that are already set take precedence.
    ///
    /// Overrides that cannot be read are ignored and reported as a diagnostic.
    public func rememberHostOverrides(in store: any HostStore) {
        let client = client
        var former: [Tag: String] = [:]
        do {
            for (name, host) in try store.load() { former[Tag(name)] = host }
        } catch {
            client.diagnostics.report(.environment, "The stored hosts could not be read: \(APIError.wrapping(error).message)")
        }
        client.install { settings in
            settings.hostStore = store
            settings.hostOverrides.merge(former) { now, _ in now }
        }
    }
}

extension API {
    /// The settings that depend on the environment. See ``Environments``.
    public static var environments: Environments { Environments(owner: nil) }
}

extension Client {
    /// The settings that depend on the environment. See ``Environments``.
    public var environments: Environments { Environments(owner: self) }
}

extension Client {
    func saveHosts(after tag: Tag) {
        let settings = snapshot.settings
        guard let store = settings.hostStore else { return }
        do {
            try store.save(Dictionary(settings.hostOverrides.map { ($0.name, $1) }) { first, _ in first })
        } catch {
            diagnostics.report(.environment, "The host of \"\(tag)\" could not be stored: \(APIError.wrapping(error).message)")
        }
    }
}

/// Coalesces saves from several threads. One thread saves, and saves again if a value has changed meanwhile, so that the last value saved
/// is the last value set.
struct SaveCoalescer {
    private var isSaving = false
    private var isOutdated = false

    /// Returns whether the caller has to save. If not, another thread is saving and will include the change.
    mutating func begin() -> Bool {
        defer { (isSaving, isOutdated) = (true, isSaving) }
        return !isSaving
    }

    /// Returns whether nothing has changed meanwhile. If something has, the caller has to save again.
    mutating func end() -> Bool {
        defer { (isSaving, isOutdated) = (isOutdated, false) }
        return !isOutdated
    }
}
