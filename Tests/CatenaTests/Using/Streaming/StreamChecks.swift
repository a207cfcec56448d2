import Foundation
import TestSupport

@testable import Catena

extension TransportResponse {
    /// Returns a response whose body arrives in these pieces.
    static func pieces(_ pieces: [String], status: Int = 200, headers: HTTPHeaders = [:], end: (any Error)? = nil) -> TransportResponse {
        let stream = AsyncThrowingStream<Data, any Error> { stream in
            for piece in pieces { stream.yield(Data(piece.utf8)) }
            stream.finish(throwing: end)
        }
        return TransportResponse(status: status, headers: headers, body: TransportBody(stream))
    }
}

extension AsyncSequence {
    /// Returns all elements in order.
    func collected() async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
