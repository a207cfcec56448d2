import CatenaPlatform

/// Waits for the head of a success response and leaves the body to its reader.
///
/// Any other response is received whole and read as an envelope, so that the message of an error never becomes a stream of bytes.
struct StreamMode: ResponseMode, AttemptMode {
    var sharing: SharingRequirement? { nil }

    func run(_ call: Call) async throws -> HTTPResponse {
        let openResponse = try await call.open(call.prepared)
        var response = openResponse.response
        response.received = .body(openResponse.body)
        // The request has been sent entirely, although the response is still arriving.
        call.run.progress?.finish(.upload)
        return response
    }

    func product(of response: HTTPResponse, for run: CallRun) async throws -> OpenResponse {
        var response = response
        if !run.takes(response), case .body(let body) = response.received {
            let limit = run.configuration.timeout
            response = try await OpenResponse(response: response, body: body).collected(
                limit: run.configuration.bodyLimit, within: limit)
        }
        try run.check(response)
        if case .body(let body) = response.received {
            run.inspected?.beginStream()
            return OpenResponse(response: response, body: body)
        }
        // An interceptor has replaced the response.
        return OpenResponse(response: response, body: BodyReader(TransportBody(response.body).owner, of: run, idleLimit: nil))
    }
}

extension CallRun {
    /// Throws the error of a response that is not a success, or whose type the call does not accept.
    func check(_ response: HTTPResponse) throws {
        if let refusal = configuration.acceptedTypes?.refusal(of: response, isEmpty: response.saysItIsEmpty) { throw refusal }
        if !takes(response) { _ = try EnvelopeReader(self, decoded: nil).read(response) }
    }
}

/// A response whose body has not been read yet.
struct OpenResponse: ReceivedResponse, Sendable {
    /// The head, and the whole body if the status is not a success status.
    var response: HTTPResponse
    /// The body of a success.
    let body: BodyReader

    /// Returns the response with its whole body. Throws if the body exceeds `limit` bytes, or takes longer than `time` to arrive.
    func collected(limit: Int, within time: Duration) async throws -> HTTPResponse {
        // The timer ends the body and cancels no task, because a cancelled reader would end the call as cancelled.
        let timer = body.schedule(.late(attempt: time), after: time)
        defer { timer.cancel() }
        return try await collected(limit: limit, notifying: nil)
    }

    /// Returns the response with its whole body. Throws if the body exceeds `limit` bytes.
    func collected(limit: Int, notifying progress: ProgressReporter?) async throws -> HTTPResponse {
        let limit = ErrorBody.limit(limit, status: response.status)
        var response = response
        var collected = Data()
        let length = response.bodyLength
        progress?.note(.download, 0, of: length)
        do {
            while let piece = try await body.next() {
                guard piece.count <= limit - collected.count else {
                    throw TransportBody.tooLarge(limit, status: response.status, headers: response.headers)
                }
                if collected.isEmpty { collected = piece } else { collected.append(piece) }
                progress?.note(.download, Int64(collected.count), of: length)
            }
        } catch  where ErrorBody.isForgiven(error, status: response.status) {
            response.bodyFault = APIError.wrapping(error)
        }
        response.body = collected
        return response
    }
}

extension Call {
    /// Sends a request of this attempt, and waits for the head of a success response within the attempt's time limit.
    func open(_ request: HTTPRequest) async throws -> OpenResponse {
        let limits = try AttemptLimits(of: self, isOpen: true)
        defer { limits.end() }
        let opened = try await open(request, limits.stopper, idleLimit: run.configuration.inactivity.idle ?? BodyReader.usualIdleLimit)
        // The body ends with the call, too.
        stopper.add(opened.body.owner.pipe)
        return opened
    }

    /// Returns the whole response, read piece by piece so that its progress is reported and it can be suspended.
    func collect(_ stopper: TransferStopper) async throws -> HTTPResponse {
        var openResponse = try await open(prepared, stopper, idleLimit: run.configuration.inactivity.idle)
        stopper.watch { [body = openResponse.body] error in body.stop(with: error) }
        let start = client.clock.now
        openResponse.response = try await openResponse.collected(limit: configuration.bodyLimit, notifying: run.progress)
        openResponse.response.timings?.transfer = client.clock.now - start
        return openResponse.response
    }

    private func open(_ request: HTTPRequest, _ stopper: TransferStopper, idleLimit: Duration?) async throws -> OpenResponse {
        var call = self
        call.prepared = request
        let openResponse = try await Redirects.follow(call) { request in try await receive(request, stopper, idleLimit: idleLimit) }
        // The reader watches for inactivity from here on, because only it knows when it is waiting.
        stopper.inactivity?.end()
        try run.check(openResponse.response)
        return openResponse
    }

    private func receive(_ request: HTTPRequest, _ stopper: TransferStopper, idleLimit: Duration?) async throws -> OpenResponse {
        stopper.inactivity?.begin(stopper)
        let carrier = carrier
        let progress = run.progress
        let request = request.notifying(progress, stopper.meter, splits: carrier.splitsBodies)
        return try await stopper.run {
            var openResponse = try await carrier.transport.send(request, in: TransferContext(limit: nil, stopper: stopper, of: self))
            stopper.inactivity?.noteReceived()
            if let length = request.bodyLength, HTTPResponse.isSuccess(openResponse.status) { progress?.note(.upload, length, of: length) }
            let body = BodyReader(openResponse.body.owner, of: run, idleLimit: idleLimit)
            openResponse.body = TransportBody(body.owner)
            var response = HTTPResponse(status: openResponse.status, headers: openResponse.headers, address: request.address)
            response.source = openResponse.source
            response.timings = openResponse.timings
            run.inspected?.note(received: 0, of: response.bodyLength)
            if !run.takes(response) {
                let limit = configuration.bodyLimit
                (response.body, response.bodyFault) = try await openResponse.collectBody(limit: limit, notifying: stopper)
            }
            return OpenResponse(response: response, body: body)
        }
    }
}
