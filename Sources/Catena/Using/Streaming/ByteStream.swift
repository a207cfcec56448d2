public import CatenaPlatform

/// The body of a response, piece by piece, without loading it whole into memory.
///
/// ```swift
/// for try await chunk in API.get("/export").stream() { file.write(chunk) }
/// ```
///
/// The request is sent when a loop begins, again for each loop. Leaving the loop stops the transfer, and a slow loop makes the server wait.
/// A failure throws an ``APIError``. A response without a success status yields no bytes, but throws the error that its envelope describes.
public struct ByteStream: AsyncSequence, Sendable {
    public typealias Element = Data

    let request: Request

    /// Sends the request and waits for the head of its response, which is available before the bytes.
    public func open() async throws -> StreamedResponse {
        StreamedResponse(try await CallRun(request).open())
    }

    public func makeAsyncIterator() -> Iterator { Iterator(request: request.aged) }

    /// Sends the request when the first piece is requested, then reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        private var request: Request?
        private var streamed: StreamedResponse.Iterator?

        fileprivate init(request: Request) {
            self.request = request
        }

        /// Returns the next piece of the body, or `nil` at its end. The first call sends the request.
        public mutating func next() async throws -> Data? {
            if let request {
                self.request = nil
                streamed = try await request.stream().open().makeAsyncIterator()
            }
            return try await streamed?.next()
        }
    }
}

/// A successful response whose body is still to come. It can be iterated once.
///
/// ```swift
/// let response = try await API.get("/export").stream().open()
/// let type = response.headers["Content-Type"]
/// for try await chunk in response { file.write(chunk) }
/// ```
public struct StreamedResponse: AsyncSequence, Sendable {
    public typealias Element = Data

    private let streamed: OpenResponse

    init(_ streamed: OpenResponse) {
        self.streamed = streamed
    }

    /// The status code, such as 200.
    public var status: Int { streamed.response.status }
    /// All header fields.
    public var headers: HTTPHeaders { streamed.response.headers }
    /// The address of the response, after redirects.
    public var url: URL { streamed.response.address.url }

    var response: HTTPResponse { streamed.response }

    /// Ends the call with an error that its reader found in the response. Returns the error as the call reports it.
    func failure(_ kind: APIError.Kind, _ message: String) async -> any Error {
        var error = APIError(kind, message: message)
        error.attach(response)
        return await failure(error)
    }

    func failure(_ error: APIError) async -> any Error {
        await streamed.body.failure(error)
    }

    /// Ends the call when its reader needs no more of the response.
    func finish() {
        streamed.body.progress?.finish(.download)
        streamed.body.finish()
    }

    /// Returns the response with its whole body. Throws if the body has more than `limit` bytes or does not arrive within `time`.
    func collected(limit: Int, within time: Duration) async throws -> HTTPResponse {
        try await streamed.collected(limit: limit, within: time)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(streamed: streamed) }

    /// Reads the body piece by piece. Releasing the iterator stops the call.
    public struct Iterator: AsyncIteratorProtocol {
        private var streamed: OpenResponse?
        private let owner: BodyOwner
        private var received: Int64 = 0

        fileprivate init(streamed: OpenResponse) {
            self.streamed = streamed
            owner = BodyOwner(body: streamed.body)
            streamed.body.progress?.note(.download, 0, of: streamed.response.bodyLength)
        }

        /// Returns the next piece of the body, or `nil` at its end.
        public mutating func next() async throws -> Data? {
            guard let streamed else { return nil }
            do {
                if let piece = try await streamed.body.next() {
                    received += Int64(piece.count)
                    streamed.body.progress?.note(.download, received, of: streamed.response.bodyLength)
                    return piece
                }
                streamed.body.progress?.finish(.download)
                self.streamed = nil
                return nil
            } catch {
                self.streamed = nil
                throw await streamed.body.failure(error)
            }
        }
    }
}

/// Stops the transfer when the loop is left, even if the response is still retained.
private final class BodyOwner: Sendable {
    private let body: BodyReader

    init(body: BodyReader) {
        self.body = body
    }

    deinit {
        body.stop(with: CancellationError())
    }
}

extension CallRun {
    /// Sends the request and waits for the head of a successful response.
    ///
    /// The call and its deadline continue until the body has been read or released.
    func open() async throws -> OpenResponse {
        let streamed = try await promise { [self] in
            let streamed = try await Pipeline.run(self, until: StreamMode())
            try task.proceed(with: streamed.body.owner.pipe)
            return streamed
        }.result.get()
        watchDeadline()
        return streamed
    }
}
