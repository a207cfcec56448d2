public import CatenaPlatform

extension Envelope {
    /// Explains how a response is read: the matching keys, the reason of success or failure, and the part to decode.
    ///
    /// ```swift
    /// print(Envelope.standard.explain(body, status: 200))
    /// ```
    ///
    /// The explanation has a few lines for people, without secrets. Later versions may change its text.
    public func explain(_ body: Data, status: Int = 200, headers: HTTPHeaders = [:]) -> String {
        explain(HTTPResponse(status: status, headers: headers, body: body, address: .placeholder))
    }

    /// Explains how a response is read; see ``explain(_:status:headers:)``.
    public func explain(_ response: HTTPResponse) -> String {
        explain(response, as: JSON.self, fit: nil)
    }

    /// - Parameters:
    ///   - fit: Says how the type fits a part of the response.
    ///   - request: Returns the request of the response.
    func explain(
        _ response: HTTPResponse, as type: Any.Type, fit: EnvelopeReader.Fit?, request: (@Sendable () -> HTTPRequest?)? = nil
    ) -> String {
        var reader = EnvelopeReader(envelope: self, decoded: type)
        reader.fit = fit
        reader.request = request
        let reading = EnvelopeResult(response)
        var lines = [
            "response: status \(response.status), \(response.headers["Content-Type"] ?? "no content type"), \(response.body.count) bytes"
        ]
        if let fault = places.fault { lines.append("envelope: \(fault)") }
        if places.hasAdapter {
            lines.append("envelope: read by an adapter")
        } else if reading.text.contains(where: { $0 > 0x20 }) {
            do throws(JSONSyntaxError) {
                let media = MediaType(foreignTo: response.headers["Content-Type"])?.name
                let scan = try JSONScan(reading.text, tree: places.tree(for: media))
                let document = places.document(reading.text, scan, of: media)
                lines += Explanation(reader: reader, document: document, media: media, type: type).lines(reading)
            } catch {
                lines.append("JSON: \(BodyExcerpt.isText(response.headers["Content-Type"]) ? error : error.withoutExcerpt)")
            }
        }
        do {
            let reading = try reader.verdict(on: response)
            lines.append("verdict: success, status \(response.status)" + (reading.code.map { " and code \($0.quoted)" } ?? ""))
            var chosen = reading
            if let guess = reading.contents.guess, let trial = reader.trial(reading) { chosen.payload = guess.choice(trial) }
            lines.append("decoded: " + decoded(chosen))
            if let suspected = reading.contents.suspectedFailure { lines.append("suspicious: " + suspected.advice) }
        } catch {
            let error = APIError.wrapping(error)
            lines.append("verdict: failure, \(error.kind) \(error.code.quoted)" + (error.message.isEmpty ? "" : ": \(error.message)"))
            if let suspected = SuspectedSuccess(error, by: self) { lines.append("suspicious: " + suspected.advice) }
            if error.kind == .business, let advice = error.explanation { lines.append("suspicious: " + advice) }
        }
        return lines.map(Redaction.current.line).joined(separator: "\n")
    }

    private func decoded(_ reading: EnvelopeResult) -> String {
        let place =
            switch reading.payload {
            case .body: "the whole body"
            case .range(let range): "bytes \(range.lowerBound)..<\(range.upperBound) of the body"
            case .bytes: "what the envelope makes of the body"
            case .missing: "nothing: there is no payload"
            case .empty: "nothing: the body is empty"
            }
        guard let bytes = reading.payloadBytes else { return place }
        return "\(place): " + reading.start(bytes)
    }
}

extension HTTPAddress {
    /// The address of responses that were not received from a server.
    static let placeholder = HTTPAddress(scheme: "https", host: "localhost", port: nil, path: "/", query: nil)
}

/// Describes the findings of an envelope in a document.
private struct Explanation {
    let reader: EnvelopeReader
    let document: EnvelopeDocument
    /// The media type of the response, or `nil` for JSON.
    let media: String?
    let type: Any.Type

    private var places: EnvelopePlaces { reader.envelope.places }

    func lines(_ reading: EnvelopeResult) -> [String] {
        let kind = document.scan.root.kind
        let isContainer = kind == .object || kind == .array
        guard isContainer, var findings = places.findings(in: document, of: media, reading.response.status) else {
            return [isContainer ? "envelope: none for this media type" : "envelope: none, the body is no object but of kind \(kind)"]
        }
        if kind == .array, findings.verdict == nil { return ["envelope: none, the body is no object but of kind array"] }
        let trial = reader.possibleTrial(of: findings, reading)
        if trial != nil { findings.judge(trial) }
        let rules = findings.rules
        let found = findings.declared
        var lines = [
            line("code", rules.codes, found?.code?.place), line("flag", rules.flags, found?.flag?.place),
            line("word", rules.words, found?.word?.place), line("message", rules.messages, found?.message?.place),
            line("payload", rules.payloads, found?.payload?.place),
        ].compactMap { $0 }
        if let standard = findings.standard { lines += signs(standard, findings, trial) }
        lines.append("envelope: " + reason(findings))
        return lines
    }

    // MARK: Declared places

    private func line(_ part: String, _ looked: Range<Int>, _ found: Int?) -> String? {
        if let found {
            return "\(part): \"\(places.paths[found])\" is " + (document.scan[found].map(start) ?? "")
        }
        guard !looked.isEmpty else { return nil }
        return "\(part): none at " + looked.map { "\"\(places.paths[$0])\"" }.joined(separator: ", ")
    }

