import Foundation

/// The values of an answer in which each line is JSON, as they arrive.
///
/// Blank lines are skipped. A line that cannot be decoded throws, and the error says which line it is. As with ``ByteStream``, each loop
/// sends the request, and leaving it stops the transfer.
public struct JSONLineStream<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let request: Request
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(request, limit: limit) }

    public struct Iterator: AsyncIteratorProtocol {
        private let decoder: JSONDecoder
        private var lines: LineReader

        fileprivate init(_ request: Request, limit: Int) {
            decoder = Execution(request).profile.decoder
            lines = LineReader(request.stream(), limit: limit)
        }

        public mutating func next() async throws -> Value? {
            while let line = try await lines.next({ line, encoding in BodyText.utf8(line, encoding) }), let response = lines.response {
                if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                return try value(of: line, in: response)
            }
            return nil
        }

        private mutating func value(of line: Data, in response: HTTPResponse) throws -> Value {
            var response = response
            response.body = line
            response.headers.remove("Content-Type")
            do {
                return try Target<Value>.decodable(Value.self).value(Reading(response), decoder)
            } catch {
                var error = APIError.wrapping(error)
                error.message = "Line \(lines.number): \(error.message)"
                lines.end()
                throw error
            }
        }
    }
}
