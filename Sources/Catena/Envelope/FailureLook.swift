/// Why a response that passes for a success looks like a failure, and what to configure if it is one.
struct FailureLook: Sendable, Equatable {
    /// The place that has the look: `data.error_code`.
    let place: String
    /// The steps that would make it a failure.
    let steps: String

    /// - Returns: `nil` if nothing in the response looks like a failure.
    init?(_ findings: EnvelopeFindings, in document: EnvelopeDocument) {
        guard let guess = findings.rules.guess else { return nil }
        if let word = findings.word, !word.isSuccess {
            self.init(place: EnvelopeVocabulary.common.status, steps: ".addCodes(\"\(EnvelopeVocabulary.common.status)\")")
        } else if let member = document.scan.errorMembers.first(where: { Self.isSign($0, findings, document) }) {
            self.init(member, in: document)
        } else if findings.message != nil, let span = document.scan[guess.status], Self.isErrorStatus(span, document) {
            self.init(place: EnvelopeVocabulary.common.status, steps: ".addCodes(\"\(EnvelopeVocabulary.common.status)\")")
        } else {
            return nil
        }
    }

    private init(place: String, steps: String) {
        self.place = place
        self.steps = steps
    }

    private init(_ member: JSONErrorMembers.Member, in document: EnvelopeDocument) {
        let names = [member.parent, member.name].compactMap { $0 }.map { document.text(at: JSONSpan(kind: .string, range: $0)) }
        let place = names.joined(separator: ".")
        var steps = Self.presets[place] ?? ""
        if steps.isEmpty, member.span.kind == .object, let object = document.json(at: member.span) {
            steps = ".addFailure(\"\(place)\")"
            if let code = ["code", "Code", "error_code", "type"].first(where: { !object[$0].isNull }) {
                steps += ".addCodes(\"\(place).\(code)\")"
            }
            if let message = ["message", "Message", "msg", "text", "description"].first(where: { object[$0].string != nil }) {
                steps += ".addMessages(\"\(place).\(message)\")"
            }
        } else if steps.isEmpty, member.span.kind == .number || place.lowercased().hasSuffix("code") {
            steps = ".addCodes(\"\(place)\")"
        } else if steps.isEmpty {
            steps = ".addFailure(\"\(place)\")" + (member.span.kind == .string ? ".addMessages(\"\(place)\")" : "")
        }
        self.init(place: place, steps: steps)
    }

    /// Places that belong to backends which have a preset.
    private static let presets = ["Response.Error": ".tencentCloud", "error_response": ".taobao"]

    /// Neither nothing, nor what a success says, nor how many errors there were.
    private static func isSign(_ member: JSONErrorMembers.Member, _ findings: EnvelopeFindings, _ document: EnvelopeDocument) -> Bool {
        guard document.isSomething(member.span) else { return false }
        // The code that says success.
        if let code = findings.code, document.scan[code.place] == member.span { return false }
        switch member.span.kind {
        case .number:
            if let code = document.code(at: member.span), EnvelopeVocabulary.meansSuccess(code) { return false }
            let name = document.text(at: JSONSpan(kind: .string, range: member.name)).lowercased()
            return name != "errors" && !["count", "num", "total", "rate"].contains { name.hasSuffix($0) }
        case .string:
            let text = document.text(at: member.span).lowercased()
            return !EnvelopeVocabulary.meansSuccess(.string(text)) && text != "false" && text != "null"
        default: return true
        }
    }

    private static func isErrorStatus(_ span: JSONSpan, _ document: EnvelopeDocument) -> Bool {
        guard let code = document.code(at: span) else { return false }
        return (code.integer ?? 0) >= 300
    }

    /// What there is to do about it.
    var advice: String {
        "There is something at \"\(place)\", yet nothing says that the call failed. If it did: envelope = "
            + (steps.hasPrefix(".add") ? ".standard" + steps : steps)
    }
}
