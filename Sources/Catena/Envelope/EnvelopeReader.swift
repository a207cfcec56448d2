import Foundation

/// Reads responses as an envelope says: from one pass over the bytes, and pure.
///
/// What went wrong is told in this order: an error that a ``ResponseFamily`` knows, the code of the envelope, the HTTP status, a
/// body that is not what it must be.
struct EnvelopeReader: Sendable {
    let envelope: Envelope
    /// The type that the call decodes; `nil` if it wants the body as it is.
    let decoded: Any.Type?
    /// Decoders for what is not JSON, by media type.
    var decoders: PayloadDecoders = [:]
    /// Whether the rule of the call names property lists as what it gets.
    var takesPropertyLists = false
    /// The media types that the call takes; any, unless it says so.
    var acceptedTypes: AcceptedTypes?
    /// Finds errors that only this call knows.
    var ownError: (@Sendable (EnvelopeResult) -> (any Error)?)?

    private var places: EnvelopePlaces { envelope.places }

    init(envelope: Envelope, decoded: Any.Type?) {
        self.envelope = envelope
        self.decoded = decoded
    }

    /// Reads a response; throws if the backend or HTTP says that the call failed, or if the body is not JSON although it must be.
    func read(_ response: HTTPResponse) throws -> EnvelopeResult {
        do {
            return try verdict(on: response)
        } catch var error as APIError where error.kind == .decoding {
            error.explanation = envelope.explain(response, as: decoded ?? JSON.self)
            throw error
        }
    }

    /// Reads a response without explaining why it cannot be decoded.
    func verdict(on response: HTTPResponse) throws -> EnvelopeResult {
        if let refusal = acceptedTypes?.refusal(of: response, isEmpty: response.body.isEmpty) { throw refusal }
        var reading = EnvelopeResult(response)
        let type = MediaType(foreignTo: response.headers["Content-Type"])
        if decoded != nil, let type {
            let isNamed = takesPropertyLists || acceptedTypes?.names(type.name) == true
            reading.decoder = decoders.decoder(of: type.name, isNamed: isNamed)
            reading.isJSON = reading.decoder == nil || type.name.hasSuffix("json")
        }
        let failure = examine(&reading, type?.name)
        reading.isFailure = failure != nil || !places.takes(response.status)
        if let own = ownError?(reading) {
            throw wrapOwnError(own, beside: failure ?? self.failure(of: reading))
        }
        if let failure { throw failure }
        guard places.takes(response.status) else { throw self.failure(of: reading) }
        return reading
    }

    /// What is wrong with the response beside its status.
    ///
    /// - Parameter type: The media type, unless it is JSON.
    private func examine(_ reading: inout EnvelopeResult, _ type: String?) -> APIError? {
        if places.hasAdapter, let outcome = adapt(reading) {
            switch outcome {
            case .success(let adapted):
                let decoder = reading.decoder
                reading = adapted
                reading.decoder = reading.decoder ?? decoder
                unwrap(&reading)
                return nil
            case .failure(let error): return error
            }
        }
        if isBlank(reading.text) {
            reading.payload = .empty
            return nil
        }
        guard mayBeEnvelope(reading.text) || (decoded != nil && reading.isJSON) else { return nil }
        let document: EnvelopeDocument
        do throws(JSONSyntaxError) {
            document = EnvelopeDocument(text: reading.text, scan: try scan(&reading))
        } catch {
            // What an error status has to say is the status; whatever page comes with it.
            guard places.takes(reading.response.status) else { return nil }
            guard let decoded, reading.isJSON else { return failure(in: error, &reading, type) }
            return reading.malformed(error, as: decoded, in: reading.text)
        }
        return judge(document, &reading, type)
    }

    /// What is wrong with a body that is not JSON, for a call that wants no value of it: bytes behind a failing envelope do not make it a
    /// success, and neither does JSON that is nested too deep to be read.
    private func failure(in fault: JSONSyntaxError, _ reading: inout EnvelopeResult, _ type: String?) -> APIError? {
        switch fault.reason {
        case JSONFault.Reason.depth.rawValue: return reading.malformed(fault, as: JSON.self, in: reading.text)
        case JSONFault.Reason.trailingBytes.rawValue:
            let start = Data(reading.text.prefix(fault.offset))
            guard let scan = try? JSONScan(start, tree: places.tree) else { return nil }
            var whole = reading
            return judge(EnvelopeDocument(text: start, scan: scan), &whole, type)
        default: return nil
        }
    }

