import Foundation

/// What an answer says: whether the call succeeded, and where its payload is. From one pass over the bytes.
struct Reading: Sendable {
    /// Where the payload of a successful answer is.
    enum Payload: Sendable, Equatable {
        /// The whole body.
        case body
        /// This range of the body's text.
        case range(Range<Int>)
        /// The answer is an envelope and has none, or is nothing but `null`.
        case missing
        /// There is no body.
        case empty
    }

    let response: HTTPResponse
    /// The body in UTF-8; what ``payload`` is a range of.
    let text: Data
    var payload = Payload.body
    var code: ErrorCode?
    var message = ""

    init(_ response: HTTPResponse) {
        self.response = response
        text = BodyText.utf8(of: response)
    }
}

/// Reads answers as an envelope says. Pure.
struct EnvelopeReader: Sendable {
    let envelope: Envelope
    /// The type that the call decodes from JSON; `nil` if it wants the body as it is.
    let decoded: Any.Type?

    /// Reads an answer; throws if the backend or HTTP says that the call failed, or if the body is not JSON although it must be.
    func read(_ response: HTTPResponse) throws -> Reading {
        var reading = Reading(response)
        if reading.text.isEmpty {
            reading.payload = .empty
        } else if mayBeEnvelope(reading.text) || decoded != nil {
            try examine(&reading)
        }
        guard response.isSuccess else { throw failure(reading) }
        return reading
    }
}

extension EnvelopeReader {
    /// White space, a byte order mark or an opening brace is how an envelope begins; an image is not searched for one.
    private func mayBeEnvelope(_ text: Data) -> Bool {
        switch text.first {
        case UInt8(ascii: "{"), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), 0xEF: true
        default: false
        }
    }

    private func examine(_ reading: inout Reading) throws {
        let bytes = [UInt8](reading.text)
        let scan: JSONScan
        do throws(JSONSyntaxError) {
            scan = try JSONScan(bytes, tree: envelope.places.tree)
        } catch {
            // What an error status has to say is the status; whatever page comes with it.
            guard let decoded, reading.response.isSuccess else { return }
            throw reading.malformed(error, as: decoded)
        }
        switch scan.root.kind {
        case .object: try judge(scan, bytes, &reading)
        case .null: reading.payload = .missing
        case .bool, .number, .string, .array: break
        }
    }

    private func judge(_ scan: JSONScan, _ bytes: [UInt8], _ reading: inout Reading) throws {
        let places = envelope.places
        let code = first(of: places.codes, in: scan) { self.code(at: $0, bytes) }
        let flag = first(of: places.flags, in: scan) { span in span.kind == .bool ? bytes[span.range.lowerBound] == UInt8(ascii: "t") : nil
        }
        let message = first(of: places.messages, in: scan) { span in span.kind == .null ? nil : text(at: span, bytes) }
        let payload = first(of: places.payloads, in: scan) { span in span.kind == .null ? nil : span.range }
        let hasPayload = places.payloads.contains { scan[$0] != nil }
        let hasCompany = hasPayload || places.messages.contains { scan[$0] != nil }
        let isEnvelope =
            flag != nil || code.map { !places.guarded.contains($0.place) || hasCompany || isAlone(scan, bytes) } ?? false
            || (places.codes.isEmpty && places.flags.isEmpty && hasPayload)
        // An error status explains itself in the message even where there is no code.
        if isEnvelope || !reading.response.isSuccess { reading.message = message?.value ?? "" }
        guard isEnvelope else { return }
        reading.code = code?.value
        reading.payload = payload.map { .range($0.value) } ?? .missing
        let isRefused = flag?.value == false || !(code.map { envelope.successes.contains($0.value) } ?? true)
        if isRefused { throw failure(reading) }
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

    /// A number that is no integer, a boolean, an array and an object are kept as their text, so that none is ever taken for 0.
    private func code(at span: JSONSpan, _ bytes: [UInt8]) -> ErrorCode? {
        if span.kind == .null { return nil }
        if span.kind == .number, let number = (try? JSON(bytes[...], span))?.int { return .integer(number) }
        return .string(text(at: span, bytes))
    }

    /// A string's characters; of anything else the JSON text.
    private func text(at span: JSONSpan, _ bytes: [UInt8]) -> String {
        let string = span.kind == .string ? (try? JSON(bytes[...], span))?.string : nil
        return string ?? String(decoding: bytes[span.range], as: UTF8.self)
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
}

extension APIError {
    /// Adds what is known from the answer.
    mutating func attach(_ response: HTTPResponse) {
        status = response.status
        self.response = ResponseSummary(response)
        // A copy, since a slice would keep the whole body in memory.
        body = Data(response.body.prefix(Self.bodyLimit))
    }
}
