// Envelopes that read what is declared, and guess nothing.
extension Envelope {
    /// Describes a backend whose responses all have a code, without guesses. A response without the code is no success.
    ///
    /// ```swift
    /// wallet.envelope = Envelope(code: "code", success: 0, message: "msg", data: "data")
    /// ```
    ///
    /// Only these places are read, in their exact spelling. A failure has the code and the text at `message`. A response without JSON or without a code
    /// fails with an error of kind ``APIError/Kind/unrecognizedResponse``, for `void()` and `data()` too. The classes of codes,
    /// ``success(status:_:)`` and ``missingCode(_:)`` can follow.
    ///
    /// - Parameters:
    ///   - code: The place of the code, a number or text.
    ///   - success: The code that means success. A string that spells a number is that number.
    ///   - others: Further codes that mean success.
    ///   - message: The place of the message.
    ///   - data: The place of the payload, or `nil` if the whole body is the payload.
    public init(code: String, success: ErrorCode, _ others: ErrorCode..., message: String? = nil, data: String? = nil) {
        var rules = EnvelopeRules(strict: message, data)
        rules.codes.set = [code]
        rules.successes.set = [success] + others
        self.init(rules)
    }

    /// Describes a backend whose responses all have a flag, without guesses. Only `true` means success, and only `false` a failure.
    ///
    /// ```swift
    /// rooms.envelope = Envelope(flag: "ok", message: "error", data: "result")
    /// ```
    ///
    /// The rest is as for ``init(code:success:_:message:data:)``.
    public init(flag: String, message: String? = nil, data: String? = nil) {
        var rules = EnvelopeRules(strict: message, data)
        rules.flags.set = [flag]
        self.init(rules)
    }
}

extension EnvelopeRules {
    fileprivate init(strict message: String?, _ data: String?) {
        self.init()
        isStrict = true
        missingCode = .fail
        messages.set = message.map { [$0] }
        payloads.set = data.map { [$0] }
    }
}
