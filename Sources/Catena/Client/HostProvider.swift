import Foundation

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

extension CallRun {
    /// The address of the backend: the configured one or, with a provider, the one that it returned when the call began.
    var backendAddress: Result<HTTPAddress, HTTPAddress.Fault>? {
        if asksForHost { return hostFromProvider.withLock { $0 } }
        return isWithinClosure && isWithinProvider ? profile.addressBesideProvider : profile.address
    }

    var asksForHost: Bool { (request.location.hostKey != nil || profile.hasHostProvider) && !isWithinProvider }

    private var hostProvider: (any HostProvider)? { profile.hostProvider ?? profile.fallbackProvider }

    /// Whether the call began in the provider that it would ask.
    private var isWithinProvider: Bool {
        guard isWithinClosure, let hostProvider else { return false }
        return isWithin(.host(ObjectIdentifier(type(of: hostProvider))))
    }

    /// Whether the call has to ask a provider, because it has no host or has an absolute URL to compare with the host.
    var waitsForHost: Bool { asksForHost && (request.location.host == nil || request.location.absolute != nil) }

    /// Asks the provider for the host.
    ///
    /// - Returns: The time that it has taken, which is part of the first attempt.
    func findHost() async throws -> Duration {
        let key = HostKey(
            request.location.hostKey ?? request.tag?.name ?? "default", tag: request.tag, environment: snapshot.settings.environment)
        guard let provider = hostProvider else {
            throw APIError.invalid("hostKey", "there is no host provider to ask for the key \(key)")
        }
        var time = Duration.zero
        let text: String
        do {
            text = try await wait(for: "the host provider", adding: &time) { [self] in
                try await run(.host(ObjectIdentifier(type(of: provider)))) { try await provider.host(for: key) }
            }
        } catch {
            if stopper.isStopped { throw CancellationError() }
            guard request.location.absolute != nil else { throw APIError.failure(of: "host", error) }
            // A call with an absolute URL can be sent without the host. Its URL is then foreign, so that the backend's secrets are not sent.
            hostFromProvider.withLock { $0 = .failure(HTTPAddress.Fault(reason: "the provider does not know it")) }
            return time
        }
        let address = Profile.parse(text)?.mapError { fault in
            HTTPAddress.Fault(reason: "what the provider says for the key \(key) is not an address: \(fault.reason)")
        }
        hostFromProvider.withLock { $0 = address }
        return time
    }
}
