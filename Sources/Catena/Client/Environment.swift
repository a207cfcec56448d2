/// Where a call begins: the shared client, in short.
///
/// ```swift
/// API.tag(.forum).get("/users").execute(as: [User].self)
///     .then { users in self.show(users) }
///     .catch { error in self.alert(error.message) }
/// ```
public enum API {}

extension API {
    /// A set of servers that an app can work with, such as those for tests. More can be named:
    ///
    /// ```swift
    /// extension API.Environment {
    ///     static let canary: Self = "canary"
    /// }
    /// ```
    public struct Environment: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        public let name: String

        public init(_ name: String) {
            self.name = name
        }

        public init(stringLiteral name: String) {
            self.name = name
        }

        public var description: String { name }

        public static let production: Self = "production"
        public static let staging: Self = "staging"
        public static let development: Self = "development"
    }

    /// The servers that calls go to from now on. See ``Client/environment``.
    public static var environment: Environment {
        get { Client.current.environment }
        set { Client.current.environment = newValue }
    }

    /// Sets what the calls with a tag have in common in one environment. See ``Client/configure(_:in:_:)``.
    public static func configure(_ tag: Tag, in environment: Environment, _ change: (inout Profile) -> Void) {
        Client.current.configure(tag, in: environment, change)
    }

    /// Sets what holds in one environment for every call whose tag does not say otherwise.
    public static func configureDefaults(in environment: Environment, _ change: (inout Profile) -> Void) {
        Client.current.configureDefaults(in: environment, change)
    }

    /// Goes on in the environment that was last chosen, and keeps each choice. See ``Client/rememberEnvironment(in:among:)``.
    public static func rememberEnvironment(in store: any EnvironmentStore, among known: [Environment]) {
        Client.current.rememberEnvironment(in: store, among: known)
    }
}

extension Client {
    /// The servers that calls go to from now on; a call that has begun keeps to its own. `.production` unless it is set.
    public var environment: API.Environment {
        get { snapshot.settings.environment }
        set {
            install { $0.environment = newValue }
            guard let store = snapshot.settings.environmentStore else { return }
            do {
                try store.save(newValue.name)
            } catch {
                diagnostics.report(.environment, "The environment \"\(newValue)\" could not be stored: \(APIError.wrapping(error).message)")
            }
        }
    }

    /// Sets what the calls with a tag have in common in one environment. It goes before what ``configure(_:_:)`` sets, which holds in
    /// every environment.
    public func configure(_ tag: Tag, in environment: API.Environment, _ change: (inout Profile) -> Void) {
        update(ProfileKey(tag: tag, environment: environment), change)
    }

    /// Sets what holds in one environment for every call whose tag does not say otherwise.
    public func configureDefaults(in environment: API.Environment, _ change: (inout Profile) -> Void) {
        update(ProfileKey(environment: environment), change)
    }

    /// Goes on in the environment that was last chosen, and keeps each choice that follows.
    ///
    /// A name that is stored but not among `known` is reported as a diagnostic and counts for nothing.
    public func rememberEnvironment(in store: any EnvironmentStore, among known: [API.Environment]) {
        var former: API.Environment?
        do {
            former = try store.load().map { API.Environment($0) }
        } catch {
            diagnostics.report(.environment, "The stored environment could not be read: \(APIError.wrapping(error).message)")
        }
        if let name = former, !known.contains(name) {
            let names = known.map(\.name).joined(separator: ", ")
            diagnostics.report(.environment, "The stored environment \"\(name)\" is unknown; known are: \(names).")
            former = nil
        }
        install { settings in
            settings.environmentStore = store
            if let former { settings.environment = former }
        }
    }
}
