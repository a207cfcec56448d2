import Foundation

/// Stores host overrides between two runs of an app.
public protocol HostStore: Sendable {
    /// Returns the hosts that were saved last, by the names of their tags.
    func load() throws -> [String: String]
    /// Saves hosts by the names of their tags, replacing those saved before.
    func save(_ hosts: [String: String]) throws
}

/// Stores host overrides in the user defaults.
public struct DefaultsHostStore: HostStore {
    private let key: String
    private let suite: String?

    /// Creates a store in the user defaults.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - suite: The name of the suite, or `nil` for the app's own defaults.
    public init(key: String = "catena.hosts", suite: String? = nil) {
        self.key = key
        self.suite = suite
    }

    /// - Throws: An ``APIError`` of the kind `invalidRequest` if the entry is not a dictionary of strings.
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
        // Without this call, nothing reaches the disk on Linux.
        _ = defaults.synchronize()
    }

    private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }
}

/// Stores the selected environment between two runs of an app.
public protocol EnvironmentStore: Sendable {
    /// Returns the name that was saved last, or `nil` if none was.
    func load() throws -> String?
    /// Saves a name, replacing the one saved before.
    func save(_ name: String) throws
}

/// Stores the environment in the user defaults, where a settings bundle or a launch argument can set it too.
public struct DefaultsEnvironmentStore: EnvironmentStore {
    private let key: String
    private let suite: String?

    /// Creates a store in the user defaults.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - suite: The name of the suite, or `nil` for the app's own defaults.
    public init(key: String = "catena.environment", suite: String? = nil) {
        self.key = key
        self.suite = suite
    }

    public func load() -> String? { defaults.string(forKey: key) }

    public func save(_ name: String) {
        let defaults = defaults
        defaults.set(name, forKey: key)
        // Without this call, nothing reaches the disk on Linux.
        _ = defaults.synchronize()
    }

    private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }
}
