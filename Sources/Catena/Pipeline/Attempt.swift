/// What a call is to bring, and what each of its attempts does for that.
protocol Attempt: Sendable {
    /// What the call brings when it succeeds.
    associatedtype Product: Sendable

    /// What others could use of the answer too; `nil` if only this call can.
    var wholeAnswer: WholeAnswer? { get }

    func run(_ call: Call) async throws -> HTTPResponse

    /// Makes the product of the answer as it leaves the stages: interceptors may have changed it, or made it.
    func product(of response: HTTPResponse, for execution: Execution) async throws -> Product

    /// Clears away what a call that has failed leaves behind; before its end is told.
    func abandon() async
}

extension Attempt {
    func abandon() async {}
}

/// An answer that is received whole, so that it can be kept and shared.
struct WholeAnswer: Sendable {
    /// Whether the body has to be one that has a payload.
    let needsPayload: Bool
}

/// Receives a whole answer, reads it and decodes what it says.
struct CollectingAttempt<Value: Sendable>: Attempt {
    let target: Target<Value>

    var wholeAnswer: WholeAnswer? { WholeAnswer(needsPayload: target.decoded != nil) }

    func run(_ call: Call) async throws -> HTTPResponse {
        var response = call.execution.isWatched ? try await call.collect() : try await receive(call)
        response.hide(call.profile.redaction)
        response.received = .reading(.init(try EnvelopeReader(call.execution, decoded: target.decoded).read(response)))
        return response
    }

    func product(of response: HTTPResponse, for execution: Execution) throws -> Response<Value> {
        let reading = try response.reading ?? EnvelopeReader(execution, decoded: target.decoded).read(response)
        do {
            let value = try target.value(reading, execution.profile.decoder)
            execution.progress?.finish(.upload, .download)
            return Response(value: value, reading, attempts: execution.log.attempts)
        } catch var error as APIError where error.kind == .decoding || error.kind == .missingPayload {
            // An answer that is of no use is not given to the next call either.
            if let key = execution.log.cacheKey { execution.profile.cache?.storage.remove(key) }
            error.explanation = execution.envelope.explain(reading.response, as: target.decoded ?? JSON.self)
            throw error
        }
    }

    private func receive(_ call: Call) async throws -> HTTPResponse {
        let transport = call.ownTransport
        return try await call.withTimeLimit { interruption in
            try await Redirects.follow(call) { request in
                try await call.client.receive(request, over: transport, limit: call.profile.bodyLimit, interruption: interruption)
            }
        }
    }
}

extension Call {
    var envelope: Envelope { execution.envelope }

    /// Limits the time of a part of this attempt.
    func withTimeLimit<Value>(_ body: (Interruption) async throws -> Value) async throws -> Value {
        let limit = execution.settings.timeout
        let interruption = Interruption(silence: Silence(execution.settings.silence, on: client.clock))
        defer { interruption.silence?.end() }
        let timer = client.clock.schedule(after: limit) { interruption.interrupt(with: APIError.late(attempt: limit)) }
        defer { timer.cancel() }
        return try await body(interruption)
    }
}

extension Execution {
    /// Whether somebody follows the transfer of the body or may hold it up.
    var isWatched: Bool { progress != nil || !task.controls.isEmpty }

    /// Sends the request and gives what comes of it with everything that is known about the answer.
    func run<Value: Sendable>(_ target: Target<Value>) async throws -> Response<Value> {
        try await Pipeline.run(self, until: CollectingAttempt(target: target))
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
