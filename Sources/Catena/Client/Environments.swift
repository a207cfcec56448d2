/// The environments of a client, such as production and tests: the current one, profiles that apply in one of them only, and hosts that
/// are overridden.
///
/// ```swift
/// API.environments.configure(.forum, in: .staging) { forum in forum.host = "https://staging.example.com/api" }
/// API.environments.remember(in: DefaultsEnvironmentStore(), among: [.production, .staging])
/// ```
public struct Environments: Sendable {
    /// The client; `nil` is the one of the moment.
    let owner: Client?

    private var client: Client { (owner ?? .shared).active }

    // MARK: Profiles

    /// Sets what the calls with a tag have in common in one environment. It goes before what ``Client/configure(_:_:)`` sets, which holds in
    /// every environment.
    public func configure(_ tag: Tag, in environment: API.Environment, _ change: (inout Profile) -> Void) {
        client.update(ProfileKey(tag: tag, environment: environment), change)
    }

    /// Sets what holds in one environment for every call whose tag does not say otherwise.
    public func configureDefaults(in environment: API.Environment, _ change: (inout Profile) -> Void) {
        client.update(ProfileKey(environment: environment), change)
    }

    // MARK: The chosen one

    /// Goes on in the environment that was last chosen, and keeps each choice that follows.
    ///
    /// A name that is stored but not among `known` is reported as a diagnostic and counts for nothing.
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

    /// Lets the calls with a tag go to another host than is configured, in every environment, until that is taken back with `nil`.
    ///
    /// ```swift
    /// API.environments.overrideHost(of: .forum, with: "http://10.0.0.7:8080/api")
    /// ```
    ///
    /// What belongs to the tag goes there too, such as its common headers and its sign-in. A call that names its host itself keeps it, and one
    /// that has begun keeps its own.
    public func overrideHost(of tag: Tag, with host: String?) {
        let client = client
        client.install { $0.hostOverrides[tag] = host }
        guard client.hostSaving.withLock({ $0.begin() }) else { return }
        repeat { client.saveHosts(after: tag) } while !client.hostSaving.withLock { $0.end() }
    }

    /// The hosts that stand in for the configured ones.
    public var hostOverrides: [Tag: String] { client.snapshot.settings.hostOverrides }

    /// Goes on with the overrides of the last run, and keeps each change that follows.
    ///
    /// Overrides that cannot be read are reported as a diagnostic and count for nothing.
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
    /// What depends on the environment. See ``Environments``.
    public static var environments: Environments { Environments(owner: nil) }
}

extension Client {
    /// What depends on the environment. See ``Environments``.
    public var environments: Environments { Environments(owner: self) }
}
