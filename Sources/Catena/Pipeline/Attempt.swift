/// What one attempt of a call does, and what it brings when it succeeds.
protocol Attempt: Sendable {
    func run(_ call: Call) async throws -> HTTPResponse

    /// Looks at the answer once more as it leaves the stages: interceptors may have changed it, or made it.
    func conclude(_ response: HTTPResponse, of execution: Execution) async throws -> HTTPResponse
}

/// Receives a whole answer and reads it.
struct CollectingAttempt: Attempt {
    /// The type that is decoded from the payload; `nil` if any body will do.
    let decoded: Any.Type?

    func run(_ call: Call) async throws -> HTTPResponse {
        var response = call.execution.isWatched ? try await call.collect() : try await receive(call)
        response.hide(call.profile.redaction)
        response.attach(try EnvelopeReader(call.execution, decoded: decoded).read(response))
        return response
    }

    /// What is to be read again is read where it is decoded.
    func conclude(_ response: HTTPResponse, of execution: Execution) -> HTTPResponse { response }

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
        let limit = execution.attemptLimit
        let interruption = Interruption(silence: Silence(execution.silenceLimits, on: client.clock))
        defer { interruption.silence?.end() }
        let timer = client.clock.schedule(after: limit) { interruption.interrupt(with: APIError.late(attempt: limit)) }
        defer { timer.cancel() }
        return try await body(interruption)
    }
}

extension Execution {
    var deadline: Duration? { request.options.deadline ?? profile.deadline }

    var attemptLimit: Duration { request.options.timeout ?? profile.timeout }

    var silenceLimits: Silence.Limits {
        Silence.Limits(
            firstByte: request.options.firstByteTimeout ?? profile.firstByteTimeout,
            idle: request.options.idleTimeout ?? profile.idleTimeout)
    }

    /// Whether somebody follows the transfer of the body or may hold it up.
    var isWatched: Bool { progress != nil || !task.controls.isEmpty }
}

extension APIError {
    static func late(attempt limit: Duration) -> APIError {
        APIError(.timeout, message: "The attempt took longer than its limit of \(limit).")
    }

    static func late(_ deadline: Duration) -> APIError {
        APIError(.timeout, message: "The call took longer than its deadline of \(deadline).")
    }
}
