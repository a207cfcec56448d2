import CatenaPlatform

// Adapters and errors.

extension EnvelopeReader {
    func adapt(_ reading: EnvelopeResult) -> Result<EnvelopeResult, APIError>? {
        for rules in envelope.places.rules {
            guard let adapter = rules.rules.adapter else { continue }
            do {
                if let adapted = try adapter.read(reading.response) { return .success(adapted) }
            } catch {
                var failure = APIError.wrapping(error)
                if failure.status == nil { failure.attach(reading.response) }
                if failure.category == nil { classify(&failure, rules.rules, delay: nil) }
                return .failure(failure)
            }
        }
        return nil
    }

    /// Creates the error of a response whose envelope reports no failure.
    func failure(of reading: EnvelopeResult) -> APIError {
        failure(of: reading, code: nil, message: reading.message, envelope.places.rules.first?.rules, delay: nil)
    }

    /// Creates the error of a failed response from its envelope, and updates code and message of the reading.
    func failure(of reading: inout EnvelopeResult, _ findings: EnvelopeFindings, in document: EnvelopeDocument) -> APIError {
        let rules = findings.rules
        let isFine = envelope.places.takes(reading.response.status)
        let words = EnvelopeWords(findings, in: document, isFine: isFine)
        reading.code = words.code ?? reading.code
        reading.message = words.message
        // Without a code, a failure with a success status has the code "false".
        var code = words.code ?? (isFine ? "false" : nil)
        // A string that only repeats the status is not a code of its own.
        if !isFine, rules.rules.guesses, case .string(let text) = code, text == String(reading.response.status) { code = nil }
        var error = failure(of: reading, code: code, message: words.message, rules.rules, delay: retryDelay(rules, in: document))
        // The `type` of a problem can have a category, although it is not a code.
        if error.category == nil { classify(&error, byAll: rules, in: document) }
        if error.category == nil, rules.rules.isFailureByType, let type = findings.declared?.code?.value {
            classify(&error, rules.rules, by: type, delay: retryDelay(rules, in: document))
        }
        return error
    }

    private func failure(
        of reading: EnvelopeResult, code: ErrorCode?, message: String, _ rules: EnvelopeRules?, delay: Duration?
    ) -> APIError {
        let response = reading.response
        let isFine = envelope.places.takes(response.status)
        var error = APIError(isFine ? .business : .status, code: code ?? (isFine ? nil : .integer(response.status)), message: message)
        error.attach(response)
        error.traceID = reading.traceID
        if let rules { classify(&error, rules, delay: delay) }
        return error
    }

    private func classify(_ error: inout APIError, _ rules: EnvelopeRules, by code: ErrorCode? = nil, delay: Duration?) {
        guard let found = rules.classification(of: code ?? error.code, status: error.status ?? 0) else { return }
        error.category = found.category
        if found.category == .retryable { error.retryAfter = delay ?? found.delay }
    }

    /// Classifies a failure by the codes of all errors in its list, such as `errors[1].extensions.code`, if the first one has no class.
    private func classify(_ error: inout APIError, byAll rules: EnvelopePlaces.Rules, in document: EnvelopeDocument) {
        guard rules.rules.hasClasses, document.scan.root.kind == .object else { return }
        for place in rules.codes {
            let steps = envelope.places.paths[place].steps
            guard let index = steps.firstIndex(of: .index(0)), let root = document.json(at: document.scan.root) else { continue }
            let list = root.value(at: steps[..<index])
            let codes = (list?.array ?? []).compactMap { $0.value(at: steps[(index + 1)...])?.envelopeCode }
            let known = codes.compactMap { rules.rules.classification(of: $0, status: 0) }
            guard let first = rules.rules.classes.first(where: { own in known.contains { $0.category == own.category } }) else { continue }
            error.category = first.category
            if first.category == .retryable { error.retryAfter = retryDelay(rules, in: document) ?? first.delay }
            return
        }
    }

    func retryDelay(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument) -> Duration? {
        document.first(of: rules.delays) { span in
            let text = document.text(at: span)
            let seconds = Double(text.last == "s" ? String(text.dropLast()) : text)
            // Ignore waits of more than a day.
            return seconds.flatMap { $0 >= 0 && $0 <= 86_400 ? .seconds($0) : nil }
        }?.value
    }

    /// Wraps an error of the caller's types in an error with the response's properties.
    func wrapOwnError(_ own: any Error, beside failure: APIError) -> APIError {
        if var own = own as? APIError {
            if own.status == nil { own.status = failure.status }
            own.response = own.response ?? failure.response
            own.body = own.body ?? failure.body
            return own
        }
        var failure = failure
        if failure.kind == .decoding { failure.kind = .business }
        if failure.message.isEmpty { failure.message = APIError.wrapping(own).message }
        failure.underlying = own
        // `CancellationError` is a cancellation, whatever the response, and not an error of the backend.
        if !(own is CancellationError) { failure.contents.own = own }
        return failure
    }
}

