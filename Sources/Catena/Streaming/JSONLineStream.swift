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
        private let profile: ResolvedProfile
        private var lines: LineReader

        fileprivate init(_ request: Request, limit: Int) {
            profile = Execution(request).profile
            lines = LineReader(request.stream(), limit: limit)
        }

        public mutating func next() async throws -> Value? {
            while let line = try await lines.next({ line, encoding in BodyText.utf8(line, encoding) }), let answer = lines.answer {
                if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                do {
                    return try value(of: line, in: answer.response)
                } catch {
                    var error = APIError.wrapping(error)
                    error.message = "Line \(lines.number): \(error.message)"
                    let failure = await answer.failure(error)
                    lines.end()
                    throw failure
                }
            }
            return nil
        }

        private func value(of line: Data, in response: HTTPResponse) throws -> Value {
            var response = response
            response.body = line
            response.headers.remove("Content-Type")
            let reading = Reading(response)
            let target = Target<Value>.decodable(Value.self)
            guard let redaction = profile.redaction else { return try target.value(reading, profile.decoder) }
            return try Redaction.$ofCall.withValue(redaction) { try target.value(reading, profile.decoder) }
        }
    }
}
