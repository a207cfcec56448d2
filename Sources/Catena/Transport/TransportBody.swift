public import Foundation

/// The bytes of an answer, decoded but otherwise as the server sent them, in pieces of any size.
public struct TransportBody: Sendable, AsyncSequence {
    public typealias Element = Data

    enum Source: Sendable {
        case data(Data)
        case pipe(PipeLease)
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
        private var lease: PipeLease?
        private var pull: Next?

        fileprivate init(_ source: Source) {
            switch source {
            case .data(let data): whole = data
            case .pipe(let lease): self.lease = lease
            case .sequence(let start): pull = start()
            }
        }

        public mutating func next() async throws -> Data? {
            if let lease { return try await lease.pipe.next() }
            if let pull { return try await pull() }
            defer { whole = nil }
            return whole.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    init(_ pipe: BodyPipe) {
        source = .pipe(PipeLease(pipe))
    }

    init(_ lease: PipeLease) {
        source = .pipe(lease)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// The body as something that can be ended from outside, and that ends when nobody has it any more.
    var lease: PipeLease {
        switch source {
        case .data(let data): PipeLease(BodyPipe(data))
        case .pipe(let lease): lease
        case .sequence(let start): PipeLease(BodyPump.pipe(from: start))
        }
    }

    /// The whole body; throws an ``APIError`` if it has more bytes than `limit`. Cancelling the task stops the transfer.
    public func collect(limit: Int) async throws -> Data {
        switch source {
        case .data(let data):
            guard data.count <= limit else { throw Self.tooLarge(limit) }
            return data
        case .pipe(let lease):
            defer { withExtendedLifetime(lease) {} }
            return try await lease.pipe.collect(limit: limit)
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
            guard body.count + piece.count <= limit else {
                if case .pipe(let lease) = source { lease.pipe.stop(with: CancellationError()) }
                throw Self.tooLarge(limit)
            }
            body.append(piece)
        }
        return body
    }

    static func tooLarge(_ limit: Int) -> APIError {
        APIError(.bodyTooLarge, message: "The answer is longer than the \(limit) bytes that are allowed.")
    }

    static func tooLarge(_ limit: Int, status: Int, headers: HTTPHeaders) -> APIError {
        var error = tooLarge(limit)
        error.attach(ResponseSummary(status: status, headers: headers))
        return error
    }
}

extension APIError {
    /// Adds the head of the response that failed.
    mutating func attach(_ head: ResponseSummary) {
        status = head.status
        response = head
    }
}

/// Holds a body for its reader. The transfer holds the pipe too, so that only this knows when nobody reads any more.
final class PipeLease: Sendable {
    let pipe: BodyPipe

    init(_ pipe: BodyPipe) {
        self.pipe = pipe
    }

    deinit {
        pipe.stop(with: CancellationError())
    }
}
