public import Catena
import Foundation

/// A transport that answers from a closure and remembers what it was asked.
///
/// Everything above the transport really runs: merging, guards, redirects, retries, envelope and decoding.
///
/// ```swift
/// let stub = StubTransport { request in .json(#"{"code": 0, "data": [1, 2]}"#) }
/// let client = Client(transport: stub)
/// let numbers = try await client.host("https://example.com").get("/numbers").value(as: [Int].self)
/// ```
public final class StubTransport: Transport {
    private let answer: @Sendable (HTTPRequest) async throws -> TransportResponse
    private let sent = Monitor<[HTTPRequest]>([])

    /// Makes a transport that answers each request as `answer` says.
    public init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> TransportResponse) {
        self.answer = answer
    }

    /// What was sent, in the order in which it arrived.
    public var requests: [HTTPRequest] { sent.withLock { $0 } }

    /// Waits until at least so many requests have come. Returns early if the task is cancelled.
    public func requestsReceived(_ count: Int) async {
        await sent.wait { $0.count >= count }
    }

    public func send(_ request: HTTPRequest) async throws -> TransportResponse {
        sent.withLock { $0.append(request) }
        var response = try await answer(request)
        response.source = .stub
        return response
    }
}

extension TransportResponse {
    /// A response with JSON as its body.
    public static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> TransportResponse {
        var all: HTTPHeaders = ["Content-Type": "application/json"]
        all.merge(headers)
        return TransportResponse(status: status, headers: all, body: TransportBody(Data(text.utf8)))
    }

    /// A response with text as its body.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> TransportResponse {
        var all: HTTPHeaders = ["Content-Type": "text/plain; charset=utf-8"]
        all.merge(headers)
        return TransportResponse(status: status, headers: all, body: TransportBody(Data(text.utf8)))
    }

    /// A response without a body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> TransportResponse {
        TransportResponse(status: status, headers: headers)
    }
}
