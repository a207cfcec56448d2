extension Client {
    /// The client for what begins with ``API`` here: a test's, inside the scope of its stubs, else ``shared``.
    package static var current: Client { shared.active }

    /// The client that acts where this one is asked: inside the scope of stubs, the shared client stands for that of the scope.
    package var active: Client {
        // The comparison comes first, because each call asks and finding a scope costs more.
        guard self === Client.shared, let scope = PromiseScope.around else { return self }
        return scope.content as? Client ?? self
    }

    /// The transport, if it knows of calls. For the shared client it is one that keeps calls on this machine, once that is required.
    var callTransport: (any CallTransport)? {
        guard LocalTransport.isRequired, self === Client.shared else { return informedTransport }
        return LocalTransport(transport: transport)
    }
}

/// Sends what stays on this machine, and fails everything else.
package struct LocalTransport: CallTransport {
    private static let requirement = AtomicFlag()

    let transport: any Transport

    /// Whether the shared client sends over it.
    static var isRequired: Bool { requirement.isSet }

    /// Makes the shared client send over it, until the process ends.
    package static func require() { requirement.set() }

    package func send(_ request: HTTPRequest) async throws -> TransportResponse {
        guard request.address.isOnThisMachine else {
            throw APIError(
                APIError.Kind("unstubbed"),
                message: "forbidNetwork: \(request) would leave this machine, since it does not run in the scope of stubs.activate { … }. "
                    + "Work of a detached task, of a queue or of a delegate is outside of it; pass it a Client(testing: stubs).")
        }
        return try await transport.send(request)
    }

    package func send(_ request: HTTPRequest, of call: CallContext) async throws -> TransportResponse { try await send(request) }
}

extension HTTPAddress {
    /// Whether the host is this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    fileprivate var isOnThisMachine: Bool {
        place.isLoopback || host.hasSuffix(".localhost")
    }
}
