import Foundation

/// Reads responses as an envelope says: from one pass over the bytes, and pure.
///
/// What went wrong is told in this order: an error that a ``ResponseFamily`` knows, the code of the envelope, the HTTP status, a
/// body that is not what it must be.
struct EnvelopeReader: Sendable {
    typealias Fit = @Sendable (any Decodable.Type, EnvelopeResult, Data) -> TypeFit

    let envelope: Envelope
    /// The type that the call decodes; `nil` if it wants the body as it is, or nothing.
    let decoded: Any.Type?
    /// Whether the call wants nothing but that it succeeded.
    let wantsNothing: Bool
    /// Decoders for what is not JSON, by media type.
    var decoders: PayloadDecoders = [:]
    /// Whether the rule of the call names property lists as what it gets.
    var takesPropertyLists = false
    /// The media types that the call takes; any, unless it says so.
    var acceptedTypes: AcceptedTypes?
    /// Says how the type of the call fits a part of a response; `nil` if there is no such type.
    var fit: Fit?
    /// Takes note of a type that has been decoded although none of its keys was there.
    var noteNoKeys: (@Sendable (Any.Type) -> Void)?
    /// Whether the call's decoder reads what is no JSON, such as JSON5.
    var readsMore: (@Sendable () -> Bool)?
    /// Finds errors that only this call knows.
    var ownError: (@Sendable (EnvelopeResult) -> (any Error)?)?

    private var places: EnvelopePlaces { envelope.places }

    /// - Parameter decoded: The type that the call decodes, `Void` if it wants nothing, `nil` if it wants the body as it is.
    init(envelope: Envelope, decoded: Any.Type?) {
        self.envelope = envelope
        wantsNothing = decoded == Void.self
        self.decoded = wantsNothing ? nil : decoded
    }

