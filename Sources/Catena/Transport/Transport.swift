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
    public var status: Int
    public var headers: HTTPHeaders
    public var body: TransportBody
    /// Where the response came from.
    public var source = ResponseSource.network
    /// How long the parts of the exchange took until now, where the transport tells.
    public var timings: CallTimings?

    public init(status: Int, headers: HTTPHeaders = [:], body: TransportBody = TransportBody(Data())) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The transport of a client that was given none: libcurl on Linux, URLSession elsewhere.
package enum PlatformTransport {
    /// The transport, and what stood in the way of the platform's own if it is not that.
    package static let chosen: (transport: any Transport, fallbackReason: String?) = {
        #if os(Linux)
        if ProcessInfo.processInfo.environment["CATENA_TRANSPORT"] == "urlsession" { return (URLSessionTransport.shared, nil) }
        do throws(CurlTransport.Unavailable) {
            return (try CurlTransport(), nil)
        } catch {
            return (URLSessionTransport.shared, error.description)
        }
        #else
        return (URLSessionTransport.shared, nil)
        #endif
    }()
}

/// A transport that is told to which call a request belongs, so that it can answer as the call's own backend would.
package protocol CallTransport: Transport {
    /// Sends a request of a call; see ``Transport/send(_:)``.
    func send(_ request: HTTPRequest, of call: CallContext) async throws -> TransportResponse
}

/// What a transport may know of the call to which a request belongs.
package struct CallContext: Sendable {
    package let tag: Tag?
    /// Counts from 1.
    package let attempt: Int
    package let envelope: Envelope
    package let encoder: JSONEncoder
    package let clock: any TimerClock
    /// The path of the host itself, to which the call's path was appended; "" if it has none.
    package let hostPath: String
    private let style: ParameterStyle

    /// Of a request whose call is not known.
    package init() {
        tag = nil
        attempt = 1
        envelope = .standard
        encoder = JSONEncoder()
        clock = SystemClock.shared
        hostPath = ""
        style = ParameterStyle()
    }

    package init(
        tag: Tag?, attempt: Int, envelope: Envelope, encoder: JSONEncoder, clock: any TimerClock, hostPath: String, style: ParameterStyle
    ) {
        self.tag = tag
        self.attempt = attempt
        self.envelope = envelope
        self.encoder = encoder
        self.clock = clock
        self.hostPath = hostPath
        self.style = style
    }

    /// Params as the names and values that the call's queries and forms have for them.
    package func items(of params: Params) throws -> [(name: String, value: String)] {
        try ParameterField.fields(of: params, style: style).map { ($0.name, $0.value) }
    }
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
    func receive(_ request: HTTPRequest, limit: Int, interruption: TransferStopper) async throws -> HTTPResponse {
        if keepsLimits { return try await collectWithinLimits(request, limit: limit, interruption: interruption) }
        return try await interruption.run { try await whole(request, limit: limit, interruption: interruption) }
    }

    /// The whole response of a transport that ends by itself. An interruption counts when it has.
    func collectWithinLimits(_ request: HTTPRequest, limit: Int, interruption: TransferStopper) async throws -> HTTPResponse {
        let result: Result<HTTPResponse, any Error>
        do {
            result = .success(try await whole(request, limit: limit, interruption: interruption))
        } catch {
            result = .failure(error)
        }
        if let error = interruption.interruption { throw error }
        return try result.get()
    }

    private func whole(_ request: HTTPRequest, limit: Int, interruption: TransferStopper) async throws -> HTTPResponse {
        let answer = try await send(request)
        interruption.silence?.noteReceived()
        let (body, fault) = try await answer.collectBody(limit: limit, notifying: interruption.silence)
        var response = HTTPResponse(status: answer.status, headers: answer.headers, body: body, address: request.address)
        response.bodyFault = fault
        response.source = answer.source
        response.timings = answer.timings
        return response
    }
}

extension TransportResponse {
    /// The whole body; throws if it has more bytes than `limit`. That of a redirect is not kept, and a broken one of an error status is given
    /// as far as it came, with what is wrong with it.
    func collectBody(limit: Int, notifying silence: InactivityWatch?) async throws -> (body: Data, fault: APIError?) {
        if RedirectBody.belongs(toStatus: status, location: headers["Location"]) {
            _ = try? await body.collect(limit: RedirectBody.limit)
            return (Data(), nil)
        }
        let limit = ErrorBody.limit(limit, status: status)
        do {
            if (200..<300).contains(status) { return (try await body.collect(limit: limit, notifying: silence), nil) }
            return try await errorBody(limit: limit, notifying: silence)
        } catch let error as APIError where error.kind == .bodyTooLarge {
            throw TransportBody.tooLarge(limit, status: status, headers: headers)
        }
    }

    private func errorBody(limit: Int, notifying silence: InactivityWatch?) async throws -> (body: Data, fault: APIError?) {
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
