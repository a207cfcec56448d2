public import Foundation

/// The bytes of an answer, decoded but otherwise as the server sent them, in pieces of any size.
public struct TransportBody: Sendable {
    enum Source: Sendable {
        case data(Data)
        case pipe(BodyPipe)
        case sequence(@Sendable () -> Next)
    }

    typealias Next = () async throws -> Data?

    let source: Source

    /// A body that is there already.
    public init(_ data: Data) {
        source = .data(data)
    }

    /// A body that arrives in pieces; the sequence is iterated once, and ends with the body or throws.
    public init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) where Pieces.Element == Data {
        source = .sequence {
            var iterator = pieces.makeAsyncIterator()
            return { try await iterator.next() }
        }
    }

    init(_ pipe: BodyPipe) {
        source = .pipe(pipe)
    }

    /// The whole body; throws an ``APIError`` if it has more bytes than `limit`. Cancelling the task stops the transfer.
    public func collect(limit: Int) async throws -> Data {
        switch source {
        case .data(let data):
            guard data.count <= limit else { throw Self.tooLarge(limit) }
            return data
        case .pipe(let pipe):
            return try await pipe.collect(limit: limit)
        case .sequence(let start):
            let next = start()
            var body = Data()
            while let piece = try await next() {
                guard body.count + piece.count <= limit else { throw Self.tooLarge(limit) }
                body.append(piece)
            }
            return body
        }
    }

    static func tooLarge(_ limit: Int) -> APIError {
        APIError(.bodyTooLarge, message: "The answer is longer than the \(limit) bytes that are allowed.")
    }
}
