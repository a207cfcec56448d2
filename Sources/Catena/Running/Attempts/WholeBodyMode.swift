/// The way in which a call gets its result from the response of an attempt.
protocol ResponseMode: Sendable {
    /// The result of a call that succeeds.
    associatedtype Product: Sendable

    /// The mode of the attempts. It is separate, because a type without the result's type is small enough to be passed without a box.
    var attempt: any AttemptMode { get }

    /// Creates the product from the response as it leaves the stages, where interceptors may have changed or replaced it.
    func product(of response: HTTPResponse, for run: CallRun) async throws -> Product

    /// Removes what a failed call leaves behind, before its end is reported.
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
    /// The cached responses that the call uses.
    var cacheUse = CacheUse.byPolicy

    var sharing: SharingRequirement? {
        SharingRequirement(decoded: decoded, cacheUse: cacheUse)
    }

    func run(_ call: Call) async throws -> HTTPResponse {
        var response = try await call.receive()
        try call.read(&response, as: decoded)
        return response
    }
}

/// Receives a whole response and returns its value together with status, headers, code and message.
struct KnownResponseMode<Value: Sendable>: ResponseMode {
    let target: ResultDecoder<Value>

    var attempt: any AttemptMode { WholeBodyAttempt(decoded: target.decoded) }

    func product(of response: HTTPResponse, for run: CallRun) throws -> Response<Value> {
        let reading = try run.reading(of: response, as: target.decoded)
        return Response(payload: try target.value(of: reading, for: run), reading, attempts: run.history.attempts)
    }
}

extension ResultDecoder {
    /// Returns the value of a response, whose envelope the attempt has read unless an interceptor has created the response.
    func value(of response: HTTPResponse, for run: CallRun) throws -> Value {
        try value(of: run.reading(of: response, as: decoded), for: run)
    }

    /// Returns the value of a cached response that another one follows, or `nil` if the response has none.
    func value(ofCached response: HTTPResponse, for run: CallRun) -> Value? {
        guard let reading = try? run.reading(of: response, as: decoded) else { return nil }
        do {
            return try self.value(reading) { run.decoder }
        } catch {
            // Removes the response from the cache, so that the server is not asked about it.
            _ = run.refusal(of: reading, as: decoded, error)
            return nil
        }
    }

    /// Decodes the value of a response whose envelope has been read.
    @inline(never)
    fileprivate func value(of reading: EnvelopeResult, for run: CallRun) throws -> Value {
        do {
            let value = try self.value(reading) { run.decoder }
            run.progress?.finish(.upload, .download)
            return value
        } catch {
            throw run.refusal(of: reading, as: decoded, error)
        }
    }
}

// Code that is independent of the type of the value.

extension CallRun {
    /// Returns the read envelope of a response. Reads it here if no attempt has, as for a response of an interceptor.
    fileprivate func reading(of response: HTTPResponse, as decoded: Any.Type?) throws -> EnvelopeResult {
        if let known = response.reading { return known }
        var response = response
        response.take(from: self)
        return try EnvelopeReader(self, decoded: decoded).read(response)
    }

    /// Reads the envelope of a response, or of a part of one. Reports a verdict that may be wrong.
    func read(_ response: HTTPResponse, by reader: EnvelopeReader) throws -> EnvelopeResult {
        let reading: EnvelopeResult
        do {
            reading = try reader.read(response)
        } catch {
            if let error = error as? APIError, error.kind == .business, let doubt = error.explanation { client.report(doubt, in: self) }
            throw error
        }
        if let suspected = reading.contents.suspectedFailure { client.report(suspected, in: self) }
        return reading
    }

    /// Returns the error of a call whose payload was not decoded.
    func refusal(of reading: EnvelopeResult, as decoded: Any.Type?, _ error: any Error) -> any Error {
        guard var error = error as? APIError, error.kind == .decoding || error.kind == .missingPayload else { return error }
        // A response that cannot be decoded is removed from the cache, because it is useless to the next call as well.
        if let key = history.cacheKey { profile.cache?.storage.remove(key) }
        error.explanation = envelope.explain(
            reading.response, as: decoded ?? JSON.self, fit: EnvelopeReader.fit(by: decoder), request: { self.history.request })
        return error
    }
}

extension Call {
    /// Reads the envelope of the response to an attempt.
    @inline(never)
    fileprivate func read(_ response: inout HTTPResponse, as decoded: Any.Type?) throws {
        // Recorded for the cache, because the error contains only a part of the response.
        if profile.hasCache { run.history.note(absence: CacheRules.saysAbsent(response.status) ? response : nil) }
        var reader = EnvelopeReader(envelope: run.envelope, decoded: decoded)
        reader.adopt(run)
        // Attempts that run at the same time have different requests.
        if reader.request != nil { reader.request = { run.history.request(of: self) } }
        let reading = try run.read(response, by: reader)
        run.inspected?.note(reading.code, as: decoded)
        response.received = .reading(reading)
    }

    /// Returns the whole response, read piece by piece if its progress is observed or it can be suspended.
    fileprivate func receive() async throws -> HTTPResponse {
        let limits = try AttemptLimits(of: self)
        defer { limits.end() }
        if run.isWatched { return try await collect(limits.stopper) }
        let carrier = carrier
        return try await Redirects.follow(self) { request in
            defer { limits.stopper.rest() }
            return try await carrier.receive(request, limit: configuration.bodyLimit, stopper: limits.stopper, of: self)
        }
    }
}

extension CallRun {
    /// Whether the progress of the transfer is observed, or the call can be suspended.
    var isWatched: Bool { progress != nil || !task.controls.isEmpty }

    /// Returns the value of a call that has begun, and ends the call, also if it fails.
    package func value<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> Value {
        do {
            return try await Pipeline.valueOfBegun(target, of: self)
        } catch {
            throw await conclude(reason(of: error))
        }
    }
}

extension Call: CallInTransfer {
    var stub: StubContext {
        let request = run.request
        return StubContext(
            tag: request.tag, attempt: attempt, envelope: run.envelope, encoder: configuration.encoder, clock: client.clock,
            hostPath: request.location.absolute == nil ? (try? run.ownHome?.get())?.path ?? "" : "", style: configuration.parameterStyle)
    }

    /// The transport of this call's requests: one of the call's own, or that of the client.
    var carrier: Carrier { replacement?.value ?? run.configuration.carrier ?? client.carrier }
}

extension RequestSteps {
    /// Sets a transport for this call's requests.
    package consuming func transport(_ transport: any Transport) -> Self {
        request.options[\.carrier] = Carrier(transport)
        return self
    }
}
