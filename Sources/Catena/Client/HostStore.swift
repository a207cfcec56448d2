import Foundation

/// Where the hosts that stand in for others are kept between two runs of an app.
public protocol HostStore: Sendable {
    /// The hosts that were saved last, by the names of their tags.
    func load() throws -> [String: String]
    /// Keeps these hosts, by the names of their tags, in place of those that were saved before.
    func save(_ hosts: [String: String]) throws
}

/// Keeps the hosts in the user's defaults.
public struct DefaultsHostStore: HostStore {
    private let key: String
    private let suite: String?

    /// Makes a store of the hosts in the user's defaults.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - suite: The name of the defaults; `nil` are the app's own.
    public init(key: String = "catena.hosts", suite: String? = nil) {
        self.key = key
        self.suite = suite
    }

    /// - Throws: An ``APIError`` of the kind `invalidRequest` if something else stands there.
    public func load() throws -> [String: String] {
        guard let stored = defaults.object(forKey: key) else { return [:] }
        guard let hosts = stored as? [String: String] else {
            throw APIError.invalid("hosts", "what stands under \"\(key)\" in the user's defaults is not a dictionary of texts")
        }
        return hosts
    }

    public func save(_ hosts: [String: String]) {
        let defaults = defaults
        if hosts.isEmpty { defaults.removeObject(forKey: key) } else { defaults.set(hosts, forKey: key) }
        // Without this nothing reaches the disk on Linux.
        _ = defaults.synchronize()
    }

    private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }
}

/// Where the chosen environment is kept between two runs of an app.
public protocol EnvironmentStore: Sendable {
    /// The name that was saved last, if any was.
    func load() throws -> String?
    /// Keeps a name in place of the one that was saved before.
    func save(_ name: String) throws
}

/// Keeps the environment in the user's defaults, where a settings bundle or a launch argument can set it too.
public struct DefaultsEnvironmentStore: EnvironmentStore {
    private let key: String
    private let suite: String?

    /// Makes a store of the environment in the user's defaults.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - suite: The name of the defaults; `nil` are the app's own.
    public init(key: String = "catena.environment", suite: String? = nil) {
        self.key = key
        self.suite = suite
    }

    public func load() -> String? { defaults.string(forKey: key) }

    public func save(_ name: String) {
        let defaults = defaults
        defaults.set(name, forKey: key)
        // Without this nothing reaches the disk on Linux.
        _ = defaults.synchronize()
    }

    private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }
}
