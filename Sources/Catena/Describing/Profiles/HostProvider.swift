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
