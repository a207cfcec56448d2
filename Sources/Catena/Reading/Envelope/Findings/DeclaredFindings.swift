/// The values that one set of rules finds at places that the user has declared. Their keys are compared exactly.
final class DeclaredFindings {
    let flag: (place: Int, value: Bool)?
    let word: (place: Int, value: Bool)?
    let message: (place: Int, value: String)?
    let marker: Int?
    let payload: (place: Int, span: JSONSpan)?
    private(set) var code: (place: Int, value: ErrorCode)?
    /// Whether a code was ignored, because its object looks like a model.
    private(set) var isCodeIgnored = false
    private let rules: EnvelopePlaces.Rules
    private let document: EnvelopeDocument

    init(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument) {
        self.rules = rules
        self.document = document
        message = document.first(of: rules.messages) { span in
            rules.rules.readsIntegers ? span.kind == .null ? nil : document.text(at: span) : document.words(at: span)
        }
        payload = Self.payload(rules, in: document)
        flag = document.first(of: rules.flags) { span -> Bool? in
            if span.kind == .bool { return document.isTrue(span) }
            if rules.rules.isStrict { return nil }
            if let number = document.code(at: span)?.number { return number >= 1 }
            return switch document.meaning(at: span) {
            case .yes, .success: true
            case .no, .failure: false
            case .nothing, nil: nil
            }
        }
        word = document.first(of: rules.words) { span -> Bool? in
            switch document.meaning(at: span) {
            case .success: true
            case .failure: false
            default: nil
            }
        }
        marker = document.first(of: rules.failures) { document.isSomething($0) ? true : nil }?.place
    }

    /// The values that have served as codes or flags.
    var served: [JSONSpan] {
        document.scan.found.filter { rules.codes.contains($0.path) || rules.flags.contains($0.path) }.map(\.span)
    }

    /// Reads the code. Called after the standard findings are known, because a guarded code depends on them.
    ///
    /// - Parameter excuse: The place of errors that a payload excuses, whose codes do not count.
    func readCode(_ standard: StandardFindings?, excuse: JSONPath?, _ paths: [JSONPath]) {
        for finding in document.scan.found where rules.codes.contains(finding.path) {
            if let excuse, paths[finding.path].steps.starts(with: excuse.steps) { continue }
            guard let value = document.code(at: finding.span, asInteger: rules.rules.readsIntegers) else { continue }
            if !rules.guarded.contains(finding.path) || isCompanied(finding.span, standard) {
                isCodeIgnored = false
                code = (finding.path, value)
                return
            }
            isCodeIgnored = true
        }
    }

    /// Whether the neighbours of a guarded code show that it belongs to an envelope, and not to a model.
    private func isCompanied(_ span: JSONSpan, _ standard: StandardFindings?) -> Bool {
        if document.hasAny(of: rules.messages) || standard?.object.parts.hasMessage == true { return true }
        let isBesidePayload = document.hasAny(of: rules.payloads) || standard?.object.parts.hasPayload == true
        return span.kind == .number ? isBesidePayload || hasNoOthers(standard) : isBesidePayload && hasNoOthers(standard)
    }

    /// Whether all members of the response are typical of envelopes.
    private func hasNoOthers(_ standard: StandardFindings?) -> Bool {
        let members = standard?.members ?? EnvelopeMembers(document.scan.members, in: document)
        return members.list.allSatisfy { member in
            rules.firstKeys.contains(members.name(member)) || standard != nil && (member.word?.isVocabulary ?? member.isErrorKey)
        }
    }

    private static func payload(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument) -> (place: Int, span: JSONSpan)? {
        var best: (place: Int, span: JSONSpan)?
        for finding in document.scan.found where rules.payloads.contains(finding.path) {
            if let former = best?.span {
                guard document.isFuller(finding.span, than: former), former.kind == .null || !rules.rules.readsIntegers else { continue }
            }
            best = (finding.path, finding.span)
        }
        return best
    }
}
