/// The rules of an envelope with their places numbered, so that one pass over a response finds them all.
final class EnvelopePlaces: Sendable {
    /// One set of rules; each range is of the places in ``EnvelopePlaces/paths``.
    final class Rules: Sendable {
        let rules: EnvelopeRules
        let codes: Range<Int>
        let payloadCodes: Range<Int>
        let errorNumbers: Range<Int>
        let statusNumbers: Range<Int>
        let flags: Range<Int>
        let words: Range<Int>
        let failures: Range<Int>
        let messages: Range<Int>
        let payloads: Range<Int>
        let traceIDs: Range<Int>
        let extras: Range<Int>
        let delays: Range<Int>
        let required: Range<Int>
        /// Where a guess looks for more.
        let guess: Guess?
        let changesPayload: Bool

        /// `error` and `errors`, what tells a marker from a model, and where a failure says more.
        struct Guess: Sendable {
            let error: Int
            let errors: Int
            let status: Int
            let tellsError: Range<Int>
            let remoteCall: Int
            let id: Int
            let codes: Range<Int>
            let messages: Range<Int>
            let texts: Range<Int>

            fileprivate init(_ vocabulary: EnvelopeVocabulary, _ list: inout PathList) {
                error = list.add([vocabulary.error]).lowerBound
                errors = list.add([vocabulary.errors]).lowerBound
                status = list.add([vocabulary.status]).lowerBound
                tellsError = list.add(["\(vocabulary.error).code", "\(vocabulary.error).message"])
                remoteCall = list.add([vocabulary.remoteCall]).lowerBound
                id = list.add(["id"]).lowerBound
                codes = list.add(EnvelopeVocabulary.codesOfFailures)
                messages = list.add(EnvelopeVocabulary.messagesOfFailures)
                texts = list.add(EnvelopeVocabulary.textsOfFailures)
            }
        }

        fileprivate init(_ rules: EnvelopeRules, _ list: inout PathList) {
            self.rules = rules
            changesPayload = rules.transform != nil || rules.isPayloadInText
            codes = list.add(rules.codes.map(\.place))
            payloadCodes = list.add(rules.payloadCodes)
            errorNumbers = list.add(rules.errorNumbers)
            statusNumbers = list.add(rules.statusNumbers)
            flags = list.add(rules.flags.map(\.place))
            words = list.add(rules.words)
            failures = list.add(rules.failures)
            messages = list.add(rules.messages)
            payloads = list.add(rules.payloads.map(\.place))
            traceIDs = list.add(rules.traceIDs)
            extras = list.add(rules.extras)
            delays = list.add(rules.delays)
            if case .require(let places) = rules.missingCode { required = list.add(places) } else { required = 0..<0 }
            guess = rules.vocabulary.map { Guess($0, &list) }
        }

        /// Which members of a document are an envelope's, and no model's, by their nodes: what the paths begin with, and what is guessed by.
        fileprivate func vocabulary(in tree: JSONPathTree, _ paths: [JSONPath]) -> [Bool] {
            var isKnown = Array(repeating: false, count: tree.nodeCount)
            let parts = [
                codes, payloadCodes, errorNumbers, statusNumbers, flags, words, failures, messages, payloads, traceIDs, extras, delays,
            ]
            for place in parts.joined() {
                if let node = tree.firstNode(of: paths[place]) { isKnown[node] = true }
            }
            let guessed = rules.vocabulary.map { $0.company + $0.traceIDs + [$0.error, $0.errors, $0.status] } ?? []
            for name in guessed {
                if let node = tree.node(ofKey: name) { isKnown[node] = true }
            }
            return isKnown
        }

        func rule(ofCode place: Int) -> EnvelopeRules.Code { rules.codes[place - codes.lowerBound] }
        func rule(ofFlag place: Int) -> EnvelopeRules.Flag { rules.flags[place - flags.lowerBound] }
        func rule(ofPayload place: Int) -> EnvelopeRules.Payload { rules.payloads[place - payloads.lowerBound] }
    }

    let tree: JSONPathTree
    let paths: [JSONPath]
    let rules: [Rules]
    /// For each set of rules, which members of a document are an envelope's, by their nodes.
    private let vocabularies: [[Bool]]
    let unwrap: Unwrap
    /// The place that the call asks for.
    let unwrapped: Int?
    /// What is wrong with a place, to be told when the envelope is used.
    let fault: (any Error)?
    let hasAdapter: Bool
    /// HTTP statuses that are fine although they are not 2xx.
    let statuses: Set<Int>

    init(_ rules: [EnvelopeRules], unwrap: Unwrap) {
        var list = PathList()
        let problems = rules.filter { $0.vocabulary != nil }.map(\.forProblems)
        let numbered = (rules + problems).map { Rules($0, &list) }
        self.rules = numbered
        if case .path(let path) = unwrap { unwrapped = list.add([path]).first } else { unwrapped = nil }
        self.unwrap = unwrap
        let paths = list.paths
        self.paths = paths
        let guessing = rules.compactMap(\.vocabulary)
        let tree = JSONPathTree(
            paths, names: guessing.flatMap { $0.company + $0.traceIDs + [$0.error, $0.errors] }, watchesErrors: !guessing.isEmpty)
        self.tree = tree
        vocabularies = numbered.map { $0.vocabulary(in: tree, paths) }
        fault = list.fault
        hasAdapter = rules.contains { $0.adapter != nil }
        statuses = rules.reduce(into: []) { $0.formUnion($1.statuses) }
    }

    /// Whether a status says that the call succeeded.
    func takes(_ status: Int) -> Bool {
        (200..<300).contains(status) || statuses.contains(status)
    }

    /// What the first rules find that know the response; else what the first ones find that have a message. `nil` if there are no rules
    /// for the media type.
    ///
    /// - Parameter type: The response's media type, unless it is JSON.
    func findings(in document: EnvelopeDocument, of type: String?) -> EnvelopeFindings? {
        var best: EnvelopeFindings?
        for (rules, vocabulary) in zip(rules, vocabularies) {
            if let wanted = rules.rules.mediaType, type != wanted { continue }
            // Whoever guesses has rules for these too, which follow.
            if rules.guess != nil, type == EnvelopeRules.problemDetails.mediaType { continue }
            let findings = EnvelopeFindings(rules, vocabulary, in: document)
            if findings.isEnvelope { return findings }
            if best == nil || (best?.message == nil && findings.message != nil) { best = findings }
        }
        return best
    }
}

extension EnvelopeRules {
    /// How problem details are read beside these rules, which are asked for nothing else of such a response than what its codes ask for.
    fileprivate var forProblems: EnvelopeRules {
        var problems = EnvelopeRules.problemDetails
        problems.categories = categories
        problems.areNumbersLenient = areNumbersLenient
        problems.delays = delays
        problems.statuses = statuses
        return problems
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
                paths.append(JSONPath.nowhere)
            }
        }
        return start..<paths.count
    }
}
