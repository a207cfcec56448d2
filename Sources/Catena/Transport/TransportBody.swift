public import Foundation

/// The bytes of a response, decoded but otherwise as the server sent them, in pieces of any size.
public struct TransportBody: Sendable, AsyncSequence {
    public typealias Element = Data

    enum Source: Sendable {
        case data(Data)
        case pipe(PipeOwner)
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
        private var lease: PipeOwner?
        private var pull: Next?

        fileprivate init(_ source: Source) {
            switch source {
            case .data(let data): whole = data
            case .pipe(let lease): self.lease = lease
            case .sequence(let start): pull = start()
            }
        }

        /// Returns the next piece of the body, or `nil` at its end.
        public mutating func next() async throws -> Data? {
            if let lease { return try await lease.pipe.next() }
            if let pull { return try await pull() }
            defer { whole = nil }
            return whole.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    init(_ pipe: BodyPipe) {
        source = .pipe(PipeOwner(pipe))
    }

    init(_ lease: PipeOwner) {
        source = .pipe(lease)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// The body as something that can be ended from outside, and that ends when nobody has it any more.
    var lease: PipeOwner {
        switch source {
        case .data(let data): PipeOwner(BodyPipe(data))
        case .pipe(let lease): lease
        case .sequence(let start): PipeOwner(BodyPump.pipe(from: start))
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

    /// The whole body, while something watches over the silences in it, or somebody follows it.
    func collect(limit: Int, of headers: HTTPHeaders, notifying interruption: TransferStopper) async throws -> Data {
        guard interruption.isTold else { return try await collect(limit: limit) }
        if case .data = source { return try await collect(limit: limit) }
        let length = interruption.meter == nil ? nil : headers.bodyLength
        var body = Data()
        for try await piece in self {
            interruption.silence?.noteReceived()
            interruption.meter?.noteReceived(Int64(body.count + piece.count), of: length)
            guard body.count + piece.count <= limit else {
                if case .pipe(let lease) = source { lease.pipe.stop(with: CancellationError()) }
                throw Self.tooLarge(limit)
            }
            body.append(piece)
        }
        return body
    }

    static func tooLarge(_ limit: Int) -> APIError {
        APIError(.bodyTooLarge, message: "The response is longer than the \(limit) bytes that are allowed.")
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
final class PipeOwner: Sendable {
    let pipe: BodyPipe

    init(_ pipe: BodyPipe) {
        self.pipe = pipe
    }

    deinit {
        pipe.stop(with: CancellationError())
    }
}

/// The body of a response whose status says that the call has failed. What is to be known is the status: retries, sign-in and circuit
/// breakers go by it, so a body that is broken does not hide it.
enum ErrorBody {
    /// In bytes: what is read of one at most, however long other bodies may be. It is an envelope, or a page for nobody.
    static let limit = 8 * 1024 * 1024

    static func limit(_ limit: Int, status: Int) -> Int {
        (200..<300).contains(status) ? limit : min(limit, Self.limit)
    }

    /// Whether a response of this status is given although its body has failed like this, with what has arrived of it.
    static func isForgiven(_ error: any Error, status: Int) -> Bool {
        // An interim response (1xx) says nothing yet.
        guard status >= 300, let error = error as? APIError else { return false }
        return [.decompression, .connectionLost, .protocolViolation].contains(error.kind)
    }
}

/// The body of a response that only points elsewhere: nobody reads it, so it neither counts nor can it break the call.
enum RedirectBody {
    /// How much of it is read, so that its connection can be used again; of more, the connection is closed.
    static let limit = 64 * 1024

    static func belongs(toStatus status: Int, location: String?) -> Bool {
        location != nil && [301, 302, 303, 307, 308].contains(status)
    }
}

extension TransportBody: CustomStringConvertible, CustomReflectable {
    /// How much there is of the body, and nothing of what is in it.
    public var description: String {
        if case .data(let data) = source { "\(data.count) bytes" } else { "bytes that arrive in pieces" }
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
