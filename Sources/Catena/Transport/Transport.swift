public import Foundation

/// Something that carries a prepared request to a server and brings back the response.
///
/// Everything above (redirects, retries, limits, envelope) is done by Catena in the same way over every transport, so a transport
/// only has to
/// - send the request as it is: add no credentials, follow no redirect, send it once;
/// - send the bytes of ``HTTPRequest/body`` or, if there is a ``HTTPRequest/bodySource``, what that gives, and throw what that throws;
/// - return when the final head has arrived, with the body still to come;
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

    /// Whether every transfer comes to its end by itself and in time, as from a list of canned responses. False if a transport does not say
    /// otherwise.
    ///
    /// A call over such a transport runs in the task that awaits it, and has none of its own. A limit of time that is over, or a
    /// cancellation from elsewhere, counts as soon as the transport returns; over others it ends the transfer at once.
    var keepsLimits: Bool { get }
}

extension Transport {
    public var keepsLimits: Bool { false }
}

/// The head of a response, and its body as it arrives.
public struct TransportResponse: Sendable {
    /// The status code, such as 200.
    public var status: Int
    /// All header fields.
    public var headers: HTTPHeaders
    /// The body, which may still be on its way.
    public var body: TransportBody
    /// Where the response came from.
    public var source = ResponseSource.network
    /// How long the parts of the exchange took until now, if the transport measures it.
    public var timings: CallTimings?

    /// Makes a response from its head and its body.
    ///
    /// - Parameters:
    ///   - status: The status code, such as 200.
    ///   - headers: All header fields.
    ///   - body: The body, which may still be on its way.
    public init(status: Int, headers: HTTPHeaders = [:], body: TransportBody = TransportBody(Data())) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The transport of a client that was given none: libcurl on Linux, URLSession elsewhere.
package enum PlatformTransport {
    /// The transport, and what its client reports once: what stood in the way of the platform's own, or what that does without.
    ///
    /// A statically linked program (Musl) loads no libraries: its Foundation has libcurl within, which URLSession alone reaches.
    package static let chosen: (transport: any Transport, notice: String?) = {
        #if os(Linux) && canImport(Glibc)
        if ProcessInfo.processInfo.environment["CATENA_TRANSPORT"] == "urlsession" { return (URLSessionTransport.shared, nil) }
        do throws(CurlTransport.Unavailable) {
            return (try CurlTransport(), CurlLibrary.limitation)
        } catch {
            return (URLSessionTransport.shared, "URLSession carries the requests, because \(error.description).")
        }
        #else
        return (URLSessionTransport.shared, nil)
        #endif
    }()
}

/// A transport that can bring a whole response at once.
///
/// The calling task sleeps and wakes once for each request instead of once for the head, once for the body and once more for a
/// time limit, which is much of what a small request costs.
protocol CollectingTransport: Transport {
    /// Sends a request and returns when its response is complete; throws if the body has more bytes than `limit`. Cancelling the task
    /// stops the transfer, and so do an interruption and the end of its time.
    func collect(_ request: HTTPRequest, limit: Int, interruption: TransferStopper) async throws -> HTTPResponse

    /// Whether it ends a transfer when the deadline of its interruption has come.
    var keepsDeadlines: Bool { get }
}

extension CollectingTransport {
    var keepsDeadlines: Bool { false }
}

extension Transport {
    /// The whole response, while an interruption can end it.
    @inline(never)
    func receive(_ request: HTTPRequest, limit: Int, interruption: TransferStopper) async throws -> HTTPResponse {
        guard keepsLimits else {
            return try await interruption.run { try await send(request).whole(of: request, limit: limit, notifying: interruption) }
        }
        return try await interruption.check { try await send(request).whole(of: request, limit: limit, notifying: interruption) }
    }
}

extension TransportResponse {
    /// The response with its body.
    func whole(of request: HTTPRequest, limit: Int, notifying interruption: TransferStopper) async throws -> HTTPResponse {
        interruption.silence?.noteReceived()
        let (body, fault) = try await collectBody(limit: limit, notifying: interruption)
        var response = HTTPResponse(status: status, headers: headers, body: body, address: request.address)
        response.bodyFault = fault
        response.source = source
        response.timings = timings
        return response
    }
}

extension TransportResponse {
    /// The whole body; throws if it has more bytes than `limit`. That of a redirect is not kept, and a broken one of an error status is given
    /// as far as it came, with what is wrong with it.
    func collectBody(limit: Int, notifying interruption: TransferStopper) async throws -> (body: Data, fault: APIError?) {
        if RedirectBody.belongs(toStatus: status, location: headers["Location"]) {
            _ = try? await body.collect(limit: RedirectBody.limit)
            return (Data(), nil)
        }
        let limit = ErrorBody.limit(limit, status: status)
        do {
            if (200..<300).contains(status) { return (try await body.collect(limit: limit, of: headers, notifying: interruption), nil) }
            return try await errorBody(limit: limit, notifying: interruption)
        } catch let error as APIError where error.kind == .bodyTooLarge {
            throw TransportBody.tooLarge(limit, status: status, headers: headers)
        }
    }

    private func errorBody(limit: Int, notifying interruption: TransferStopper) async throws -> (body: Data, fault: APIError?) {
        var collected = Data()
        do {
            for try await piece in body {
                interruption.silence?.noteReceived()
                guard piece.count <= limit - collected.count else { throw TransportBody.tooLarge(limit) }
                collected.append(piece)
            }
            return (collected, nil)
        } catch  where ErrorBody.isForgiven(error, status: status) {
            return (collected, APIError.wrapping(error))
        }
    }
}
