import CatenaPlatform

/// Reads responses by an envelope, in one pass over the bytes and without side effects.
///
/// Failures take precedence in this order: the error of a ``ResponseFamily``, the code of the envelope, the HTTP status, an invalid body.
struct EnvelopeReader: Sendable {
    typealias Fit = @Sendable (any Decodable.Type, EnvelopeResult, Data) -> TypeFit

    let envelope: Envelope
    /// The type that the call decodes, or `nil` if it needs the raw body or no value.
    let decoded: Any.Type?
    /// Whether the call needs no value.
    let wantsNothing: Bool
    /// The decoders of payloads that are not JSON, by media type.
    var decoders: PayloadDecoders = [:]
    /// Whether the call's rule accepts property lists.
    var takesPropertyLists = false
    /// The media types that the call accepts, or `nil` for any.
    var acceptedTypes: AcceptedTypes?
    /// Determines how the call's type fits a part of a response, or `nil` if there is no such type.
    var fit: Fit?
    /// Records a type that was decoded although the response has none of its keys.
    var noteNoKeys: (@Sendable (Any.Type) -> Void)?
    /// Whether a payload is left in its envelope, unless the call unwraps a place or the envelope changes the payload.
    var keepsWhole = false
    /// Whether the call's decoder accepts input that is not JSON, such as JSON5.
    var readsMore: (@Sendable () -> Bool)?
    /// Whether the response has no body by the rules of HTTP, as one to HEAD.
    var hasNoBody = false
    /// Returns the request of the response, or `nil` if the envelope does not need it or there is none.
    var request: (@Sendable () -> HTTPRequest?)?
    /// Finds errors that are specific to this call.
    var ownError: (@Sendable (EnvelopeResult) -> (any Error)?)?

    private var places: EnvelopePlaces { envelope.places }

    /// - Parameter decoded: The type that the call decodes, `Void` if it needs no value, or `nil` if it needs the raw body.
    init(envelope: Envelope, decoded: Any.Type?) {
        self.envelope = envelope
        wantsNothing = decoded == Void.self
        self.decoded = wantsNothing ? nil : decoded
    }

    /// Reads a response. Throws if the envelope or the HTTP status reports a failure, or if the body is not JSON although it must be.
    func read(_ response: HTTPResponse) throws -> EnvelopeResult {
        do {
            return try verdict(on: response)
        } catch var error as APIError where error.kind == .decoding || error.kind == .unrecognizedResponse {
            error.explanation = envelope.explain(response, as: decoded ?? JSON.self, fit: fit, request: request)
            throw error
        } catch var error as APIError where error.kind == .business {
            if let suspected = SuspectedSuccess(error, by: envelope) {
                error.explanation = [suspected.advice, error.explanation].compactMap { $0 }.joined(separator: " ")
            }
            throw error
        }
    }

