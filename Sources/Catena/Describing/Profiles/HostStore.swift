import CatenaPlatform

/// Stores host overrides between two runs of an app.
public protocol HostStore: Sendable {
    /// Returns the hosts that were saved last, by the names of their tags.
    func load() throws -> [String: String]
    /// Saves hosts by the names of their tags, replacing those saved before.
    func save(_ hosts: [String: String]) throws
}

/// Stores host overrides in the user defaults; on Linux in a file of the user's configuration folder, `$XDG_CONFIG_HOME` or `~/.config`.
public struct DefaultsHostStore: HostStore {
    private let key: String
    private let suite: String?

    /// Creates a store in the user defaults.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - suite: The name of the suite, or `nil` for the app's own defaults. On Linux the file has this name, or that of the program.
    public init(key: String = "catena.hosts", suite: String? = nil) {
        self.key = key
        self.suite = suite
    }

    /// - Throws: An ``APIError`` of the kind `invalidRequest` if the entry is not a dictionary of strings, or of the kind `file` if the
    ///   file cannot be read.
    public func load() throws -> [String: String] { try UserSettings(suite: suite).texts(for: key) ?? [:] }

    /// - Throws: On Linux an ``APIError`` of the kind `file` if the file cannot be written.
    public func save(_ hosts: [String: String]) throws {
        try UserSettings(suite: suite).set(hosts.isEmpty ? nil : hosts, for: key)
    }
}

/// Stores the selected environment between two runs of an app.
public protocol EnvironmentStore: Sendable {
    /// Returns the name that was saved last, or `nil` if none was.
    func load() throws -> String?
    /// Saves a name, replacing the one saved before.
    func save(_ name: String) throws
}

/// Stores the environment in the user defaults, where a settings bundle or a launch argument can set it too. On Linux the file of
/// ``DefaultsHostStore`` has it.
public struct DefaultsEnvironmentStore: EnvironmentStore {
    private let key: String
    private let suite: String?

    /// Creates a store in the user defaults.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - suite: The name of the suite, or `nil` for the app's own defaults. On Linux the file has this name, or that of the program.
    public init(key: String = "catena.environment", suite: String? = nil) {
        self.key = key
        self.suite = suite
    }

    /// - Throws: On Linux an ``APIError`` of the kind `file` if the file cannot be read.
    public func load() throws -> String? { try UserSettings(suite: suite).text(for: key) }

    /// - Throws: On Linux an ``APIError`` of the kind `file` if the file cannot be written.
    public func save(_ name: String) throws { try UserSettings(suite: suite).set(name, for: key) }
}
