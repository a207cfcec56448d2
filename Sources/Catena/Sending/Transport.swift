public import CatenaPlatform

/// Sends a prepared request to a server and returns the response.
///
/// Catena itself handles redirects, retries, limits and envelopes, in the same way over every transport. So a transport only has to
/// - send the request unchanged and once: add no credentials and follow no redirect;
/// - send the bytes of ``HTTPRequest/body`` or, if there is a ``HTTPRequest/bodySource``, its pieces, and rethrow its errors;
/// - return when the final head has arrived, while the body is still to come;
/// - stop at once when the calling task is cancelled;
/// - throw an ``APIError`` of the fitting kind, or any error, if there is no whole response. A body that ends early is an error.
///
/// ```swift
/// struct Canned: Transport {
///     func send(_ request: HTTPRequest) async throws -> TransportResponse {
///         TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: TransportBody(Data("{}".utf8)))
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends a request and returns when the head of its response has arrived. Cancelling the task stops the transfer.
    func send(_ request: HTTPRequest) async throws -> TransportResponse

    /// Sends a request of a call; Catena sends through this method. The default calls ``send(_:)``.
    func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse

    /// Whether every transfer ends by itself and in time, such as one that returns canned responses. The default is `false`.
    ///
    /// A call over such a transport runs in the task that awaits it and creates no task. A time limit or a cancellation takes effect when
    /// the transport returns; over other transports it ends the transfer at once.
    var keepsLimits: Bool { get }
}

extension Transport {
    public func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse { try await send(request) }
    public var keepsLimits: Bool { false }
}

/// The head of a response, and its body as it arrives.
public struct TransportResponse: Sendable {
    /// The status code, such as 200.
    public var status: Int
    /// All header fields.
    public var headers: HTTPHeaders
    /// The body, which may still be arriving.
    public var body: TransportBody
    /// The source of the response.
    public var source = ResponseSource.network
    /// The durations of the exchange so far, if the transport measures them.
    public var timings: CallTimings?
    /// The fault of the body of an error response, whose status is reported nevertheless.
    package var bodyFault: (any Error)?

    /// Makes a response from its head and its body.
    ///
    /// - Parameters:
    ///   - status: The status code, such as 200.
    ///   - headers: All header fields.
    ///   - body: The body, which may still be arriving.
    public init(status: Int, headers: HTTPHeaders = [:], body: TransportBody = TransportBody(Data())) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension TransportResponse {
    /// Returns the response with its whole body.
    func whole(of request: HTTPRequest, limit: Int, notifying stopper: TransferStopper) async throws -> HTTPResponse {
        stopper.inactivity?.noteReceived()
        return whole(try await collectBody(limit: limit, notifying: stopper), of: request)
    }

    /// Returns the response with its whole body, or `nil` if the body is not in memory.
    func inMemory(of request: HTTPRequest, limit: Int) throws -> HTTPResponse? {
        try bodyInMemory(limit: limit).map { whole($0, of: request) }
    }

    private func whole(_ collected: (body: Data, fault: (any Error)?), of request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: headers, body: collected.body, address: request.address)
        response.bodyFault = collected.fault
        response.source = source
        response.timings = timings
        return response
    }
}

extension TransportResponse {
    private var isRedirect: Bool {
        !HTTPResponse.isSuccess(status) && RedirectBody.belongs(toStatus: status, location: headers["Location"])
    }

    /// Returns the whole body if it is in memory. Throws if it has more than `limit` bytes. Discards the body of a redirect.
    private func bodyInMemory(limit: Int) throws -> (body: Data, fault: (any Error)?)? {
        let limit = ErrorBody.limit(limit, status: status)
        guard case .data(let bytes) = body.source else { return nil }
        if isRedirect { return (Data(), nil) }
        guard bytes.count <= limit else { throw TransportBody.tooLarge(limit, status: status, headers: headers) }
        return (bytes, bodyFault)
    }

    /// Returns the whole body; throws if it has more than `limit` bytes. Discards the body of a redirect. A broken body of an error status
    /// is returned as far as it arrived, together with its fault.
    // Inlined, and without waiting for bytes in memory, because each async function costs a frame and two changes of the executor.
    @inline(__always)
    func collectBody(limit: Int, notifying stopper: TransferStopper) async throws -> (body: Data, fault: (any Error)?) {
        if let collected = try bodyInMemory(limit: limit) { return collected }
        if isRedirect {
            _ = try? await body.collect(limit: RedirectBody.limit)
            return (Data(), nil)
        }
        let limit = ErrorBody.limit(limit, status: status)
        do {
            if HTTPResponse.isSuccess(status) { return (try await body.collect(limit: limit, of: headers, notifying: stopper), nil) }
            return try await errorBody(limit: limit, notifying: stopper)
        } catch let error as APIError where error.kind == .bodyTooLarge {
            throw TransportBody.tooLarge(limit, status: status, headers: headers)
        }
    }

    @inline(never)
    private func errorBody(limit: Int, notifying stopper: TransferStopper) async throws -> (body: Data, fault: (any Error)?) {
        var collected = Data()
        do {
            for try await piece in body {
                stopper.inactivity?.noteReceived()
                guard piece.count <= limit - collected.count else { throw TransportBody.tooLarge(limit) }
                collected.append(piece)
            }
            return (collected, nil)
        } catch  where ErrorBody.isForgiven(error, status: status) {
            return (collected, APIError.wrapping(error))
        }
    }
}
