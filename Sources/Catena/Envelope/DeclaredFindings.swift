/// The values that one set of rules finds at places that the user has declared. Their keys are compared exactly.
final class DeclaredFindings {
    let flag: (place: Int, value: Bool)?
    let word: (place: Int, isSuccess: Bool)?
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
        flag = Self.flag(rules, in: document)
        word = Self.word(rules, in: document)
        marker = document.first(of: rules.failures) { document.isSomething($0) ? true : nil }?.place
    }

    /// The values that have served as codes or flags.
    var served: [JSONSpan] {
        document.scan.found.filter { rules.codes.contains($0.path) || rules.flags.contains($0.path) }.map(\.span)
    }

    /// Reads the code. Called after the standard findings are known, because a guarded code depends on them.
    func readCode(_ standard: StandardFindings?) {
        for finding in document.scan.found where rules.codes.contains(finding.path) {
            guard let value = rules.rules.readsIntegers ? document.integerValue(at: finding.span) : document.code(at: finding.span) else {
                continue
            }
            if !rules.rule(ofCode: finding.path).isGuarded || isCompanied(finding.span, standard) {
                isCodeIgnored = false
                code = (finding.path, value)
                return
            }
            isCodeIgnored = true
        }
    }

    /// Whether the neighbours of a guarded code show that it belongs to an envelope, and not to a model.
    private func isCompanied(_ span: JSONSpan, _ standard: StandardFindings?) -> Bool {
        if document.hasAny(of: rules.messages) || standard?.object.hasMessage == true { return true }
        let isBesidePayload = document.hasAny(of: rules.payloads) || standard?.object.hasPayload == true
        return span.kind == .number ? isBesidePayload || hasNoOthers(standard) : isBesidePayload && hasNoOthers(standard)
    }

    /// Whether all members of the response are typical of envelopes.
    private func hasNoOthers(_ standard: StandardFindings?) -> Bool {
        if let standard { return !standard.object.hasOthers }
        let members = EnvelopeMembers(document.scan.members, in: document)
        return members.list.allSatisfy { rules.firstKeys.contains(members.name($0)) }
    }

    private static func flag(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument) -> (place: Int, value: Bool)? {
        for finding in document.scan.found where rules.flags.contains(finding.path) {
            let span = finding.span
            if span.kind == .bool { return (finding.path, document.isTrue(span)) }
            guard span.kind == .number || span.kind == .string, span.range.count <= 12 else { continue }
            switch document.text(at: span) {
            case "1": return (finding.path, true)
            case "0": return (finding.path, false)
            default: break
            }
            switch document.meaning(at: span) {
            case .yes, .success: return (finding.path, true)
            case .no, .failure: return (finding.path, false)
            case .nothing, nil: continue
            }
        }
        return nil
    }

    private static func word(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument) -> (place: Int, isSuccess: Bool)? {
        document.first(of: rules.words) { span -> Bool? in
            switch document.meaning(at: span) {
            case .success: true
            case .failure: false
            default: nil
            }
        }.map { (place: $0.place, isSuccess: $0.value) }
    }

    private static func payload(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument) -> (place: Int, span: JSONSpan)? {
        var best: (place: Int, span: JSONSpan)?
        for finding in document.scan.found where rules.payloads.contains(finding.path) {
            let span = finding.span
            if let former = best?.span {
                guard former.kind == .null || !rules.rules.readsIntegers && document.isEmptyText(former), span.kind != .null else {
                    continue
                }
                if former.kind != .null, document.isEmptyText(span) { continue }
            }
            best = (finding.path, span)
        }
        return best
    }
}