    /// Returns the first bytes of a value's JSON, with quotes around strings, so that `"0"` and 0 look different.
    private func start(of span: JSONSpan) -> String {
        let bytes = document.text.bytes(in: span.range)
        return String(decoding: bytes.prefix(Self.longestValue), as: UTF8.self) + (bytes.count > Self.longestValue ? "…" : "")
    }

    /// The maximum number of bytes shown of a value.
    private static let longestValue = 200

    // MARK: Signs

    /// Explains the signs of an object: meaning, weight and neighbours.
    private func signs(_ standard: StandardFindings, _ findings: EnvelopeFindings, _ trial: TypeTrial?) -> [String] {
        let object = standard.object
        var lines = object.signs.map { sign in line(sign, in: object, isKept: trial.map { standard.keeps(sign, $0) } == true) }
        if let beside = beside(object) { lines.append("beside them: \(beside)") }
        if let trial { lines.append("type: \(type) " + fit(standard, trial, findings.decision)) }
        if object.parts.isThing { lines.append("thing: the object says much besides, so that its codes and errors are its own") }
        if case .inner(let inner) = findings.verdict?.ground {
            lines.append("in \"\(inner.path.joined(separator: "."))\": " + line(inner.sign, in: inner.object, isKept: false))
        }
        let message = object.parts.message
        if !message.isEmpty, findings.declared?.message == nil {
            lines.append("message: \"\(message.prefix(Self.longestValue))" + (message.count > Self.longestValue ? "…\"" : "\""))
        }
        if let candidate = standard.candidate, let payload = standard.members.list.first(where: { $0.span == candidate }) {
            lines.append("payload: \"\(standard.members.name(payload))\" is \(candidate.range.count) bytes")
        }
        return lines
    }

    private func line(_ sign: EnvelopeSign, in object: ObjectFindings, isKept: Bool) -> String {
        let member = object.members.list[sign.place]
        let reason = isKept ? ", does not count: the key is the type's" : object.counts(sign) ? "" : ", does not count"
        let says = "\(sign.isGood ? "success" : "failure"), \(sign.weight)"
        return "found: \"\(object.members.name(member))\" is \(start(of: member.span)): \(says)" + reason
    }

    /// Which parts of the response the type fits.
    private func fit(_ standard: StandardFindings, _ trial: TypeTrial, _ decision: StandardFindings.Decision) -> String {
        switch (standard.candidate.map { trial.fit($0).fitsPayload } == true, standard.fitsWhole(trial, decision)) {
        case (true, true): "fits the payload and the whole body"
        case (true, false): "fits the payload"
        case (false, true): "fits the whole body"
        case (false, false): standard.candidate == nil ? "does not fit the body" : "fits neither the payload nor the whole body"
        }
    }

    private func beside(_ object: ObjectFindings) -> String? {
        var parts: [String] = []
        if object.parts.hasMessage { parts.append("a message") }
        if object.parts.hasError() { parts.append("an error") }
        if object.parts.hasPayload { parts.append("a payload") }
        if object.parts.hasOthers { parts.append("other members") }
        return parts.isEmpty || object.signs.isEmpty ? nil : parts.joined(separator: ", ")
    }

    // MARK: The verdict

    private func reason(_ findings: EnvelopeFindings) -> String {
        if let verdict = findings.verdict { return (verdict.isSuccess ? "success, " : "failure, ") + reason(verdict, findings.rules.rules) }
        if findings.isEnvelope { return "success, since nothing says otherwise" }
        return findings.declared?.isCodeIgnored == true || findings.standard?.object.signs.isEmpty == false
            ? "none, since no sign counts in what may be a model: the object is taken as it is"
            : findings.rules.rules.isStrict
                ? "none, since there is no code where the envelope says"
                : "none, since nothing says how the call went: the object is taken as it is"
    }

    private func reason(_ verdict: EnvelopeFindings.Verdict, _ rules: EnvelopeRules) -> String {
        switch verdict.ground {
        case .flag(let place): "since \"\(places.paths[place])\" is \(verdict.isSuccess ? "true" : "false")"
        case .marker(let place): "since there is something at \"\(places.paths[place])\""
        case .code: "since " + EnvelopeSign.Kind.code.reason(isGood: verdict.isSuccess)
        case .word(let place): "since \"\(places.paths[place])\" says so"
        case .message: "since the message is one that means success"
        case .mediaType: "as is each response of the media type \(rules.mediaType ?? "")"
        case .sign(let sign): "since " + sign.kind.reason(isGood: sign.isGood)
        case .inner(let inner): "since \(inner.sign.kind.reason(isGood: false)) in \"\(inner.path.joined(separator: "."))\""
        case .errors: "since the array has nothing but failures"
        }
    }
}

extension EnvelopeSign.Kind {
    /// The reason that a sign of this kind gives for its verdict.
    fileprivate func reason(isGood: Bool) -> String {
        switch self {
        case .flag: isGood ? "a flag says so" : "a flag says that it failed"
        case .code: isGood ? "the code means success" : "the code is none of those that mean success"
        case .error: "there is an error"
        case .noError: "the error says that there is none"
        case .status: isGood ? "the status means success" : "the status is one of failure"
        case .word: "a word says so"
        case .words: "there is the message of an error"
        }
    }
}

extension ErrorCode {
    /// The code with quotes around strings, so that `"0"` and 0 look different.
    fileprivate var quoted: String {
        switch self {
        case .integer(let value): "\(value)"
        case .string(let text): "\"\(text)\""
        }
    }
}
