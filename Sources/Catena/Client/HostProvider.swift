import Foundation

/// Says where a backend is, each time that a call to it begins.
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
/// It is asked once for each call, on no particular thread, and may wait. What it throws rejects the call: nothing is sent, and to no other
/// host either.
public protocol HostProvider: Sendable {
    /// The host, with or without a path of its own; without a scheme it is https.
    func host(for key: HostKey) async throws -> String
}

/// What a ``HostProvider`` is asked for.
public struct HostKey: Hashable, Sendable, CustomStringConvertible {
    /// The key of the call, ``RequestSteps/hostKey(_:)``, else the name of its tag, else `"default"`.
    public let name: String
    /// The tag of the call.
    public let tag: Tag?
    /// The environment of this moment.
    public let environment: API.Environment

    /// Makes a key, such as one to test a provider with.
    public init(_ name: String, tag: Tag? = nil, environment: API.Environment = .production) {
        self.name = name
        self.tag = tag
        self.environment = environment
    }

    public var description: String { "\"\(name)\" (\(environment))" }
}

/// Why there is no host.
public enum HostError: Error, Hashable, CustomStringConvertible {
    /// Nothing is known under this key.
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

    /// Makes a table from hosts by the names of their keys.
    public init(_ hosts: [String: String]) {
        self.hosts = hosts
    }

    public func host(for key: HostKey) throws -> String {
        guard let host = hosts[key.name] else { throw HostError.unknownKey(key) }
        return host
    }
}

extension HostTable: CustomStringConvertible, CustomReflectable {
    /// The names of the keys. Their hosts may have a password in front.
    public var description: String { "hosts of " + hosts.keys.sorted().joined(separator: ", ") }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestSteps {
    /// Sets the key under which the ``HostProvider`` of the tag or of the defaults looks up the host, in place of the tag's name.
    public consuming func hostKey(_ key: String) -> Self {
        request.location.host = nil
        request.location.hostKey = key
        return self
    }
}

extension Execution {
    /// Where the backend is: what the configuration says or, if that names a provider, what this said when the call began.
    var backendAddress: Result<HTTPAddress, HTTPAddress.Fault>? { asksForHost ? hostFromProvider.withLock { $0 } : profile.address }

    var asksForHost: Bool { request.location.hostKey != nil || profile.hasHostProvider }

    /// Whether a provider is to be asked, since the call has no host of its own.
    var waitsForHost: Bool { asksForHost && (request.location.host == nil || request.location.absolute != nil) }

    /// Asks the provider.
    func findHost() async throws {
        let key = HostKey(
            request.location.hostKey ?? request.tag?.name ?? "default", tag: request.tag, environment: snapshot.settings.environment)
        guard let provider = profile.hostProvider ?? profile.fallbackProvider else {
            throw APIError.invalid("hostKey", "there is no host provider to ask for the key \(key)")
        }
        let text: String
        do {
            text = try await provider.host(for: key)
        } catch {
            guard request.location.absolute != nil else { throw APIError.failure(of: "host", error) }
            // The address of such a call is its own, but nothing says that it is the backend's, whose secrets therefore stay here.
            hostFromProvider.withLock { $0 = .failure(HTTPAddress.Fault(reason: "the provider does not know it")) }
            return
        }
        let address = Profile.parse(text)?.mapError { fault in
            HTTPAddress.Fault(reason: "what the provider says for the key \(key) is not an address: \(fault.reason)")
        }
        hostFromProvider.withLock { $0 = address }
    }
}
