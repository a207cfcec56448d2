public import Foundation

/// Something that carries a prepared request to a server and brings back the answer.
///
/// Everything above (redirects, retries, limits, envelope) is done by Catena in the same way over every transport, so a transport
/// only has to
/// - send the request as it is: add no credentials, follow no redirect, send it once;
/// - send the bytes of ``HTTPRequest/body`` or, if there is a ``HTTPRequest/bodySource``, what that gives, and throw what that throws;
/// - return when the final head has arrived, with the body still to come;
/// - stop at once when the calling task is cancelled;
/// - throw an ``APIError`` of the fitting kind, or any error, if there is no whole answer. A body that ends early is an error.
///
/// ```swift
/// struct Canned: Transport {
///     func send(_ request: HTTPRequest) async throws -> TransportResponse {
///         TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: TransportBody(Data("{}".utf8)))
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends a request and returns when the head of its answer has arrived. Cancelling the task stops the transfer.
    func send(_ request: HTTPRequest) async throws -> TransportResponse
}

/// The head of an answer, and its body as it arrives.
public struct TransportResponse: Sendable {
    public var status: Int
    public var headers: HTTPHeaders
    public var body: TransportBody
    /// Where the answer came from.
    public var source = ResponseSource.network
    /// How long the parts of the exchange took until now, where the transport tells.
    public var timings: CallTimings?

    public init(status: Int, headers: HTTPHeaders = [:], body: TransportBody = TransportBody(Data())) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
