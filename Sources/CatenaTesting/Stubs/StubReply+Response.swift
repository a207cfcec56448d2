import Catena
import Foundation

extension StubReply {
    /// Waits for the delay and returns the response.
    func response(in context: StubContext) async throws -> TransportResponse {
        try await context.clock.sleep(for: delay)
        switch content {
        case .failure(let error): throw error
        case .silence:
            // Longer than any time limit, so that a limit ends the call if it has one.
            try await context.clock.sleep(for: .seconds(1_000_000_000))
            throw APIError(.timeout, message: "The stub does not answer.")
        case .bytes(let make): return response(try make(context), in: context)
        }
    }

    /// Returns the response, or `nil` if it or its body needs a wait.
    func immediateResponse(in context: StubContext) throws -> TransportResponse? {
        guard delay <= .zero, pieces == nil, cut == nil, contentLength == nil else { return nil }
        switch content {
        case .failure(let error): throw error
        case .silence: return nil
        case .bytes(let make): return response(try make(context), in: context)
        }
    }

    private func response(_ bytes: Data, in context: StubContext) -> TransportResponse {
        var headers = headers
        if let contentLength { headers["Content-Length"] = String(contentLength) }
        var response = TransportResponse(status: status, headers: headers, body: body(bytes, on: context.clock))
        response.source = .stub
        return response
    }

    private func body(_ whole: Data, on clock: any TimerClock) -> TransportBody {
        let announced = contentLength ?? whole.count
        let arriving = whole.prefix(min(announced, cut?.position ?? .max))
        let isLost = announced > whole.count || cut.map { $0.isNoticed && $0.position < whole.count } ?? false
        if !isLost, pieces == nil { return TransportBody(Data(arriving)) }
        return TransportBody(
            StubBody(bytes: Data(arriving), size: pieces?.size, interval: pieces?.interval ?? .zero, isLost: isLost, clock: clock))
    }
}

/// A body that arrives in pieces and may not arrive whole.
private struct StubBody: AsyncSequence, Sendable {
    typealias Element = Data

    let bytes: Data
    let size: Int?
    let interval: Duration
    let isLost: Bool
    let clock: any TimerClock

    struct Iterator: AsyncIteratorProtocol {
        let body: StubBody
        var position = 0

        mutating func next() async throws -> Data? {
            guard position < body.bytes.count else {
                guard body.isLost else { return nil }
                throw APIError(.connectionLost, message: "The connection ended after \(position) bytes of the body.")
            }
            try await body.clock.sleep(for: body.interval)
            let end = Swift.min(position + (body.size ?? body.bytes.count), body.bytes.count)
            defer { position = end }
            return body.bytes.subdata(in: position..<end)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }
}
