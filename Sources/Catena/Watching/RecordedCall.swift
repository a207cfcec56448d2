package import CatenaPlatform

/// One attempt of a call, as shown by logs and archives.
package struct RecordedCall: Sendable {
    package var request: HTTPRequest
    package var tag: Tag?
    package var attempt = 1
    /// The number of the call, or `nil` if it was read from a file.
    var callID: UInt64?
    /// The date at which the attempt began.
    package var started: Date
    package var timings = CallTimings()
    package var response: HTTPResponse?
    /// The error of the attempt. There may be a response as well.
    package var error: APIError?

    /// The sizes of the bodies before they were cut.
    private var wholeSizes: (request: Int, response: Int)?

    package init(
        request: HTTPRequest, tag: Tag? = nil, attempt: Int = 1, started: Date, timings: CallTimings = CallTimings(),
        response: HTTPResponse? = nil, error: APIError? = nil
    ) {
        self.request = request
        self.tag = tag
        self.attempt = attempt
        self.started = started
        self.timings = timings
        self.response = response
        self.error = error
    }

    /// Returns the call with an error, and with the error's timings if the response has none.
    package func failed(with error: any Error) -> RecordedCall {
        var call = self
        let error = APIError.wrapping(error)
        call.error = error
        if response?.timings == nil, let timings = error.timings { call.timings = timings }
        return call
    }

    /// Returns the call with the sizes of bodies that are not stored whole.
    package func sized(request: Int?, response: Int?) -> RecordedCall {
        var call = self
        call.wholeSizes = (request ?? requestSize, response ?? responseSize)
        return call
    }

    /// The number of bytes of the request's body, or -1 if it is not known before the body ends.
    package var requestSize: Int { wholeSizes?.request ?? (request.hasBody ? Int(clamping: request.bodyLength ?? -1) : 0) }
    package var responseSize: Int { wholeSizes?.response ?? response?.body.count ?? 0 }

    /// Returns the call with the bodies cut to the part that will be shown, so that the rest can be freed.
    package func cut(to limit: Int) -> RecordedCall {
        var call = self
        call.wholeSizes = (requestSize, responseSize)
        call.request.body = request.body.map { Self.cut($0, to: limit) }
        call.request.bodySource = nil
        call.response = response?.withoutReceivedPayload
        if let body = response?.body { call.response?.body = Self.cut(body, to: limit) }
        // The response contains this body.
        call.error?.body = nil
        return call
    }

    private static func cut(_ body: Data, to limit: Int) -> Data {
        // Copied through an array, because a slice would retain the whole body.
        body.count > limit ? Data([UInt8](body.prefix(limit))) : body
    }

    /// The approximate size of the call in memory, in bytes.
    package var size: Int {
        let fields = request.headers.fields + (response?.headers.fields ?? [])
        let texts = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return 1024 + texts + (request.body?.count ?? 0) + (response?.body.count ?? 0) + (error?.message.utf8.count ?? 0)
    }
}

/// Combines the events of each attempt into a record.
package final class CallRecords: Sendable {
    private struct State {
        /// The attempts in progress of each call, by attempt number.
        var open: [UInt64: [Int: (call: RecordedCall, start: Duration)]] = [:]
        /// The calls without any record so far.
        var unrecorded: Set<UInt64> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns the attempts that an event ends, or the call if it ended without an attempt.
    package func record(_ event: CallEvent) -> [RecordedCall] {
        switch event.kind {
        case .started: state.withLock { _ = $0.unrecorded.insert(event.callID) }
        case .attempt:
            guard let call = RecordedCall(event) else { return [] }
            state.withLock { $0.open[event.callID, default: [:]][event.attempt] = (call, event.elapsed) }
        case .retrying: break
        case .answered(let response): return end(event, response, nil)
        case .failed(let error): return end(event, nil, error)
        case .finished(.success(let response)): return finish(event, response, nil)
        case .finished(.failure(let error)): return finish(event, nil, error)
        }
        return []
    }

    private func end(_ event: CallEvent, _ response: HTTPResponse?, _ error: (any Error)?) -> [RecordedCall] {
        let begun = state.withLock { state in
            state.unrecorded.remove(event.callID)
            let begun = state.open[event.callID]?.removeValue(forKey: event.attempt)
            if state.open[event.callID]?.isEmpty == true { state.open.removeValue(forKey: event.callID) }
            return begun
        }
        return begun.map { [$0.call.ended(response, error, after: event.elapsed - $0.start)] } ?? []
    }

    private func finish(_ event: CallEvent, _ response: HTTPResponse?, _ error: (any Error)?) -> [RecordedCall] {
        let (begun, isUnrecorded) = state.withLock { state in
            let attempts = state.open.removeValue(forKey: event.callID) ?? [:]
            return (attempts.valuesInOrder(), state.unrecorded.remove(event.callID) != nil)
        }
        // These attempts were in progress when the call was cancelled or exceeded its deadline.
        if !begun.isEmpty { return begun.map { $0.call.ended(response, error, after: event.elapsed - $0.start) } }
        guard isUnrecorded, let call = RecordedCall(event) else { return [] }
        return [call.ended(response, error, after: event.elapsed)]
    }
}

extension RecordedCall {
    fileprivate init?(_ event: CallEvent) {
        guard let request = event.request else { return nil }
        self.init(request: request, tag: event.tag, attempt: max(event.attempt, 1), started: event.date)
        callID = event.callID
    }

    fileprivate func ended(_ response: HTTPResponse?, _ error: (any Error)?, after time: Duration) -> RecordedCall {
        var call = self
        call.response = response
        call.error = error.map(APIError.wrapping)
        if let head = call.error?.response {
            call.response = HTTPResponse(
                status: head.status, headers: head.headers, body: call.error?.body ?? Data(), address: request.address)
        }
        if let timings = response?.timings ?? call.error?.timings { call.timings = timings }
        // If the transport reports no phases, or no first byte arrived, the remaining time is the wait for the first byte.
        if call.timings.firstByte == nil { call.timings.firstByte = max(time - call.timings.total, .zero) }
        return call
    }
}