    /// Reads a response without adding an explanation to a decoding error.
    func verdict(on response: HTTPResponse) throws -> EnvelopeResult {
        // A transport returns a broken body if the status tells the outcome. A declared success is one only with its whole body.
        if let fault = response.bodyFault, places.takes(response.status) { throw fault }
        if let refusal = acceptedTypes?.refusal(of: response, isEmpty: response.body.isEmpty) { throw refusal }
        var reading = EnvelopeResult(response)
        let type = MediaType(foreignTo: response.headers["Content-Type"])
        if decoded != nil, let type {
            let isNamed = takesPropertyLists || acceptedTypes?.names(type.name) == true
            reading.contents.decoder = decoders.decoder(of: type.name, isNamed: isNamed)
            reading.contents.isJSON = reading.contents.decoder == nil || type.name.hasSuffix("json")
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

    /// Returns the failure that the body reports, regardless of the status.
    ///
    /// - Parameter type: The media type, or `nil` for JSON.
    private func examine(_ reading: inout EnvelopeResult, _ type: String?) -> APIError? {
        if places.hasAdapter, let outcome = adapt(reading) {
            switch outcome {
            case .success(let adapted):
                let decoder = reading.contents.decoder
                reading = adapted
                reading.contents.decoder = reading.contents.decoder ?? decoder
                unwrap(&reading)
                return nil
            case .failure(let error): return error
            }
        }
        // A body that is decoded as a type is always scanned, whatever its first byte.
        let isWanted = decoded != nil && reading.contents.isJSON
        if places.isStrict {
            if beginning(of: reading.text) == .none {
                reading.payload = .empty
                return mayBeEmpty(reading.response.status) ? nil : unrecognized(reading, "the body is empty")
            }
        } else if !isWanted {
            switch beginning(of: reading.text) {
            case .none:
                reading.payload = .empty
                return nil
            case .other: return failure(ofScalar: reading, type)
            case .envelope: break
            }
        }
        if skim(&reading, type) { return nil }
        let document: EnvelopeDocument
        do throws(JSONSyntaxError) {
            let scan = try self.scan(&reading, type)
            document = places.document(reading.text, scan, of: type, reading.contents.scanned)
        } catch {
            if isWanted, beginning(of: reading.text) == .none {
                reading.payload = .empty
                return nil
            }
            // With an error status, the body may be any page, so the status is the error.
            guard places.takes(reading.response.status) else { return nil }
            if places.isStrict { return unrecognized(reading, "the body is no JSON", error) }
            // The call's own decoder may accept more than JSON.
            if let decoded, decoded != JSON.self, reading.contents.isJSON, readsMore?() == true { return nil }
            guard let decoded, reading.contents.isJSON else { return failure(in: error, &reading, type) }
            return reading.malformed(error, as: decoded, in: reading.text)
        }
        return judge(document, &reading, type)
    }

    /// Reads a response whose payload is not decoded by the strings and brackets of what its verdict does not need. Returns whether that is enough.
    ///
    /// The verdict is that of a strict scan. A valid text gives the same places. An invalid text that can be skimmed has the verdict of its skimming, too.
    /// A failure is left to the strict scan.
    private func skim(_ reading: inout EnvelopeResult, _ type: String?) -> Bool {
        guard decoded == nil, ownError == nil, !places.isStrict, places.takes(reading.response.status),
            let scan = try? JSONScan(reading.text, tree: places.tree(for: type), isSkimming: true)
        else { return false }
        var skimmed = reading
        let failure = judge(places.document(reading.text, scan, of: type), &skimmed, type)
        guard failure == nil, skimmed.contents.suspectedFailure == nil else { return false }
        reading = skimmed
        return true
    }

    /// Returns the failure that a body states although it is not JSON, for a call that decodes nothing. Damage does not make a failure a success, as far as
    /// the text before it can be read. JSON that is nested too deeply fails, too.
    private func failure(in fault: JSONSyntaxError, _ reading: inout EnvelopeResult, _ type: String?) -> APIError? {
        if fault.reason == JSONFault.Reason.depth.rawValue { return reading.malformed(fault, as: JSON.self, in: reading.text) }
        for text in DamagedText(text: reading.text, fault: fault).attempts {
            guard let scan = try? JSONScan(text, tree: places.tree(for: type), isSkimming: true) else { continue }
            var whole = reading
            return judge(places.document(text, scan, of: type), &whole, type)
        }
        return nil
    }

    /// Scans the text. Records the positions of all values if the call decodes a type.
    private func scan(_ reading: inout EnvelopeResult, _ type: String?) throws(JSONSyntaxError) -> JSONScan {
        let tree = places.tree(for: type)
        guard let decoded, decoded != JSON.self, !reading.contents.hasDecoder else { return try JSONScan(reading.text, tree: tree) }
        let (scan, scanned) = try ScannedDocument.read(reading.text, tree)
        reading.contents.scanned = scanned
        return scan
    }

    private enum Beginning {
        /// Only white space (RFC 8259 §2).
        case none
        /// White space, a byte order mark, a brace or a bracket.
        case envelope
        /// Other bytes, such as those of an image, which is not scanned.
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

    private static let scalarBeginnings = Set("\"-0123456789tfn".utf8)

    /// Returns the failure of a JSON scalar that has no code. The text is scanned only if a policy requires a code.
    private func failure(ofScalar reading: EnvelopeResult, _ type: String?) -> APIError? {
        guard places.takes(reading.response.status), places.rules.contains(where: { $0.rules.missingCode != .passThrough }),
            let first = reading.text.first, Self.scalarBeginnings.contains(first),
            let scan = try? JSONScan(reading.text, tree: places.tree(for: type))
        else { return nil }
        return unrecognised(places.document(reading.text, scan, of: type), reading)
    }

    private func judge(_ document: EnvelopeDocument, _ reading: inout EnvelopeResult, _ type: String?) -> APIError? {
        let root = document.scan.root.kind
        if root == .null { reading.payload = .missing }
        let status = reading.response.status
        let isFine = places.takes(status)
        guard root == .object || root == .array, var findings = places.findings(in: document, of: type, status) else {
            return isFine ? unrecognised(document, reading) ?? select(in: document, &reading, nil) : nil
        }
        var trial: TypeTrial?
        // Only a failure or a suspicion depends on the type.
        if isFine, findings.isFailure, isDecidedByType(findings, reading), let own = self.trial(reading, findings.rules) {
            trial = own
            findings.judge(own)
        }
        let rules = findings.rules
        // With an error status, the message describes the failure even if there is no code.
        if findings.isEnvelope || !isFine {
            reading.message = findings.message
            reading.traceID = traceID(findings, in: document)
        }
        for place in rules.extras {
            if let span = document.scan[place] { reading.extras[places.paths[place].description] = document.json(at: span) }
        }
        if findings.verdict != nil || findings.isEnvelope { reading.code = findings.code }
        guard isFine, !findings.isFailure else {
            var error = failure(of: &reading, findings, in: document)
            if let decoded, let fit = trial?.fit(document.scan.root), fit.decodes, fit.asked?.findsAny == true {
                error.explanation = "The whole body fits \(decoded). If it is a \(decoded) and no failure, the call needs .envelope(.raw)."
            }
            return error
        }
        if findings.verdict == nil, rules.rules.mediaType == nil, let failure = unrecognised(document, reading) { return failure }
        if !keepsWhole || rules.changesPayload, findings.standard != nil || findings.isEnvelope { readPayload(findings, trial, &reading) }
        if let standard = findings.standard, !findings.isDeclared {
            reading.contents.suspectedFailure = suspectedFailure(standard, findings, reading, trial)
        }
        return select(in: document, &reading, rules)
    }

    /// Returns the reason why an accepted response looks like a failure.
    private func suspectedFailure(
        _ standard: StandardFindings, _ findings: EnvelopeFindings, _ reading: EnvelopeResult, _ trial: TypeTrial?
    ) -> SuspectedFailure? {
        guard let suspected = standard.suspectedFailure(findings.sign, nil) else { return nil }
        // Without `??`, whose autoclosure would copy the reader.
        var trial = trial
        if trial == nil { trial = possibleTrial(of: findings, reading) }
        guard let trial else { return suspected }
        return standard.suspectedFailure(findings.sign, trial)
    }

    /// How the type of the call fits a response, or `nil` if the type decides nothing.
    func possibleTrial(of findings: EnvelopeFindings, _ reading: EnvelopeResult) -> TypeTrial? {
        places.takes(reading.response.status) && isDecidedByType(findings, reading) ? trial(reading, findings.rules) : nil
    }

    private func isDecidedByType(_ findings: EnvelopeFindings, _ reading: EnvelopeResult) -> Bool {
        decoded != nil && fit != nil && findings.standard != nil && !findings.isDeclared && places.unwrap == .payload
            && !findings.rules.changesPayload && !reading.contents.hasDecoder
    }

    /// - Parameter rules: The rules of a reading that has no payload yet. They say whether null members are removed.
    func trial(_ reading: EnvelopeResult, _ rules: EnvelopePlaces.Rules? = nil) -> TypeTrial? {
        guard let fit, let type = decoded as? any Decodable.Type, type != JSON.self else { return nil }
        var reading = reading
        if rules?.rules.removesNulls == true { reading.contents.removesNulls = true }
        return TypeTrial { span in fit(type, reading, reading.text.bytes(in: span.range)) }
    }

    private func traceID(_ findings: EnvelopeFindings, in document: EnvelopeDocument) -> String? {
        func text(_ span: JSONSpan) -> String? { span.kind == .null ? nil : document.text(at: span) }
        if let own = document.first(of: findings.rules.traceIDs, text)?.value { return own }
        guard findings.rules.traceIDs.isEmpty, let members = findings.standard?.members else { return nil }
        return members.first(of: .traceIDs, text)
    }

    private func readPayload(_ findings: EnvelopeFindings, _ trial: TypeTrial?, _ reading: inout EnvelopeResult) {
        let rules = findings.rules
        let policy = rules.rules.missingPayload
        if let standard = findings.standard {
            let decision = findings.decision
            if decision.isMade, standard.candidate == nil, let policy {
                reading.payload = missing(policy)
            } else {
                reading.payload = trial.map { standard.choice(decision, $0) } ?? standard.choice(decision)
                if trial == nil, decoded != nil, fit != nil, places.unwrap == .payload, !rules.changesPayload {
                    reading.contents.noteNoKeys = noteNoKeys
                    reading.contents.guess = PayloadGuess(standard: standard, decision: decision, part: reading.payload)
                }
            }
        } else if let span = findings.payload {
            reading.payload = .range(span.range)
        } else if rules.payloads.isEmpty, policy == nil || policy == .fail {
            // Without payload places, the body is the payload.
            reading.payload = .body
        } else {
            reading.payload = missing(policy ?? .fail)
        }
        guard reading.payload == .missing else { return }
        reading.contents.payloadPlaces = payloadPlaces(rules)
        reading.contents.isPlaceMissing = rules.rules.isStrict
    }

    private func payloadPlaces(_ rules: EnvelopePlaces.Rules) -> [String] {
        var usual: [String] = []
        if rules.rules.guesses, !rules.rules.payloads.replacesUsual { usual = ["data", "ret", "result"] }
        return usual + rules.payloads.map { places.paths[$0].description }
    }

    private func missing(_ policy: Envelope.MissingPayload) -> EnvelopeResult.Payload {
        switch policy {
        case .fail: .missing
        case .body: .body
        case .null: .bytes(Data("null".utf8))
        }
    }

    /// Applies the policy for responses that no rules recognise as an envelope.
    private func unrecognised(_ document: EnvelopeDocument, _ reading: EnvelopeResult) -> APIError? {
        guard let rules = places.rules.first(where: { $0.rules.missingCode != .passThrough }) else { return nil }
        switch rules.rules.missingCode {
        case .passThrough, .succeed: return nil
        case .require(let required):
            let missing = zip(rules.required, required).first { place, _ in document.scan[place].map { $0.kind == .null } ?? true }
            return missing.map { unrecognized(reading, "it has neither a code nor \"\($0.1)\"") }
        case .fail:
            let usual = rules.rules.guesses && !rules.rules.codes.replacesUsual ? ["\"errcode\"", "\"code\""] : []
            let looked = (usual + (Array(rules.flags) + Array(rules.codes)).map { stands(at: $0, document) }).joined(separator: ", ")
            return unrecognized(reading, "it has no code; it was looked for at \(looked)")
        }
    }

    /// Says what stands at a place.
    private func stands(at place: Int, _ document: EnvelopeDocument) -> String {
        let name = "\"\(places.paths[place])\""
        guard let span = document.scan[place] else { return name }
        return name + ", which is " + BodyExcerpt.start(of: document.text.bytes(in: span.range), contentType: nil)
    }

    private func unrecognized(_ reading: EnvelopeResult, _ reason: String, _ fault: JSONSyntaxError? = nil) -> APIError {
        let start = reading.text.isEmpty ? "" : " It begins: \(reading.start(reading.text))"
        return reading.failure(.unrecognizedResponse, "The response is not as its envelope says: \(reason).\(start)", underlying: fault)
    }

    /// Whether a response of a strict envelope may have no body.
    private func mayBeEmpty(_ status: Int) -> Bool { hasNoBody || places.statuses.contains(status) || !places.takes(status) }
}
