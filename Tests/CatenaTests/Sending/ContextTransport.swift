import Catena

/// Sends with a closure that receives the context of the call, too.
struct ContextTransport: Transport {
    let respond: @Sendable (HTTPRequest, TransferContext) async throws -> TransportResponse

    func send(_ request: HTTPRequest) async throws -> TransportResponse { try await send(request, in: TransferContext()) }

    func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        try await respond(request, context)
    }
}
