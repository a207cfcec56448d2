public import Foundation

/// The bytes of an answer, decoded but otherwise as the server sent them, in pieces of any size.
public struct TransportBody: Sendable, AsyncSequence {
    public typealias Element = Data

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

    /// Reads the body piece by piece. A reader that falls behind pauses the transfer, where the transport can.
    public struct Iterator: AsyncIteratorProtocol {
        private var whole: Data?
        private var pipe: BodyPipe?
        private var pull: Next?

        fileprivate init(_ source: Source) {
            switch source {
            case .data(let data): whole = data
            case .pipe(let pipe): self.pipe = pipe
            case .sequence(let start): pull = start()
            }
        }

        public mutating func next() async throws -> Data? {
            if let pipe { return try await pipe.next() }
            if let pull { return try await pull() }
            defer { whole = nil }
            return whole.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    init(_ pipe: BodyPipe) {
        source = .pipe(pipe)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// The body as something that can be ended from outside.
    var pipe: BodyPipe {
        switch source {
        case .data(let data): BodyPipe(data)
        case .pipe(let pipe): pipe
        case .sequence(let start): BodyPump.pipe(from: start)
        }
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

    /// The whole body, while something watches over the silences in it.
    func collect(limit: Int, telling silence: Silence?) async throws -> Data {
        guard let silence else { return try await collect(limit: limit) }
        var body = Data()
        for try await piece in self {
            silence.noteReceived()
            guard body.count + piece.count <= limit else { throw Self.tooLarge(limit) }
            body.append(piece)
        }
        return body
    }

    static func tooLarge(_ limit: Int) -> APIError {
        APIError(.bodyTooLarge, message: "The answer is longer than the \(limit) bytes that are allowed.")
    }

    static func tooLarge(_ limit: Int, status: Int, headers: HTTPHeaders) -> APIError {
        var error = tooLarge(limit)
        error.status = status
        error.response = ResponseSummary(status: status, headers: headers)
        return error
    }
}
