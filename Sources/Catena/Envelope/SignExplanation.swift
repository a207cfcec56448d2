/// Explains the signs of an object: meaning, weight and neighbours.
struct SignExplanation {
    let standard: StandardFindings
    let trial: TypeTrial?
    let type: Any.Type

    func lines(_ findings: EnvelopeFindings) -> [String] {
        let object = standard.object
        var lines = object.signs.map { sign in line(sign, in: object, isKept: trial.map { standard.keeps(sign, $0) } == true) }
        if let beside = beside(object) { lines.append("beside them: \(beside)") }
        if let trial { lines.append("type: \(type) " + fit(trial, findings.decision)) }
        if object.parts.isThing { lines.append("thing: the object says much besides, so that its codes and errors are its own") }
        if case .inner(let inner) = findings.verdict?.ground {
            lines.append("in \"\(inner.path.joined(separator: "."))\": " + line(inner.sign, in: inner.object, isKept: false))
        }
        let message = object.parts.message
        if !message.isEmpty, findings.declared?.message == nil { lines.append("message: " + Self.shortened(message, isText: true)) }
        if let candidate = standard.candidate, let name = name(of: candidate) {
            lines.append("payload: \"\(name)\" is \(candidate.range.count) bytes")
        }
        return lines
    }

    private func line(_ sign: EnvelopeSign, in object: ObjectFindings, isKept: Bool) -> String {
        let member = object.members.list[sign.place]
        let value = standard.document.text.bytes(in: member.span.range)
        let says = sign.isGood ? "success" : "failure"
        let weight =
            switch sign.weight {
            case .weak: "weak"
            case .clear: "clear"
            case .declared: "declared"
            }
        let reason = isKept ? ", does not count: the key is the type's" : object.counts(sign) ? "" : ", does not count"
        let text = Self.shortened(String(decoding: value.prefix(201), as: UTF8.self), isText: false)
        return "found: \"\(object.members.name(member))\" is \(text): \(says), \(weight)" + reason
    }

    /// Which parts of the response the type fits.
    private func fit(_ trial: TypeTrial, _ decision: StandardFindings.Decision) -> String {
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

    private func name(of span: JSONSpan) -> String? {
        standard.members.list.first { $0.span == span }.map { standard.members.name($0) }
    }

    private static func shortened(_ text: String, isText: Bool) -> String {
        let start = text.count > 200 ? text.prefix(200) + "…" : text[...]
        return isText ? "\"\(start)\"" : String(start)
    }

    /// Returns the reason that a sign gives for its verdict.
    static func reason(_ sign: EnvelopeSign) -> String {
        switch sign.kind {
        case .flag: sign.isGood ? "a flag says so" : "a flag says that it failed"
        case .code: sign.isGood ? "the code means success" : "the code is none of those that mean success"
        case .error: "there is an error"
        case .noError: "the error says that there is none"
        case .status: sign.isGood ? "the status means success" : "the status is one of failure"
        case .word: "a word says so"
        case .words: "there is the message of an error"
        }
    }
}
