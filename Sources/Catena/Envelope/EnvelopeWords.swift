/// The code and message of a failed response. Declared places come first.
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
        // Since the call failed, any failing code at a code place counts, wherever it is.
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
        // Messages at added places follow those at commonly used keys, but precede other texts.
        guard !rules.disabled.contains(.msg) else { return }
        if !words.ownMessage.isEmpty || message.isEmpty { message = words.message }
    }
}
