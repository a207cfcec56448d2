import Foundation

/// A transport that can bring a whole answer at once.
///
/// The calling task sleeps and wakes once for each request instead of once for the head, once for the body and once more for a
/// time limit, which is much of what a small request costs.
protocol CollectingTransport: Transport {
    /// Sends a request and returns when its answer is complete; throws if the body has more bytes than `limit`. Cancelling the task
    /// stops the transfer, and so does an interruption.
    func collect(_ request: HTTPRequest, limit: Int, interruption: Interruption) async throws -> HTTPResponse
}

extension Client {
    /// The whole answer, over any transport; over the client's if none is given.
    func receive(
        _ request: HTTPRequest, over transport: (any Transport)?, limit: Int, interruption: Interruption
    ) async throws -> HTTPResponse {
        interruption.silence?.begin(interruption)
        if let transport { return try await transport.receive(request, limit: limit, interruption: interruption) }
        // Only of a body that goes out in pieces is it known how far it is.
        let sent = interruption.silence == nil ? request : request.inPieces
        if let collecting { return try await collecting.collect(sent, limit: limit, interruption: interruption) }
        return try await self.transport.receive(request, limit: limit, interruption: interruption)
    }
}

extension Transport {
    fileprivate func receive(_ request: HTTPRequest, limit: Int, interruption: Interruption) async throws -> HTTPResponse {
        try await interruption.run {
            let answer = try await send(request)
            interruption.silence?.noteReceived()
            let (body, fault) = try await answer.collectBody(limit: limit, telling: interruption.silence)
            var response = HTTPResponse(status: answer.status, headers: answer.headers, body: body, address: request.address)
            response.bodyFault = fault
            response.source = answer.source
            response.timings = answer.timings
            return response
        }
    }
}

extension TransportResponse {
    /// The whole body; throws if it has more bytes than `limit`. That of a redirect is not kept, and a broken one of an error status is given
    /// as far as it came, with what is wrong with it.
    func collectBody(limit: Int, telling silence: Silence?) async throws -> (body: Data, fault: APIError?) {
        if RedirectBody.belongs(toStatus: status, location: headers["Location"]) {
            _ = try? await body.collect(limit: RedirectBody.limit)
            return (Data(), nil)
        }
        let limit = ErrorBody.limit(limit, status: status)
        do {
            if (200..<300).contains(status) { return (try await body.collect(limit: limit, telling: silence), nil) }
            return try await errorBody(limit: limit, telling: silence)
        } catch let error as APIError where error.kind == .bodyTooLarge {
            throw TransportBody.tooLarge(limit, status: status, headers: headers)
        }
    }

    private func errorBody(limit: Int, telling silence: Silence?) async throws -> (body: Data, fault: APIError?) {
        var collected = Data()
        do {
            for try await piece in body {
                silence?.noteReceived()
                guard piece.count <= limit - collected.count else { throw TransportBody.tooLarge(limit) }
                collected.append(piece)
            }
            return (collected, nil)
        } catch  where ErrorBody.isForgiven(error, status: status) {
            return (collected, APIError.wrapping(error))
        }
    }
}
