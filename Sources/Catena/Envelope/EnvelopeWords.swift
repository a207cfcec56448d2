/// The code and the words of a failure, as a response has them. Places of the user's own come first.
struct EnvelopeWords {
    private(set) var code: ErrorCode?
    private(set) var message = ""

    init(_ findings: EnvelopeFindings, in document: EnvelopeDocument, isFine: Bool) {
        let rules = findings.rules
        message = findings.declared?.message?.value ?? ""
        func failing(_ span: JSONSpan) -> ErrorCode? {
            let code = rules.rules.readsIntegers ? document.integerValue(at: span) : document.code(at: span)
            return code.flatMap { rules.rules.meansSuccess($0) ? nil : $0 }
        }
        // Since the call failed, a code at a place of codes is one of the envelope, wherever the place is.
        code = rules.rules.readsIntegers ? findings.declared?.code?.value : document.first(of: rules.codes, failing)?.value
        if rules.rules.readsIntegers, let own = code, rules.rules.meansSuccess(own) { code = nil }
        if rules.rules.guesses { add(findings, document, isFine) }
        if code == nil, let word = findings.declared?.word, !word.isSuccess {
            code = document.scan[word.place].flatMap { document.code(at: $0) }
        }
    }

    private mutating func add(_ findings: EnvelopeFindings, _ document: EnvelopeDocument, _ isFine: Bool) {
        var span = document.scan.root
        if case .failure(.deeper(let deeper)) = findings.verdict { span = deeper.span }
        guard let value = document.json(at: span) else { return }
        let rules = findings.rules.rules
        let words = FailureWords(of: value, isFine: isFine, findings.failingCode) { rules.meansSuccess($0) }
        code = code ?? words.code
        // A place that a step has added is asked after the usual keys, and before where words may be besides.
        guard !rules.disabled.contains(.msg) else { return }
        if !words.ownMessage.isEmpty || message.isEmpty { message = words.message }
    }
}