    /// Reads a response; throws if the backend or HTTP says that the call failed, or if the body is not JSON although it must be.
    func read(_ response: HTTPResponse) throws -> EnvelopeResult {
        do {
            return try verdict(on: response)
        } catch var error as APIError where error.kind == .decoding {
            error.explanation = envelope.explain(response, as: decoded ?? JSON.self, fit: fit)
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
        // What a type is wanted of is read whatever it begins with.
        let isWanted = decoded != nil && reading.isJSON
        if !isWanted {
            switch beginning(of: reading.text) {
            case .none:
                reading.payload = .empty
                return nil
            case .other: return nil
            case .envelope: break
            }
        }
        let document: EnvelopeDocument
        do throws(JSONSyntaxError) {
            let scan = try self.scan(&reading, type)
            document = places.document(reading.text, scan, of: type, reading.scanned)
        } catch {
            if isWanted, beginning(of: reading.text) == .none {
                reading.payload = .empty
                return nil
            }
            // What an error status has to say is the status; whatever page comes with it.
            guard places.takes(reading.response.status) else { return nil }
            // The call's own decoder may read more than JSON.
            if let decoded, decoded != JSON.self, reading.isJSON, readsMore?() == true { return nil }
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
            guard let scan = try? JSONScan(start, tree: places.tree(for: type)) else { return nil }
            var whole = reading
            return judge(places.document(start, scan, of: type), &whole, type)
        default: return nil
        }
    }

    /// Reads the text, once also for a type that is to be decoded from it.
    private func scan(_ reading: inout EnvelopeResult, _ type: String?) throws(JSONSyntaxError) -> JSONScan {
        let tree = places.tree(for: type)
        guard let decoded, decoded != JSON.self, !reading.hasDecoder else { return try JSONScan(reading.text, tree: tree) }
        let (scan, scanned) = try ScannedDocument.read(reading.text, tree)
        reading.scanned = scanned
        return scan
    }

    private enum Beginning {
        /// There is nothing but white space (RFC 8259 §2).
        case none
        /// White space, a byte order mark, a brace or a bracket is how an envelope begins.
        case envelope
        /// An image, which is not searched for an envelope.
        case other
    }

    private func beginning(of text: Data) -> Beginning {
        text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Beginning in
            switch bytes.first {
            case UInt8(ascii: "{"), UInt8(ascii: "["), 0xEF: return .envelope
            case nil: return .none
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                return bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 } ? .none : .envelope
            default: return .other
            }
        }
    }

    private func judge(_ document: EnvelopeDocument, _ reading: inout EnvelopeResult, _ type: String?) -> APIError? {
        let root = document.scan.root.kind
        if root == .null { reading.payload = .missing }
        let status = reading.response.status
        let isFine = places.takes(status)
        guard root == .object || root == .array,
            var findings = places.findings(in: document, of: type, status, wantsNothing ? .nothing : .anything)
        else {
            return isFine ? unrecognised(document, reading) ?? select(in: document, &reading, nil) : nil
        }
        var isClear = false
        let trial = isFine ? trial(of: findings, in: document, reading, &isClear) : nil
        let want = trial.map(StandardFindings.Want.type) ?? (wantsNothing ? .nothing : .anything)
        if trial != nil { findings.judge(want, status) }
        let rules = findings.rules
        // An error status explains itself in the message even where there is no code.
        if findings.isEnvelope || !isFine {
            reading.message = findings.message
            reading.traceID = traceID(findings, in: document)
        }
        for place in rules.extras {
            if let span = document.scan[place] { reading.extras[places.paths[place].description] = document.json(at: span) }
        }
        if findings.verdict != nil || findings.isEnvelope { reading.code = findings.code }
        guard isFine, !findings.isFailure else {
            return failure(of: &reading, findings, in: document)
        }
        if findings.verdict == nil, rules.rules.mediaType == nil, let failure = unrecognised(document, reading) { return failure }
        readPayload(findings, trial, in: document, &reading, type)
        if !isClear, let standard = findings.standard, !findings.isDeclared {
            reading.failureLook = standard.failureLook(findings.sign, want)
        }
        return select(in: document, &reading, rules)
    }

    /// How the type of the call fits the response, where that may change what the response says: it has a sign of failure.
    ///
    /// - Parameter isClear: Set where the response has been found to have no such sign, nor the look of a failure.
    private func trial(
        of findings: EnvelopeFindings, in document: EnvelopeDocument, _ reading: EnvelopeResult, _ isClear: inout Bool
    ) -> TypeTrial? {
        guard isDecidedByType(findings, reading), let standard = findings.standard else { return nil }
        guard findings.isFailure || standard.isAmbiguous(findings.sign) else {
            isClear = true
            return nil
        }
        return trial(reading)
    }

    /// How the type of the call fits a response, whether that changes its reading or not; `nil` if the type decides nothing.
    func possibleTrial(of findings: EnvelopeFindings, _ reading: EnvelopeResult) -> TypeTrial? {
        places.takes(reading.response.status) && isDecidedByType(findings, reading) ? trial(reading) : nil
    }

    private func isDecidedByType(_ findings: EnvelopeFindings, _ reading: EnvelopeResult) -> Bool {
        decoded != nil && fit != nil && findings.standard != nil && !findings.isDeclared && places.unwrap == .payload
            && !findings.rules.changesPayload && !reading.hasDecoder
    }

    func trial(_ reading: EnvelopeResult) -> TypeTrial? {
        guard let fit, let type = decoded as? any Decodable.Type, type != JSON.self else { return nil }
        return TypeTrial { span in fit(type, reading, reading.text.bytes(in: span.range)) }
    }

    private func traceID(_ findings: EnvelopeFindings, in document: EnvelopeDocument) -> String? {
        if let own = document.first(of: findings.rules.traceIDs, { $0.kind == .null ? nil : document.text(at: $0) })?.value { return own }
        guard let members = findings.standard?.members else { return nil }
        var words = members.words.intersection(.traceIDs).subtracting(findings.rules.rules.disabled)
        while let word = words.popFirst() {
            if let span = members[word], span.kind != .null { return document.text(at: span) }
        }
        return nil
    }

    private func readPayload(
        _ findings: EnvelopeFindings, _ trial: TypeTrial?, in document: EnvelopeDocument, _ reading: inout EnvelopeResult, _ type: String?
    ) {
        let rules = findings.rules
        guard let standard = findings.standard else {
            if findings.isEnvelope { readDeclaredPayload(findings, &reading) }
            return
        }
        let decision = findings.decision
        if decision.isMade, standard.candidate == nil, let policy = rules.rules.missingPayload {
            reading.payload = missing(policy)
        } else {
            let choice = trial.map { standard.choice(decision, $0) } ?? standard.choice(decision)
            switch choice {
            case .payload(let span): reading.payload = .range(span.range)
            case .whole: reading.payload = .body
            case .missing: reading.payload = .missing
            }
            if trial == nil, decoded != nil, fit != nil, places.unwrap == .payload, !rules.changesPayload {
                var isPayload = false
                if case .payload = choice { isPayload = true }
                reading.noteNoKeys = noteNoKeys
                reading.guess = findings.guess(standard, isPayload: isPayload, places, type)
            }
        }
        if reading.payload == .missing { reading.payloadPlaces = payloadPlaces(rules) }
    }

    private func payloadPlaces(_ rules: EnvelopePlaces.Rules) -> [String] {
        var usual: [String] = []
        if rules.rules.guesses, !rules.rules.disabled.contains(.data) { usual = ["data", "ret", "result"] }
        return usual + rules.payloads.map { places.paths[$0].description }
    }

    private func readDeclaredPayload(_ findings: EnvelopeFindings, _ reading: inout EnvelopeResult) {
        let rules = findings.rules
        if case .found(let span) = findings.payload {
            reading.payload = .range(span.range)
            return
        }
        // Without a place for it there is no other payload than the body.
        switch rules.rules.missingPayload {
        case .fail?, nil: reading.payload = rules.payloads.isEmpty ? .body : .missing
        case .some(let policy): reading.payload = missing(policy)
        }
        if reading.payload == .missing { reading.payloadPlaces = payloadPlaces(rules) }
    }

    private func missing(_ policy: Envelope.MissingPayload) -> EnvelopeResult.Payload {
        switch policy {
        case .fail: .missing
        case .body: .body
        case .null: .bytes(Data("null".utf8))
        }
    }

    /// A response that no rules take for an envelope.
    private func unrecognised(_ document: EnvelopeDocument, _ reading: EnvelopeResult) -> APIError? {
        guard let rules = places.rules.first(where: { $0.rules.missingCode != .passThrough }) else { return nil }
        if case .require(let required) = rules.rules.missingCode {
            let missing = zip(rules.required, required).first { place, _ in document.scan[place].map { $0.kind == .null } ?? true }
            guard let missing else { return nil }
            return reading.failure(.decoding, "The response has neither a code nor \"\(missing.1)\".")
        }
        let usual = rules.rules.guesses && !rules.rules.disabled.contains(.code) ? ["errcode", "code"] : []
        let names = (usual + rules.codes.map { places.paths[$0].description }).map { "\"\($0)\"" }.joined(separator: ", ")
        return reading.failure(.decoding, "The response has no code; it was looked for at \(names).")
    }
}
