/// The way in which an attempt receives its response: as a whole, as a stream or as a file.
protocol AttemptMode: Sendable {
    /// The use that others could have of the response; `nil` if only this call can use it.
    var sharing: SharingRequirement? { get }

    /// Sends the request of an attempt and brings its response.
    ///
    /// - Parameter stopper: Ends the transfer from outside, and at the end of the call's time; `nil` where the attempt's task is cancelled for that.
    func run(_ call: Call, _ stopper: TransferStopper?) async throws -> HTTPResponse
}

/// The way in which a call gets its result from the response of an attempt.
protocol ResponseMode: Sendable {
    /// The result of a call that succeeds.
    associatedtype Product: Sendable

    /// The way of its attempts. It is apart from the mode, because a type without the result's type is small enough to be passed without a box.
    var attempt: any AttemptMode { get }

    /// Makes the product of the response as it leaves the stages: interceptors may have changed it, or made it.
    func product(of response: HTTPResponse, for execution: Execution) async throws -> Product

    /// Clears away what a call that has failed leaves behind; before its end is told.
    func abandon() async
}

extension ResponseMode {
    func abandon() async {}
}

extension ResponseMode where Self: AttemptMode {
    var attempt: any AttemptMode { self }
}

/// Receives a whole response, and reads its envelope.
struct WholeBodyAttempt: AttemptMode {
    /// The type that the call decodes.
    let decoded: Any.Type?

    var sharing: SharingRequirement? { SharingRequirement(needsPayload: decoded != nil && decoded != Void.self) }

    func run(_ call: Call, _ stopper: TransferStopper?) async throws -> HTTPResponse {
        var response = try await call.receive(stopper)
        try call.read(&response, as: decoded)
        return response
    }
}

/// Receives a whole response, reads it and decodes what it says.
struct WholeBodyMode<Value: Sendable>: ResponseMode {
    let target: ResultDecoder<Value>

    var attempt: any AttemptMode { WholeBodyAttempt(decoded: target.decoded) }

    func product(of response: HTTPResponse, for execution: Execution) throws -> Value {
        try target.value(of: response, for: execution)
    }
}

/// The same, with everything that is known about the response.
struct KnownResponseMode<Value: Sendable>: ResponseMode {
    let whole: WholeBodyMode<Value>

    var attempt: any AttemptMode { whole.attempt }

    func product(of response: HTTPResponse, for execution: Execution) throws -> Response<Value> {
        let reading = try execution.reading(of: response, as: whole.target.decoded)
        return Response(payload: try whole.target.value(of: reading, for: execution), reading, attempts: execution.log.attempts)
    }
}

extension ResultDecoder {
    /// The value of a response, which an attempt has read unless an interceptor has made it.
    func value(of response: HTTPResponse, for execution: Execution) throws -> Value {
        try value(of: execution.reading(of: response, as: decoded), for: execution)
    }

    /// What a call gets of a response that it has read.
    @inline(never)
    fileprivate func value(of reading: EnvelopeResult, for execution: Execution) throws -> Value {
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
    /// The reading of a response; of one that no attempt has read, such as one that an interceptor has made, it is made here.
    fileprivate func reading(of response: HTTPResponse, as decoded: Any.Type?) throws -> EnvelopeResult {
        if let known = response.reading { return known }
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
    /// Reads the response to an attempt.
    @inline(never)
    fileprivate func read(_ response: inout HTTPResponse, as decoded: Any.Type?) throws {
        // A cache stores the response, of which the error has only a part.
        if profile.hasCache { execution.log.note(absence: CacheRules.saysAbsent(response.status) ? response : nil) }
        var reader = EnvelopeReader(envelope: execution.envelope, decoded: decoded)
        reader.adopt(execution)
        let reading = try reader.read(response)
        execution.trace?.note(reading.code)
        if let look = reading.failureLook { client.report(look, in: execution) }
        response.received = .reading(reading)
    }

    /// The whole response; read piece by piece where somebody follows the transfer or may hold it up.
    fileprivate func receive(_ stopper: TransferStopper?) async throws -> HTTPResponse {
        let limits = try AttemptLimits(of: execution, stopper)
        defer { limits.end() }
        if execution.isWatched { return try await collect(limits.stopper) }
        let transport = ownTransport
        return try await Redirects.follow(self) { request in
            defer { limits.stopper.rest() }
            return try await client.receive(request, over: transport, limit: profile.bodyLimit, interruption: limits.stopper)
        }
    }
}

extension Call {
    var envelope: Envelope { execution.envelope }
}

extension Execution {
    /// Whether somebody follows the transfer of the body or may hold it up.
    var isWatched: Bool { progress != nil || !task.controls.isEmpty }

    /// What decodes payloads that are JSON.
    var decoder: any PayloadDecoder { settings.decoding.decoder(profile.decoder) }

    /// Sends the request and gives the value that comes of it, in a task that is the call's own.
    func value<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> Value {
        try await Pipeline.run(self, until: WholeBodyMode(target: target))
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

extension RequestSteps {
    /// Has this call's requests carried by a transport of its own.
    package consuming func transport(_ transport: any CallTransport) -> Self {
        request.options.transport = transport
        return self
    }
}
