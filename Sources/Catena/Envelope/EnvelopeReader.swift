import Foundation

/// What an answer says: whether the call succeeded, and where its payload is. From one pass over the bytes.
struct Reading: Sendable {
    /// Where the payload of a successful answer is.
    enum Payload: Sendable, Equatable {
        /// The whole body.
        case body
        /// This range of the body.
        case range(Range<Int>)
        /// The answer is an envelope and has none.
        case missing
        /// There is no body.
        case empty
    }

    let response: HTTPResponse
    var payload = Payload.body
    var code: ErrorCode?
    var message = ""
}

/// Reads answers as an envelope says. Pure.
struct EnvelopeReader: Sendable {
    let envelope: Envelope
    /// Whether the call wants the body as it is, so that it need not be JSON.
    let acceptsAnyBody: Bool

    /// Reads an answer; throws if the backend or HTTP says that the call failed, or if the body is not JSON although it must be.
    func read(_ response: HTTPResponse) throws -> Reading {
        var reading = Reading(response: response)
        if let fault = envelope.places.fault { throw APIError.invalid("envelope", "\(fault)", underlying: fault) }
        guard !response.body.isEmpty else {
            reading.payload = .empty
            guard response.isSuccess else { throw failure(reading) }
            return reading
        }
        let bytes = [UInt8](response.body)
        guard mayBeJSON(bytes) || !acceptsAnyBody else {
            guard response.isSuccess else { throw failure(reading) }
            return reading
        }
        let scan: JSONScan
        do throws(JSONSyntaxError) {
            scan = try JSONScan(bytes, tree: envelope.places.tree)
        } catch {
            guard response.isSuccess else { throw failure(reading) }
            guard acceptsAnyBody else { throw notJSON(error, reading) }
            return reading
        }
        try judge(scan, bytes, &reading)
        return reading
    }
}

extension EnvelopeReader {
    /// White space, a byte order mark or an opening bracket is how an envelope begins; an image is not searched for one.
    private func mayBeJSON(_ bytes: [UInt8]) -> Bool {
        switch bytes.first {
        case UInt8(ascii: "{"), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), 0xEF: true
        default: false
        }
    }

    private func judge(_ scan: JSONScan, _ bytes: [UInt8], _ reading: inout Reading) throws {
        guard scan.root.kind == .object, !envelope.isNone else {
            guard reading.response.isSuccess else { throw failure(reading) }
            return
        }
        let places = envelope.places
        let code = first(of: places.codes, in: scan) { self.code(at: $0, bytes) }
        let flag = first(of: places.flags, in: scan) { span in span.kind == .bool ? bytes[span.range.lowerBound] == UInt8(ascii: "t") : nil }
        let message = first(of: places.messages, in: scan) { span in span.kind == .null ? nil : text(at: span, bytes) }
        let payload = first(of: places.payloads, in: scan) { span in span.kind == .null ? nil : span.range }
        let hasCompany = places.messages.contains { scan[$0] != nil } || places.payloads.contains { scan[$0] != nil }
        let isEnvelope =
            flag != nil || code.map { !places.guarded.contains($0.place) || hasCompany || isAlone(scan, bytes) } ?? false
        // An error status explains itself in the message even where there is no code.
        if isEnvelope || !reading.response.isSuccess { reading.message = message?.value ?? "" }
        if isEnvelope { reading.code = code?.value }
        let isRefused = isEnvelope && (flag?.value == false || !(code.map { envelope.successes.contains($0.value) } ?? true))
        if isRefused || !reading.response.isSuccess { throw failure(reading) }
        if isEnvelope { reading.payload = payload.map { .range($0.value) } ?? .missing }
    }

    /// The first place that has something to say.
    private func first<Value>(
        of places: Range<Int>,
        in scan: JSONScan,
        _ value: (JSONSpan) -> Value?
    ) -> (place: Int, value: Value)? {
        for place in places {
            if let span = scan[place], let value = value(span) { return (place, value) }
        }
        return nil
    }

    /// A code is a number or a text; a boolean is kept as its text, so that `false` is never taken for 0. An object is no code.
    private func code(at span: JSONSpan, _ bytes: [UInt8]) -> ErrorCode? {
        guard let value = try? JSON(bytes[...], span) else { return nil }
        switch span.kind {
        case .number: return value.int.map { .integer($0) } ?? .string(value.text)
        case .string: return value.string.map { .string($0) }
        case .bool: return .string(value.text)
        case .null, .array, .object: return nil
        }
    }

    /// A message that is not a string is its JSON text.
    private func text(at span: JSONSpan, _ bytes: [UInt8]) -> String? {
        guard span.kind == .string else { return String(decoding: bytes[span.range], as: UTF8.self) }
        return (try? JSON(bytes[...], span))?.string
    }

    /// Whether the object has one member only.
    private func isAlone(_ scan: JSONScan, _ bytes: [UInt8]) -> Bool {
        (try? JSON(bytes[...], scan.root))?.object?.count == 1
    }

    // MARK: Errors

    private func failure(_ reading: Reading) -> APIError {
        let response = reading.response
        let business = reading.code.flatMap { envelope.successes.contains($0) ? nil : $0 }
        var error = APIError(
            response.isSuccess ? .business : .status,
            code: business ?? (response.isSuccess ? nil : .integer(response.status)),
            message: reading.message
        )
        error.attach(response)
        return error
    }

    private func notJSON(_ fault: JSONSyntaxError, _ reading: Reading) -> APIError {
        var error = APIError(.decoding, message: "The answer is \(fault).", underlying: fault)
        error.attach(reading.response)
        return error
    }
}

extension APIError {
    /// Adds what is known from the answer.
    mutating func attach(_ response: HTTPResponse) {
        status = response.status
        self.response = ResponseSummary(response)
        body = response.body.prefix(Self.bodyLimit)
    }
}
