/// Sends requests to this machine, and fails all others.
package struct LocalTransport: Transport {
    private static let requirement = AtomicFlag()

    let transport: any Transport

    /// Whether the shared client uses a local transport.
    static var isRequired: Bool { requirement.isSet }

    /// Makes the shared client use a local transport until the process ends.
    package static func require() { requirement.set() }

    package func send(_ request: HTTPRequest) async throws -> TransportResponse { try await send(request, in: TransferContext()) }

    package func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        guard request.address.isOnThisMachine else {
            throw APIError(
                APIError.Kind("unstubbed"),
                message: "forbidNetwork: \(request) would leave this machine, since it does not run in the scope of stubs.activate { … }. "
                    + "Work of a detached task, of a queue or of a delegate is outside of it; pass it a Client(testing: stubs).")
        }
        return try await transport.send(request, in: context)
    }
}

extension HTTPAddress {
    /// Whether the host is this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    fileprivate var isOnThisMachine: Bool {
        place.isLoopback || host.hasSuffix(".localhost")
    }
}
