package import Catena
import CatenaPlatform

/// A transport of this package's own tests that responds with the result of a closure and stores the requests.
///
/// It knows no clock and no call, and its responses may have any body. Tests of apps use ``Stubs``, which are a transport, too.
package final class ClosureTransport: Transport {
    private let answer: @Sendable (HTTPRequest) async throws -> TransportResponse
    private let sent = Monitor<[HTTPRequest]>([])

    /// Makes a transport.
    ///
    /// - Parameter answer: Returns the response to a request, or throws the error of the attempt. It is called once for each attempt and each redirect, on
    ///   any thread, possibly concurrently.
    package init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> TransportResponse) {
        self.answer = answer
    }

    /// The requests that were sent, in the order of arrival.
    package var requests: [HTTPRequest] { sent.withLock { $0 } }

    /// Waits until at least `count` requests have arrived. Returns early if the task is cancelled.
    package func requestsReceived(_ count: Int) async {
        await sent.wait { $0.count >= count }
    }

    package func send(_ request: HTTPRequest) async throws -> TransportResponse {
        sent.withLock { $0.append(request) }
        var response = try await answer(request)
        response.source = .stub
        return response
    }
}

extension TransportResponse {
    /// A response with JSON as its body.
    package static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> TransportResponse {
        var all: HTTPHeaders = ["Content-Type": "application/json"]
        all.merge(headers)
        return TransportResponse(status: status, headers: all, body: TransportBody(Data(text.utf8)))
    }

    /// A response with text as its body.
    package static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> TransportResponse {
        var all: HTTPHeaders = ["Content-Type": "text/plain; charset=utf-8"]
        all.merge(headers)
        return TransportResponse(status: status, headers: all, body: TransportBody(Data(text.utf8)))
    }

    /// A response without a body.
    package static func status(_ status: Int, headers: HTTPHeaders = [:]) -> TransportResponse {
        TransportResponse(status: status, headers: headers)
    }
}
