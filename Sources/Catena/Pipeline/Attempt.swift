/// What a call is to bring, and what each of its attempts does for that.
protocol AttemptGoal: Sendable {
    /// What the call brings when it succeeds.
    associatedtype Product: Sendable

    /// What others could use of the response too; `nil` if only this call can.
    var wholeResponse: WholeResponse? { get }

    func run(_ call: Call) async throws -> HTTPResponse

    /// Makes the product of the response as it leaves the stages: interceptors may have changed it, or made it.
    func product(of response: HTTPResponse, for execution: Execution) async throws -> Product

    /// Clears away what a call that has failed leaves behind; before its end is told.
    func abandon() async
}

extension AttemptGoal {
    func abandon() async {}
}

/// A response that is received whole, so that it can be kept and shared.
struct WholeResponse: Sendable {
    /// Whether the body has to be one that has a payload.
    let needsPayload: Bool
}

/// Receives a whole response, reads it and decodes what it says.
struct CollectingAttempt<Value: Sendable>: AttemptGoal {
    let target: ResultDecoder<Value>

    var wholeResponse: WholeResponse? { WholeResponse(needsPayload: target.decoded != nil && target.decoded != Void.self) }

    func run(_ call: Call) async throws -> HTTPResponse {
        var response = call.execution.isWatched ? try await call.collect() : try await call.receive()
        response.received = .reading(.init(try call.reading(of: &response, as: target.decoded)))
        return response
    }

    func product(of response: HTTPResponse, for execution: Execution) throws -> Response<Value> {
        try product(of: response.reading ?? execution.read(response, as: target.decoded), for: execution)
    }

    func product(of reading: EnvelopeResult, for execution: Execution) throws -> Response<Value> {
        Response(value: try target.value(of: reading, for: execution), reading, attempts: execution.log.attempts)
    }
}

extension ResultDecoder {
    /// What a call gets of a response that it has read.
    func value(of reading: EnvelopeResult, for execution: Execution) throws -> Value {
        do {
            let value = try self.value(reading, execution.decoder)
            execution.progress?.finish(.upload, .download)
            return value
        } catch {
            throw execution.refusal(of: reading, as: decoded, error)
        }
    }
}

// What is the same for every type of value.

extension Execution {
    /// Reads a response that no attempt has read, such as one that an interceptor has made.
    fileprivate func read(_ response: HTTPResponse, as decoded: Any.Type?) throws -> EnvelopeResult {
        var response = response
        response.take(from: profile)
        return try EnvelopeReader(self, decoded: decoded).read(response)
    }

    /// The error with which the call ends whose payload was not decoded.
    fileprivate func refusal(of reading: EnvelopeResult, as decoded: Any.Type?, _ error: any Error) -> any Error {
        guard var error = error as? APIError, error.kind == .decoding || error.kind == .missingPayload else { return error }
        // A response that is of no use is not given to the next call either.
        if let key = log.cacheKey { profile.cache?.storage.remove(key) }
        error.explanation = envelope.explain(reading.response, as: decoded ?? JSON.self)
        return error
    }
}

extension Call {
    /// What the response to an attempt says.
    func reading(of response: inout HTTPResponse, as decoded: Any.Type?) throws -> EnvelopeResult {
        response.take(from: profile)
        // A cache stores the response, of which the error has only a part.
        if profile.cache != nil { execution.log.note(absence: CacheRules.saysAbsent(response.status) ? response : nil) }
        var reader = EnvelopeReader(envelope: execution.envelope, decoded: decoded)
        reader.adopt(execution)
        let reading = try reader.read(response)
        execution.trace?.note(reading.code)
        if let look = reading.failureLook { client.report(look, in: execution) }
        return reading
    }

    fileprivate func receive() async throws -> HTTPResponse {
        let transport = ownTransport
        return try await withTimeLimit { interruption in
            try await Redirects.follow(self) { request in
                try await client.receive(request, over: transport, limit: profile.bodyLimit, interruption: interruption)
            }
        }
    }
}

extension Call {
    var envelope: Envelope { execution.envelope }

    /// Limits the time of a part of this attempt.
    func withTimeLimit<Value>(_ body: (TransferStopper) async throws -> Value) async throws -> Value {
        let limit = execution.settings.timeout
        let interruption = TransferStopper(silence: .keeping(execution.settings.silence, on: client.clock), meter: execution.trace)
        defer { interruption.silence?.end() }
        let timer = client.clock.schedule(after: limit) { interruption.interrupt(with: APIError.late(attempt: limit)) }
        defer { timer.cancel() }
        return try await body(interruption)
    }
}

extension Execution {
    /// Whether somebody follows the transfer of the body or may hold it up.
    var isWatched: Bool { progress != nil || !task.controls.isEmpty }

    /// What decodes payloads that are JSON.
    var decoder: any PayloadDecoder { settings.decoding.decoder(profile.decoder) }

    /// Sends the request and gives the value that comes of it.
    func value<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> Value {
        guard isDirect else { return try await staged(CollectingAttempt(target: target)) }
        return try await DirectCall(self, decoded: target.decoded).value(target)
    }

    // A function of its own: what it keeps while it waits would be kept by every call.
    @inline(never)
    private func staged<Value>(_ attempt: CollectingAttempt<Value>) async throws -> Value {
        try await Pipeline.run(self, until: attempt).value
    }

    /// Sends the request and gives what comes of it with everything that is known about the response.
    func run<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> Response<Value> {
        let attempt = CollectingAttempt(target: target)
        guard isDirect else { return try await Pipeline.run(self, until: attempt) }
        return try await self.concluding { try await DirectCall(self, decoded: target.decoded).run(attempt) }
    }
}

extension APIError {
    static func late(attempt limit: Duration) -> APIError {
        APIError(.timeout, message: "The attempt took longer than its limit of \(limit).")
    }

    static func late(_ deadline: Duration) -> APIError {
        APIError(.timeout, message: "The call took longer than its deadline of \(deadline).")
    }
}

extension Client {
    /// The whole response, over any transport; over the client's if none is given.
    @inline(never)
    func receive(
        _ request: HTTPRequest, over transport: InformedTransport?, limit: Int, interruption: TransferStopper
    ) async throws -> HTTPResponse {
        interruption.silence?.begin(interruption)
        if let transport { return try await transport.collect(request, limit: limit, interruption: interruption) }
        if let collecting { return try await collecting.collect(interruption.sent(request), limit: limit, interruption: interruption) }
        return try await self.transport.receive(request, limit: limit, interruption: interruption)
    }
}

extension CallContext {
    fileprivate init(_ call: Call) {
        let request = call.execution.request
        let host = Profile.parse(request.location.host) ?? call.execution.backendAddress
        self.init(
            tag: request.tag, attempt: call.attempt, envelope: call.envelope, encoder: call.profile.encoder, clock: call.client.clock,
            hostPath: request.location.absolute == nil ? (try? host?.get())?.path ?? "" : "", style: call.execution.settings.parameterStyle)
    }
}

extension Call {
    /// What carries this call's requests in place of the client's plain transport: a transport of the call's own, or one that is told
    /// of the call.
    var ownTransport: InformedTransport? {
        guard let transport = replacement?.transport ?? execution.request.options.transport ?? client.callTransport else { return nil }
        return InformedTransport(transport: transport, context: CallContext(self))
    }
}

extension Request {
    /// Has this call's requests carried by a transport of its own.
    package consuming func transport(_ transport: any CallTransport) -> Request {
        options.transport = transport
        return self
    }
}
