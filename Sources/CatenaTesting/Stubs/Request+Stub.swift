public import Catena

extension Request {
    /// Answers this call by itself, without any transport.
    ///
    /// ```swift
    /// client.tag(.forum).get("/users").stub(.reply(data: users).delayed(by: .milliseconds(300))).execute(as: [User].self)
    /// ```
    ///
    /// One reply is given every time that the request is executed. Of several, each attempt gets the next one, and one more fails.
    public consuming func stub(_ replies: StubReply...) -> Request {
        transport(CannedReplies(replies))
    }

    /// Answers this call by itself with a payload in the envelope of its tag.
    public consuming func stub(
        code: ErrorCode? = nil, data: some Encodable & Sendable, message: String = "", status: Int = 200
    ) -> Request {
        stub(.reply(code: code, data: data, message: message, status: status))
    }
}

private final class CannedReplies: CallTransport {
    private let replies: [StubReply]
    private let given = AtomicCounter()

    init(_ replies: [StubReply]) {
        self.replies = replies
    }

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try await send(request, of: CallContext())
    }

    func send(_ request: HTTPRequest, of context: CallContext) async throws -> TransportResponse {
        try await next(for: request).response(in: context)
    }

    func answer(to request: HTTPRequest, of context: CallContext) throws -> CallAnswer {
        let reply = try next(for: request)
        if let response = try reply.immediateResponse(in: context) { return .immediate(response) }
        return .awaited { try await reply.response(in: context) }
    }

    private func next(for request: HTTPRequest) throws -> StubReply {
        let index = replies.count == 1 ? 0 : given.add(1) - 1
        guard index < replies.count else {
            throw APIError(.unstubbed, message: "stub: all of the \(replies.count) replies have been given, and \(request) is one more.")
        }
        return replies[index]
    }
}
