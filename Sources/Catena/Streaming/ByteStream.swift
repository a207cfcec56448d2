public import Foundation

/// The body of a response, piece by piece, without ever being whole in memory.
///
/// ```swift
/// for try await chunk in API.get("/export").stream() { file.write(chunk) }
/// ```
///
/// The request is sent when a loop begins, anew for each loop. Leaving the loop stops the transfer, and a loop that takes its time makes
/// the server wait. What fails throws an ``APIError``; a response whose status is none of success gives no bytes but throws what the
/// envelope has to say.
public struct ByteStream: AsyncSequence, Sendable {
    public typealias Element = Data

    let request: Request

    /// Sends the request and waits for the head of its response, for who wants to see that before the bytes.
    public func open() async throws -> StreamedResponse {
        StreamedResponse(try await Execution(request).open())
    }

    public func makeAsyncIterator() -> Iterator { Iterator(request: request) }

    /// Sends the request with the first piece that is asked for, and reads one piece after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var request: Request?
        private var answer: StreamedResponse.Iterator?

        fileprivate init(request: Request) {
            self.request = request
        }

        /// Returns the next piece of the body, or `nil` at its end; the first one sends the request.
        public mutating func next() async throws -> Data? {
            if let request {
                self.request = nil
                answer = try await request.stream().open().makeAsyncIterator()
            }
            return try await answer?.next()
        }
    }
}

/// A response of success whose body is still to come; it can be iterated once.
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
    /// The address that the response came from, after redirects.
    public var url: URL { answer.response.address.url }

    var response: HTTPResponse { answer.response }

    /// Ends the call with an error that its reader has found in the response. Gives the error as it leaves the call.
    func failure(_ kind: APIError.Kind, _ message: String) async -> any Error {
        var error = APIError(kind, message: message)
        error.attach(response)
        return await failure(error)
    }

    func failure(_ error: APIError) async -> any Error {
        await answer.body.failure(error)
    }

    /// Ends the call, of whose response its reader has all that it wants.
    func finish() {
        answer.body.progress?.finish(.download)
        answer.body.finish()
    }

    /// The response with its whole body; throws if that has more bytes than `limit`, or takes longer than `time` to arrive.
    func collected(limit: Int, within time: Duration) async throws -> HTTPResponse {
        try await answer.collected(limit: limit, within: time)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(answer: answer) }

    /// Reads the body piece by piece. Dropping it stops the call.
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

/// Stops the transfer when the loop is left, also where somebody holds the response.
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
    /// Sends the request and waits for the head of a response of success. The deadline goes on until the body has ended.
    ///
    /// The call goes on until the body has been read or is let go of.
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
        if let deadline = settings.deadline { answer.body.limit(to: deadline - (client.clock.now - start), error: .late(deadline)) }
        return answer
    }
}
