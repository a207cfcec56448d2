import CatenaPlatform

/// A provider of the hosts of backends, which each call asks when it begins.
///
/// ```swift
/// struct Directory: HostProvider {
///     func host(for key: HostKey) async throws -> String {
///         try await directory.address(of: key.name)        // or throws HostError.unknownKey(key)
///     }
/// }
///
/// API.configureDefaults { $0.hostProvider = Directory() }
/// ```
///
/// Each call asks once, on no particular thread; the provider may await. An error that it throws fails the call, which is not sent to any
/// host.
public protocol HostProvider: Sendable {
    /// Returns the host, with or without a path. Without a scheme it is https.
    func host(for key: HostKey) async throws -> String
}

/// The key under which a ``HostProvider`` looks up a host.
public struct HostKey: Hashable, Sendable, CustomStringConvertible {
    /// The key of the call, ``RequestSteps/host(key:)``, else the name of its tag, else `"default"`.
    public let name: String
    /// The tag of the call.
    public let tag: Tag?
    /// The environment in which the call began.
    public let environment: API.Environment

    /// Creates a key, for instance to test a provider.
    public init(_ name: String, tag: Tag? = nil, environment: API.Environment = .production) {
        self.name = name
        self.tag = tag
        self.environment = environment
    }

    public var description: String { "\"\(name)\" (\(environment))" }
}

/// The error of a provider that has no host.
public enum HostError: Error, Hashable, CustomStringConvertible {
    /// No host is known under this key.
    case unknownKey(HostKey)

    public var description: String {
        switch self {
        case .unknownKey(let key): "no host is known under the key \(key)"
        }
    }
}

/// Hosts by the name of their key.
///
/// ```swift
/// API.configureDefaults { $0.hostProvider = HostTable(["forum": "https://forum.example.com/api", "wallet": "wallet.example.com"]) }
/// API.environments.configureDefaults(in: .staging) { $0.hostProvider = HostTable(["forum": "http://10.0.0.7:8080"]) }
/// ```
public struct HostTable: HostProvider {
    private let hosts: [String: String]

    /// Creates a table from hosts by the names of their keys.
    public init(_ hosts: [String: String]) {
        self.hosts = hosts
    }

    public func host(for key: HostKey) throws -> String {
        guard let host = hosts[key.name] else { throw HostError.unknownKey(key) }
        return host
    }
}

extension HostTable: CustomStringConvertible, CustomReflectable {
    /// The names of the keys. Hosts are omitted, because they may contain a password.
    public var description: String { "hosts of " + hosts.keys.ordered(by: <).joined(separator: ", ") }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestSteps {
    /// Sets the key under which the ``HostProvider`` of the tag or of the defaults looks up the host, in place of the tag's name.
    public consuming func host(key: String) -> Self {
        request.location.host = nil
        request.location.hostKey = key
        return self
    }

    /// Has moved to ``host(key:)``.
    @available(*, unavailable, renamed: "host(key:)")
    public consuming func hostKey(_ key: String) -> Self { self }
}

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