    /// Reads the text, once also for a type that is to be decoded from it.
    private func scan(_ reading: inout EnvelopeResult) throws(JSONSyntaxError) -> JSONScan {
        guard let decoded, decoded != JSON.self, reading.decoder == nil else { return try JSONScan(reading.text, tree: places.tree) }
        let (scan, scanned) = try ScannedDocument.read(reading.text, places.tree)
        reading.scanned = scanned
        return scan
    }

    /// Whether there is nothing but white space (RFC 8259 §2).
    private func isBlank(_ text: Data) -> Bool {
        text.withUnsafeBytes { bytes in
            bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }
        }
    }

    /// White space, a byte order mark or an opening brace is how an envelope begins; an image is not searched for one.
    private func mayBeEnvelope(_ text: Data) -> Bool {
        switch text.first {
        case UInt8(ascii: "{"), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), 0xEF: true
        default: false
        }
    }

    private func judge(_ document: EnvelopeDocument, _ reading: inout EnvelopeResult, _ type: String?) -> APIError? {
        if document.scan.root.kind == .null { reading.payload = .missing }
        let isFine = places.takes(reading.response.status)
        guard document.scan.root.kind == .object,
            let findings = places.findings(in: document, of: type)
        else {
            return isFine ? unrecognised(document, reading) ?? select(in: document, &reading, nil) : nil
        }
        let rules = findings.rules
        // An error status explains itself in the message even where there is no code.
        if findings.isEnvelope || !isFine {
            reading.message = findings.message?.value ?? ""
            reading.traceID = document.first(of: rules.traceIDs) { $0.kind == .null ? nil : document.text(at: $0) }?.value
        }
        for place in rules.extras {
            if let span = document.scan[place] { reading.extras[places.paths[place].description] = document.json(at: span) }
        }
        if findings.isEnvelope {
            reading.code = findings.code?.value
            readPayload(findings, &reading)
        }
        guard isFine, !findings.isFailure else {
            return failure(of: &reading, findings, in: document)
        }
        if findings.verdict == nil, rules.rules.mediaType == nil, let failure = unrecognised(document, reading) { return failure }
        reading.failureLook = FailureLook(findings, in: document)
        return select(in: document, &reading, rules)
    }

    private func readPayload(_ findings: EnvelopeFindings, _ reading: inout EnvelopeResult) {
        let rules = findings.rules
        if case .found(_, let span) = findings.payload {
            reading.payload = .range(span.range)
            reading.mayBeWhole = rules.guess != nil && places.unwrap == .payload && !rules.changesPayload
            return
        }
        switch rules.rules.missingPayload {
        // Without a place for it there is no other payload than the body.
        case .fail?: reading.payload = rules.payloads.isEmpty ? .body : .missing
        case .body?: reading.payload = .body
        case .null?: reading.payload = .bytes(Data("null".utf8))
        case nil:
            // Values that stand beside the code are the payload, unless the backend says itself that there is none.
            let hasValues = rules.guess != nil && findings.payload == .none && !findings.isAllVocabulary
            reading.payload = hasValues || rules.payloads.isEmpty ? .body : .missing
        }
        if reading.payload == .missing { reading.payloadPlaces = rules.payloads.map { places.paths[$0].description } }
    }

    /// A response that no rules take for an envelope.
    private func unrecognised(_ document: EnvelopeDocument, _ reading: EnvelopeResult) -> APIError? {
        guard let rules = places.rules.first(where: { $0.rules.missingCode != .passThrough }) else { return nil }
        if case .require(let required) = rules.rules.missingCode {
            let missing = zip(rules.required, required).first { place, _ in document.scan[place].map { $0.kind == .null } ?? true }
            guard let missing else { return nil }
            return reading.failure(.decoding, "The response has neither a code nor \"\(missing.1)\".")
        }
        let names = rules.codes.map { "\"\(places.paths[$0])\"" }.joined(separator: ", ")
        return reading.failure(.decoding, "The response has no code; it was looked for at \(names).")
    }
}
