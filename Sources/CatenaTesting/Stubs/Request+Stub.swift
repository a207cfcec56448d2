public import Catena

extension RequestSteps {
    /// Stubs the response of this call, without any transport.
    ///
    /// ```swift
    /// client.tag(.forum).get("/users").stub(.reply(data: users).delayed(by: .milliseconds(300))).execute(as: [User].self)
    /// ```
    ///
    /// A single reply is used for every attempt of every run. With several replies, each attempt uses the next one, and an attempt beyond the last
    /// fails.
    public consuming func stub(_ replies: StubReply...) -> Self {
        transport(CannedReplies(replies))
    }

    /// Stubs the response of this call with a payload in the envelope of its tag, without any transport.
    public consuming func stub(
        code: ErrorCode? = nil, data: some Encodable & Sendable, message: String = "", status: Int = 200
    ) -> Self {
        stub(.reply(code: code, data: data, message: message, status: status))
    }

    /// Stubs the response of this call with JSON as the payload, such as a literal of mixed values, in the envelope of its tag.
    @_disfavoredOverload
    public consuming func stub(code: ErrorCode? = nil, data: JSON, message: String = "", status: Int = 200) -> Self {
        stub(.reply(code: code, data: data, message: message, status: status))
    }
}

private final class CannedReplies: OwnTransport {
    private let replies: [StubReply]
    private let given = AtomicCounter()

    init(_ replies: [StubReply]) {
        self.replies = replies
    }

    let engine = TransportEngine.stubs

    func send(_ request: HTTPRequest) async throws -> TransportResponse { try await send(request, in: TransferContext()) }

    func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        let (reply, call) = (try next(for: request), context.stub)
        if let response = try reply.immediateResponse(in: call) { return try context.inTime(response) }
        return try await context.run { try await reply.response(in: call) }
    }

    private func next(for request: HTTPRequest) throws -> StubReply {
        let index = replies.count == 1 ? 0 : given.add(1) - 1
        guard index < replies.count else {
            throw APIError(.unstubbed, message: "stub: all of the \(replies.count) replies have been given, and \(request) is one more.")
        }
        return replies[index]
    }
}
