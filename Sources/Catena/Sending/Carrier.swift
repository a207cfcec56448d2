/// A transport of Catena's own, which ends a transfer as soon as the stopper of its context says so.
///
/// If its context has a limit, it returns the whole response with the body in memory: the calling task then suspends once. Separate waits
/// for the head, the body and a time limit would be much of the cost of a small request.
package protocol OwnTransport: Transport {
    var engine: TransportEngine { get }
}

/// The part that sends the requests of a transport of Catena's own.
package enum TransportEngine: Sendable {
    /// Stubs return their responses.
    case stubs
    /// URLSession, which chooses the version of HTTP itself.
    case urlSession
    /// libcurl, which also ends a transfer at the deadline of its stopper, and may have it wait for a place.
    case curl
}

/// A transport as calls use it. Its engine is found once, because a cast for each call would cost time.
struct Carrier: Sendable {
    let transport: any Transport
    /// The engine of the transport, or `nil` if it is that of an app.
    let engine: TransportEngine?

    init(_ transport: any Transport) {
        self.transport = transport
        engine = (transport as? any OwnTransport)?.engine
    }

    /// Whether a body in memory may be sent in pieces, so that its progress is known. A transport of an app need not support it.
    var splitsBodies: Bool { engine == .curl || engine == .urlSession }

    /// Returns the whole response; the stopper can end the transfer.
    @inline(never)
    func receive(
        _ request: HTTPRequest, limit: Int, stopper: TransferStopper, of call: (any CallInTransfer)? = nil
    ) async throws -> HTTPResponse {
        stopper.inactivity?.begin(stopper)
        if engine != nil { return try await receiveOverOwn(request, limit: limit, stopper: stopper, of: call) }
        if transport.keepsLimits { return try await receiveInTask(request, limit: limit, stopper: stopper, of: call) }
        return try await stopper.run { [transport] in
            let response = try await transport.send(request, in: TransferContext(ofApp: call, stopper: stopper))
            return try await response.whole(of: request, limit: limit, notifying: stopper)
        }
    }

    // A function for each kind of transport, because the frame of one function would have room for the responses of all.

    @inline(never)
    private func receiveOverOwn(
        _ request: HTTPRequest, limit: Int, stopper: TransferStopper, of call: (any CallInTransfer)?
    ) async throws -> HTTPResponse {
        let response = try await transport.send(request, in: TransferContext(limit: limit, stopper: stopper, of: call))
        if let whole = try response.inMemory(of: request, limit: limit) { return whole }
        return try await response.whole(of: request, limit: limit, notifying: stopper)
    }

    @inline(never)
    private func receiveInTask(
        _ request: HTTPRequest, limit: Int, stopper: TransferStopper, of call: (any CallInTransfer)?
    ) async throws -> HTTPResponse {
        let result: Result<HTTPResponse, any Error>
        do {
            let response = try await transport.send(request, in: TransferContext(ofApp: call, stopper: stopper))
            result = .success(try await response.whole(of: request, limit: limit, notifying: stopper))
        } catch {
            result = .failure(error)
        }
        return try stopper.checked(result)
    }
}
