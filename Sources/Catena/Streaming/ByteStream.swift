public import Foundation

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
        StreamedResponse(try await Execution(request).open())
    }

    public func makeAsyncIterator() -> Iterator { Iterator(request: request) }

    /// Sends the request when the first piece is requested, then reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        private var request: Request?
        private var answer: StreamedResponse.Iterator?

        fileprivate init(request: Request) {
            self.request = request
        }

        /// Returns the next piece of the body, or `nil` at its end. The first call sends the request.
        public mutating func next() async throws -> Data? {
            if let request {
                self.request = nil
                answer = try await request.stream().open().makeAsyncIterator()
            }
            return try await answer?.next()
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

    private let answer: OpenResponse

    init(_ answer: OpenResponse) {
        self.answer = answer
    }

    /// The status code, such as 200.
    public var status: Int { answer.response.status }
    /// All header fields.
    public var headers: HTTPHeaders { answer.response.headers }
    /// The address of the response, after redirects.
    public var url: URL { answer.response.address.url }

    var response: HTTPResponse { answer.response }

    /// Ends the call with an error that its reader found in the response. Returns the error as the call reports it.
    func failure(_ kind: APIError.Kind, _ message: String) async -> any Error {
        var error = APIError(kind, message: message)
        error.attach(response)
        return await failure(error)
    }

    func failure(_ error: APIError) async -> any Error {
        await answer.body.failure(error)
    }

    /// Ends the call when its reader needs no more of the response.
    func finish() {
        answer.body.progress?.finish(.download)
        answer.body.finish()
    }

    /// Returns the response with its whole body. Throws if the body has more than `limit` bytes or does not arrive within `time`.
    func collected(limit: Int, within time: Duration) async throws -> HTTPResponse {
        try await answer.collected(limit: limit, within: time)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(answer: answer) }

    /// Reads the body piece by piece. Releasing the iterator stops the call.
    public struct Iterator: AsyncIteratorProtocol {
        private var answer: OpenResponse?
        private let lease: Lease
        private var received: Int64 = 0

        fileprivate init(answer: OpenResponse) {
            self.answer = answer
            lease = Lease(body: answer.body)
            answer.body.progress?.note(.download, 0, of: answer.response.bodyLength)
        }

        /// Returns the next piece of the body, or `nil` at its end.
        public mutating func next() async throws -> Data? {
            guard let answer else { return nil }
            do {
                if let piece = try await answer.body.next() {
                    received += Int64(piece.count)
                    answer.body.progress?.note(.download, received, of: answer.response.bodyLength)
                    return piece
                }
                answer.body.progress?.finish(.download)
                self.answer = nil
                return nil
            } catch {
                self.answer = nil
                throw await answer.body.failure(error)
            }
        }
    }
}

/// Stops the transfer when the loop is left, even if the response is still retained.
private final class Lease: Sendable {
    private let body: BodyReader

    init(body: BodyReader) {
        self.body = body
    }

    deinit {
        body.stop(with: CancellationError())
    }
}

extension Execution {
    /// Sends the request and waits for the head of a successful response.
    ///
    /// The call and its deadline continue until the body has been read or released.
    func open() async throws -> OpenResponse {
        try await promise { [self] in
            let answer = try await openAnswer()
            try task.proceed(with: answer.body.lease.pipe)
            return answer
        }.result.get()
    }

    private func openAnswer() async throws -> OpenResponse {
        let start = client.clock.now
        let answer = try await Pipeline.run(self, until: StreamMode())
        if let deadline = configuration.deadline { answer.body.limit(to: deadline - (client.clock.now - start), error: .late(deadline)) }
        return answer
    }
}
