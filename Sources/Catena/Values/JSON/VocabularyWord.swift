/// A commonly used key of envelopes, in the form in which keys are compared: letters and digits in lower case.
///
/// The cases of each part are in the order of precedence, because ``VocabularyWords/popFirst()`` takes the lowest bit first.
/// Most sets below are ranges of cases, so the position of a new case decides which sets contain it.
enum VocabularyWord: UInt8, CaseIterable, Sendable {
    // Error codes.
    case errcode, errorcode, errno, errorno, ecode
    // Result codes.
    case retcode, retcd, returncode, returncd, resultcode, resultcd, rescode, rescd, respcode, respcd, rspcode, rspcd, responsecode,
        responsecd
    case rtcd, rc, statuscode
    case code
    // Flags.
    case success, ok, issuccess, isok, successful, succeeded, issuccessful
    // A flag, a code or a word.
    case status
    // Errors.
    case error, errors
    // Messages. A text at a key from `errmsg` to `err` is usually a sign of failure.
    case msg, message
    case errmsg, errormsg, errmessage, errormessage, errmessages, errormessages, errdescription, errordescription, errdesc, errordesc,
        errinfo
    case errorinfo, errtext, errortext, errsummary, errorsummary, errtips, errortips, err
    case retmsg, retmessage, returnmsg, returnmessage, resultmsg, resultmessage, resmsg, resmessage, respmsg, respmessage, rspmsg,
        rspmessage
    case responsemsg, responsemessage, statusmsg, statusmessage
    // Remarks: texts beside a message.
    case detail, desc, reason, info, tip, tips, hint
    // Payloads.
    case data, ret, result
    // Keys of models that may contain the message of a failure.
    case description, title, text, id, type, name
    // Company: metadata, which indicates neither success nor failure. The first line has the ids of a trace.
    case traceid, requestid, reqid, logid, rid, correlationid
    case timestamp, time, ts, servertime, systemtime, ttl, page, pagination, total, count, meta, links, included
    case extensions, version, v, api, jsonapi, jsonrpc, path

    /// Keys of other languages and their words.
    static let translations: [String: VocabularyWord] = [
        "erro": .error, "erros": .errors, "errores": .errors, "mensagem": .message, "mensaje": .message,
    ]

    /// Whether the word belongs to envelopes, and not only to models.
    var isVocabulary: Bool { VocabularyWords.models.contains(self) == false }
}

/// A set of words, with one bit for each of at most 128 words.
struct VocabularyWords: Sendable, Equatable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    @inline(__always)
    mutating func insert(_ word: VocabularyWord) {
        let raw = UInt64(word.rawValue)
        if raw < 64 { low |= 1 << raw } else { high |= 1 << (raw - 64) }
    }

    @inline(__always)
    func contains(_ word: VocabularyWord) -> Bool {
        let raw = UInt64(word.rawValue)
        return (raw < 64 ? low >> raw : high >> (raw - 64)) & 1 != 0
    }

    @inline(__always)
    var isEmpty: Bool { low | high == 0 }

    @inline(__always)
    func overlaps(_ other: VocabularyWords) -> Bool {
        (low & other.low) | (high & other.high) != 0
    }

    @inline(__always)
    func intersection(_ other: VocabularyWords) -> VocabularyWords {
        VocabularyWords(low: low & other.low, high: high & other.high)
    }

    @inline(__always)
    func subtracting(_ other: VocabularyWords) -> VocabularyWords {
        VocabularyWords(low: low & ~other.low, high: high & ~other.high)
    }

    func union(_ other: VocabularyWords) -> VocabularyWords {
        VocabularyWords(low: low | other.low, high: high | other.high)
    }

    /// Removes and returns the word of highest precedence, or `nil` if the set is empty.
    mutating func popFirst() -> VocabularyWord? {
        if low != 0 {
            let raw = low.trailingZeroBitCount
            low &= low - 1
            return VocabularyWord(rawValue: UInt8(raw))
        }
        guard high != 0 else { return nil }
        let raw = high.trailingZeroBitCount + 64
        high &= high - 1
        return VocabularyWord(rawValue: UInt8(raw))
    }
}

// Parts of an envelope.
extension VocabularyWords {
    init(_ words: [VocabularyWord]) {
        self.init()
        for word in words { insert(word) }
    }

    private init(_ first: VocabularyWord, _ last: VocabularyWord) {
        self.init((first.rawValue...last.rawValue).compactMap(VocabularyWord.init))
    }

    static let errorCodes = VocabularyWords(.errcode, .ecode)
    static let resultCodes = VocabularyWords(.retcode, .statuscode)
    static let statusCode = VocabularyWords([.statuscode])
    static let code = VocabularyWords([.code])
    static let allCodes = errorCodes.union(resultCodes).union(code)
    static let flags = VocabularyWords(.success, .issuccessful)
    static let status = VocabularyWords([.status])
    static let error = VocabularyWords([.error])
    static let messages = VocabularyWords(.msg, .statusmessage)
    static let remarks = VocabularyWords(.detail, .hint)
    static let payloads = VocabularyWords(.data, .result)
    static let ret = VocabularyWords([.ret])
    static let result = VocabularyWords([.result])
    static let models = VocabularyWords(.description, .name)
    static let traceIDs = VocabularyWords(.traceid, .correlationid)
    static let company = VocabularyWords(.traceid, .path)
    /// The parts beside which a sign is clear.
    static let parts = allCodes.union(payloads)
}
