/// The rules of an envelope with their places numbered, so that one pass over an answer finds them all.
final class EnvelopePlaces: Sendable {
    /// One set of rules; each range is of the places in ``EnvelopePlaces/paths``.
    final class Rules: Sendable {
        let rules: EnvelopeRules
        let codes: Range<Int>
        let flags: Range<Int>
        let failures: Range<Int>
        let messages: Range<Int>
        let payloads: Range<Int>
        let traceIDs: Range<Int>
        let extras: Range<Int>
        let delays: Range<Int>
        let required: Range<Int>
        let changesPayload: Bool
        /// Which of the codes count only in company.
        let guarded: Set<Int>

        fileprivate init(_ rules: EnvelopeRules, _ list: inout PathList) {
            self.rules = rules
            changesPayload = rules.transform != nil || rules.isPayloadInText
            codes = list.add(rules.codes.map(\.place))
            guarded = Set(zip(codes, rules.codes).filter(\.1.isGuarded).map(\.0))
            flags = list.add(rules.flags)
            failures = list.add(rules.failures)
            messages = list.add(rules.messages)
            payloads = list.add(rules.payloads)
            traceIDs = list.add(rules.traceIDs)
            extras = list.add(rules.extras)
            delays = list.add(rules.delays)
            if case .require(let places) = rules.missingCode { required = list.add(places) } else { required = 0..<0 }
        }
    }

    let tree: JSONPathTree
    let paths: [JSONPath]
    let rules: [Rules]
    let unwrap: Unwrap
    /// The place that the call asks for.
    let unwrapped: Int?
    /// What is wrong with a place, to be told when the envelope is used.
    let fault: (any Error)?
    let hasAdapter: Bool

    init(_ rules: [EnvelopeRules], unwrap: Unwrap) {
        var list = PathList()
        self.rules = rules.map { Rules($0, &list) }
        if case .path(let path) = unwrap { unwrapped = list.add([path]).first } else { unwrapped = nil }
        self.unwrap = unwrap
        paths = list.paths
        tree = JSONPathTree(list.paths)
        fault = list.fault
        hasAdapter = rules.contains { $0.adapter != nil }
    }

    /// What the first rules find that know the answer; else what the first ones find that have a message. `nil` if there are no rules
    /// for the media type.
    func findings(in document: EnvelopeDocument, of response: HTTPResponse) -> EnvelopeFindings? {
        var best: EnvelopeFindings?
        for rules in rules {
            if let wanted = rules.rules.mediaType, MediaType(response.headers["Content-Type"])?.name != wanted { continue }
            let findings = EnvelopeFindings(rules, in: document)
            if findings.isEnvelope { return findings }
            if best == nil || (best?.message == nil && findings.message != nil) { best = findings }
        }
        return best
    }
}

private struct PathList {
    var paths: [JSONPath] = []
    var fault: (any Error)?

    /// What is no path keeps its place, so that the places after it are what they are; the call fails with the fault.
    mutating func add(_ places: [String]) -> Range<Int> {
        let start = paths.count
        for place in places {
            do throws(JSONPathError) {
                paths.append(try JSONPath(place))
            } catch {
                fault = fault ?? error
            }
        }
        return start..<paths.count
    }
}
