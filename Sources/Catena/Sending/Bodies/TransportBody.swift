public import CatenaPlatform

/// The body of a response, decompressed but otherwise as the server sent it, in pieces of any size.
public struct TransportBody: Sendable, AsyncSequence {
    public typealias Element = Data

    enum Source: Sendable {
        case data(Data)
        case pipe(PipeOwner)
        case sequence(@Sendable () -> Next)
    }

    typealias Next = () async throws -> Data?

    let source: Source

    /// Makes a body from bytes in memory.
    public init(_ data: Data) {
        source = .data(data)
    }

    /// Makes a body that arrives in pieces. The sequence is iterated once; it ends with the body or throws.
    public init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) where Pieces.Element == Data {
        source = .sequence {
            var iterator = pieces.makeAsyncIterator()
            return { try await iterator.next() }
        }
    }

    /// Reads the body piece by piece. A slow reader pauses the transfer if the transport supports it.
    public struct Iterator: AsyncIteratorProtocol {
        private var whole: Data?
        private var owner: PipeOwner?
        private var pull: Next?

        fileprivate init(_ source: Source) {
            switch source {
            case .data(let data): whole = data
            case .pipe(let owner): self.owner = owner
            case .sequence(let start): pull = start()
            }
        }

        /// Returns the next piece of the body, or `nil` at its end.
        public mutating func next() async throws -> Data? {
            if let owner { return try await owner.pipe.next() }
            if let pull { return try await pull() }
            defer { whole = nil }
            return whole.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    package init(_ pipe: BodyPipe) {
        source = .pipe(PipeOwner(pipe))
    }

    init(_ owner: PipeOwner) {
        source = .pipe(owner)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// The owner of the body. Others can end the body through it, and releasing the last reference ends the body.
    var owner: PipeOwner {
        switch source {
        case .data(let data): PipeOwner(BodyPipe(data))
        case .pipe(let owner): owner
        case .sequence(let start): PipeOwner(BodyPump.pipe(from: start))
        }
    }

    /// Returns the whole body. Throws an ``APIError`` if it has more than `limit` bytes. Cancelling the task stops the transfer.
    public func collect(limit: Int) async throws -> Data {
        switch source {
        case .data: return try inMemory(limit: limit) ?? Data()
        case .pipe(let owner):
            defer { withExtendedLifetime(owner) {} }
            return try await owner.pipe.collect(limit: limit)
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

    /// Returns the body if it is in memory, or `nil` if it has to be received. Throws as ``collect(limit:)`` does.
    func inMemory(limit: Int) throws -> Data? {
        guard case .data(let data) = source else { return nil }
        guard data.count <= limit else { throw Self.tooLarge(limit) }
        return data
    }

    /// Returns the whole body of a response, and reports each piece to the watch and the meter of `stopper`.
    func collect(limit: Int, of headers: HTTPHeaders, notifying stopper: TransferStopper) async throws -> Data {
        guard stopper.isTold else { return try await collect(limit: limit) }
        let length = stopper.meter == nil ? nil : headers.bodyLength
        var body = Data()
        for try await piece in self {
            stopper.inactivity?.noteReceived()
            stopper.meter?.noteReceived(Int64(body.count + piece.count), of: length)
            guard body.count + piece.count <= limit else {
                if case .pipe(let owner) = source { owner.pipe.stop(with: CancellationError()) }
                throw Self.tooLarge(limit)
            }
            body.append(piece)
        }
        return body
    }

    package static func tooLarge(_ limit: Int) -> APIError {
        APIError(.bodyTooLarge, message: "The response is longer than the \(limit) bytes that bodyLimit allows.")
    }

    package static func tooLarge(_ limit: Int, status: Int, headers: HTTPHeaders) -> APIError {
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

/// Owns a pipe for its reader, and stops the transfer on release. The pipe cannot notice that its reader is gone, because the transfer
/// retains it too.
final class PipeOwner: Sendable {
    let pipe: BodyPipe

    init(_ pipe: BodyPipe) {
        self.pipe = pipe
    }

    deinit {
        pipe.stop(with: CancellationError())
    }
}

/// Rules for the body of an error response. A broken body does not hide the status, because retries, sign-in and circuit breakers depend on
/// the status.
package enum ErrorBody {
    /// The maximum number of bytes read of an error body. It is an envelope or an HTML page; 8 MiB is enough for either.
    package static let limit = 8 * 1024 * 1024

    package static func limit(_ limit: Int, status: Int) -> Int {
        HTTPResponse.isSuccess(status) ? limit : min(limit, Self.limit)
    }

    /// Whether a response with this status is returned with the received part of its body although the body failed with `error`.
    package static func isForgiven(_ error: any Error, status: Int) -> Bool {
        // An interim status (1xx) does not tell the outcome.
        guard status >= 300, let error = error as? APIError else { return false }
        return [.decompression, .connectionLost, .protocolViolation].contains(error.kind)
    }
}

/// Rules for the body of a redirect. The body is never used, so its size and its failures do not fail the call.
package enum RedirectBody {
    /// The number of bytes read so that the connection can be reused. If the body is longer, the connection is closed.
    package static let limit = 64 * 1024

    package static func belongs(toStatus status: Int, location: String?) -> Bool {
        location != nil && [301, 302, 303, 307, 308].contains(status)
    }
}

extension TransportBody: CustomStringConvertible, CustomReflectable {
    /// The size of a body in memory; never its content.
    public var description: String {
        if case .data(let data) = source { "\(data.count) bytes" } else { "bytes that arrive in pieces" }
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
