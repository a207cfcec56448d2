/// The keys that envelopes are made of, wherever they come from: what ``Envelope/standard`` goes by.
///
/// Of each list the first that is there counts, if it is neither `null` nor empty text.
struct EnvelopeVocabulary: Sendable {
    /// Keys that are nothing but codes.
    let codes: [String]
    /// Codes that are as often part of a model, so that they count only in company.
    let guardedCodes: [String]
    let flags: [String]
    /// `true` and `false` make it a flag, some words a word; anything else is a model's.
    let status: String
    let messages: [String]
    /// What is there only after a failure: an object, `true`, text.
    let error: String
    /// What has something in it only after a failure.
    let errors: String
    let payloads: [String]
    /// A payload only where something else says that this is an envelope.
    let guardedPayloads: Set<String>
    /// A payload that is a code where it is an integer beside a message, and there is no other code.
    let payloadCode: String
    /// What tells nothing, and is part of no model.
    let company: [String]
    let traceIDs: [String]
    /// Its presence makes `id` company, and `result` a payload.
    let remoteCall: String

    /// Words that say how a call went, in lower case.
    static let wordsOfSuccess: Set<String> = ["ok", "success"]
    static let wordsOfFailure: Set<String> = ["error", "fail", "failed", "failure"]

    /// Where a failure says more, after its own code: of what kind it is …
    static let codesOfFailures = ["error.code", "error.type", "errors[0].code", "errors[0].extensions.code"]
    /// … and, after its own message, in words.
    static let messagesOfFailures = ["error.message", "errors[0].detail", "errors[0].message", "errors[0].title"]
    /// Text counts here, and nothing else.
    static let textsOfFailures = ["errors[0]", "error", "errors", "detail", "detail[0].msg", "description", "title"]

    static let common = EnvelopeVocabulary(
        codes: ["errcode", "errCode", "errorno", "errno", "error_code", "errorCode", "err_code", "err_no", "retcode"],
        guardedCodes: ["code", "Code"],
        flags: ["success", "ok", "isSuccess"],
        status: "status",
        messages: [
            "errmsg", "msg", "errormsg", "errMsg", "message", "error_description", "error_msg", "error_message", "errorMessage", "err_msg",
            "err_tips", "retmsg", "Message",
        ],
        error: "error",
        errors: "errors",
        payloads: ["data", "ret", "result", "Data"],
        guardedPayloads: ["result"],
        payloadCode: "ret",
        company: [
            "timestamp", "time", "ts", "ttl", "meta", "links", "included", "jsonapi", "page", "pagination", "total", "count", "version",
            "v",
            "api", "jsonrpc",
        ],
        traceIDs: ["traceId", "trace_id", "requestId", "request_id", "RequestId", "log_id", "logid", "rid"],
        remoteCall: "jsonrpc"
    )

    /// 0 however often, 200, OK and SUCCESS: what nearly all backends say when a call succeeded.
    static func meansSuccess(_ code: ErrorCode) -> Bool {
        switch code {
        case .integer(let value): return value == 0 || value == 200
        case .string(let text):
            if text.utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) { return !text.isEmpty }
            return text == "200" || wordsOfSuccess.contains(text.lowercased())
        }
    }
}

/// What a response has to say of a failure: its code, and its words.
struct EnvelopeWords {
    private(set) var code: ErrorCode?
    private(set) var message = ""

    /// Looks in the response's own code and message first, then inside what marks it as a failure, then where nothing but text is.
    init(_ findings: EnvelopeFindings, in document: EnvelopeDocument) {
        let rules = findings.rules
        message = findings.message?.value ?? ""
        func failing(_ span: JSONSpan) -> ErrorCode? {
            document.code(at: span).flatMap { rules.rules.meansSuccess($0) ? nil : $0 }
        }
        // That the call failed makes the code beside it one of the envelope, wherever it stands.
        code = document.first(of: rules.codes, failing)?.value
        if code == nil, let found = findings.code, !rules.rules.meansSuccess(found.value) { code = found.value }
        if let guess = rules.guess {
            code = code ?? document.first(of: guess.codes, failing)?.value ?? errorText(guess, document)
        }
        code = code ?? word(findings, document)
        guard let guess = rules.guess else { return }
        if message.isEmpty { message = document.first(of: guess.messages) { document.words(at: $0) }?.value ?? "" }
        if message.isEmpty { message = document.first(of: guess.texts) { document.string(at: $0) }?.value ?? "" }
    }

    /// `invalid_grant` is a code, `The grant is invalid` is not.
    private func errorText(_ guess: EnvelopePlaces.Rules.Guess, _ document: EnvelopeDocument) -> ErrorCode? {
        guard let text = document.scan[guess.error].flatMap({ document.string(at: $0) }) else { return nil }
        let isCode = text.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return isCode && !EnvelopeVocabulary.meansSuccess(.string(text)) ? .string(text) : nil
    }

    private func word(_ findings: EnvelopeFindings, _ document: EnvelopeDocument) -> ErrorCode? {
        guard let word = findings.word, !word.isSuccess else { return nil }
        return document.scan[word.place].flatMap { document.code(at: $0) }
    }
}