extension APIError {
    /// Adds the properties of the response.
    mutating func attach(_ response: HTTPResponse) {
        status = response.status
        contents.redirection = response.redirection
        contents.origin = response.redirection?.hasLeftOrigin == true ? "" : response.address.origin
        self.response = ResponseSummary(response)
        if underlying == nil { underlying = response.bodyFault }
        if response.status == 401 { contents.challenges = response.headers.values(for: "WWW-Authenticate") }
        timings = response.timings
        // Copy the bytes, because a slice would keep the whole body in memory.
        body = Data(response.body.prefix(Self.bodyLimit))
    }
}

// Changes of the payload before it is decoded.
extension EnvelopeReader {
    /// Selects the part that the call unwraps, and applies the rules for payloads.
    func select(in document: EnvelopeDocument, _ reading: inout EnvelopeResult, _ found: EnvelopePlaces.Rules?) -> APIError? {
        unwrap(&reading, document.scan)
        guard decoded != nil, let numbered = found ?? envelope.places.rules.first else { return nil }
        reading.contents.isEmptyArrayObject = numbered.rules.isEmptyArrayObject
        if numbered.changesPayload, let failure = change(&reading, by: numbered.rules, in: document) { return failure }
        if numbered.rules.removesNulls { reading.removeNulls() }
        return nil
    }

    /// Selects the part that the call unwraps, for a response that an adapter has read.
    func unwrap(_ reading: inout EnvelopeResult) {
        guard envelope.places.unwrap != .payload, !reading.text.isEmpty else { return }
        // A body that is not JSON has no places.
        unwrap(&reading, try? JSONScan(reading.text, tree: envelope.places.tree(for: nil)))
    }

    private func unwrap(_ reading: inout EnvelopeResult, _ scan: JSONScan?) {
        let places = envelope.places
        switch places.unwrap {
        case .payload: break
        case .body: reading.payload = .body
        case .path:
            let span = places.unwrapped.flatMap { scan?[$0] }
            reading.payload = span.flatMap { $0.kind == .null ? nil : .range($0.range) } ?? .missing
            reading.contents.isPlaceMissing = reading.payload == .missing
        }
    }

    private func change(_ reading: inout EnvelopeResult, by rules: EnvelopeRules, in document: EnvelopeDocument) -> APIError? {
        let range: Range<Int>
        switch reading.payload {
        case .body: range = document.scan.root.range
        case .range(let payload): range = payload
        case .bytes, .missing, .empty: return nil
        }
        var bytes = document.text.bytes(in: range)
        if bytes.first == UInt8(ascii: "\"") {
            bytes = Data(document.text(at: JSONSpan(kind: .string, range: range)).utf8)
        } else if rules.transform == nil {
            return nil
        }
        if let transform = rules.transform {
            do {
                bytes = try transform.apply(bytes, request?())
            } catch {
                return reading.failure(.decoding, "transformPayload: \(APIError.wrapping(error).message)", underlying: error)
            }
        } else if bytes.first != UInt8(ascii: "{"), bytes.first != UInt8(ascii: "[") {
            return nil
        }
        do throws(JSONSyntaxError) {
            reading.payload = try JSONScan(bytes, paths: []).root.kind == .null ? .missing : .bytes(bytes)
            return nil
        } catch {
            return reading.malformed(error, as: decoded ?? JSON.self, in: bytes)
        }
    }
}

/// The code and message of a failed response. Declared places come first.
struct EnvelopeWords {
    private(set) var code: ErrorCode?
    private(set) var message = ""

    init(_ findings: EnvelopeFindings, in document: EnvelopeDocument, isFine: Bool) {
        let (places, rules) = (findings.rules, findings.rules.rules)
        func failing(_ code: ErrorCode?) -> ErrorCode? { code.flatMap { rules.meansSuccess($0) ? nil : $0 } }
        if rules.readsIntegers {
            code = failing(findings.declared?.code?.value)
        } else {
            // Since the call failed, any failing code at a code place counts, wherever it is.
            code = document.first(of: places.codes) { failing(document.code(at: $0)) }?.value
        }
        message = findings.declared?.message?.value ?? ""
        if rules.guesses {
            let words = FailureWords(findings, in: document, isFine: isFine)
            code = code ?? words.code
            // Messages at added places follow those at commonly used keys, but precede other texts.
            if !rules.messages.replacesUsual, !words.ownMessage.isEmpty || message.isEmpty { message = words.message }
        }
        if code == nil, let word = findings.declared?.word, !word.value {
            code = document.scan[word.place].flatMap { document.code(at: $0) }
        }
    }
}
