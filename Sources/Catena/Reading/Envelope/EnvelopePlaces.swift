import CatenaPlatform

/// The rules of an envelope with numbered places, so that one scan of a response finds all of them.
final class EnvelopePlaces: Sendable {
    /// One set of rules. Each range refers to ``EnvelopePlaces/paths``.
    final class Rules: Sendable {
        let rules: EnvelopeRules
        let codes, flags, words, failures, messages, payloads: Range<Int>
        let traceIDs, extras, delays, required: Range<Int>
        let changesPayload: Bool
        /// The first keys of the places, which count as envelope keys and not as a model's.
        let firstKeys: Set<String>
        let hasPlaces: Bool
        /// Whether the rules may decide by the message or the media type, without a place.
        let decidesWithoutPlaces: Bool
        /// Whether a place begins with an array index.
        let takesArrays: Bool
        /// The places of guarded codes.
        let guarded: Set<Int>
        /// The JSON types that values at certain places must have.
        let kinds: [Int: JSONSpan.Kind]

        fileprivate init(_ rules: EnvelopeRules, _ list: inout PathList) {
            self.rules = rules
            changesPayload = rules.transform != nil || rules.isPayloadInText
            codes = list.add(rules.codes.all)
            flags = list.add(rules.flags.all)
            words = list.add(rules.words)
            failures = list.add(rules.failures.all)
            messages = list.add(rules.messages.all)
            payloads = list.add(rules.payloads.all)
            traceIDs = list.add(rules.traceIDs)
            extras = list.add(rules.extras)
            delays = list.add(rules.delays)
            if case .require(let places) = rules.missingCode { required = list.add(places) } else { required = 0..<0 }
            guarded = Set(zip(codes, rules.codes.all).filter { rules.guarded.contains($0.1) }.map(\.0))
            let places = codes.lowerBound..<delays.upperBound
            hasPlaces = !places.isEmpty
            decidesWithoutPlaces = rules.isFailureByType || !rules.successMessages.isEmpty
            let paths = list.paths
            let steps = places.map { paths[$0].steps[0] }
            firstKeys = Set(steps.compactMap { step -> String? in if case .key(let key) = step { key } else { nil } })
            takesArrays = steps.contains { step in if case .index = step { true } else { false } }
            kinds = places.reduce(into: [:]) { kinds, place in kinds[place] = rules.kinds[paths[place].description] }
        }
    }

    /// The tree of all places.
    private let tree: JSONPathTree
    /// The tree without the places of problem details, which few responses contain.
    private let usualTree: JSONPathTree
    let paths: [JSONPath]
    let rules: [Rules]
    let unwrap: Unwrap
    /// The place that the call unwraps.
    let unwrapped: Int?
    /// The error of an invalid place, reported when the envelope is used.
    let fault: (any Error)?
    let hasAdapter: Bool
    /// Whether a response that is not the envelope is no success.
    let isStrict: Bool
    /// Whether payloads are transformed by the request.
    let needsRequest: Bool
    /// The additional HTTP statuses that mean success.
    let statuses: Set<Int>

    init(_ rules: [EnvelopeRules], unwrap: Unwrap) {
        var list = PathList()
        let problems = rules.filter(\.guesses).map(\.forProblems)
        let numbered = rules.map { Rules($0, &list) }
        let usualCount = list.paths.count
        self.rules = numbered + problems.map { Rules($0, &list) }
        let problemPaths = usualCount..<list.paths.count
        if case .path(let path) = unwrap { unwrapped = list.add([path]).first } else { unwrapped = nil }
        self.unwrap = unwrap
        let paths = list.paths
        self.paths = paths
        let listsMembers = rules.contains { $0.guesses || !$0.guarded.isEmpty }
        tree = JSONPathTree(paths, listsMembers: listsMembers)
        usualTree = problemPaths.isEmpty ? tree : JSONPathTree(paths, omitting: problemPaths, listsMembers: listsMembers)
        fault = list.fault
        isStrict = rules.first?.isStrict == true
        hasAdapter = rules.contains { $0.adapter != nil }
        needsRequest = rules.contains { $0.transform?.needsRequest == true }
        statuses = rules.reduce(into: []) { $0.formUnion($1.statuses) }
    }

    /// Returns the places to search a response for.
    ///
    /// - Parameter type: The response's media type, or `nil` for JSON.
    func tree(for type: String?) -> JSONPathTree {
        type == EnvelopeRules.problemDetails.mediaType ? tree : usualTree
    }

    /// Whether a status means success.
    func takes(_ status: Int) -> Bool {
        HTTPResponse.isSuccess(status) || statuses.contains(status)
    }

    /// Creates the document of a scanned response, without the members that the rules for its media type ignore.
    ///
    /// - Parameter type: The response's media type, or `nil` for JSON.
    func document(_ text: Data, _ scan: JSONScan, of type: String?, _ scanned: ScannedDocument? = nil) -> EnvelopeDocument {
        var scan = scan
        for rules in rules where !rules.kinds.isEmpty && rules.rules.mediaType == type ?? MediaType.json {
            scan = scan.ignoring { finding in rules.kinds[finding.path].map { $0 != finding.span.kind } ?? false }
        }
        return EnvelopeDocument(text: text, scan: scan, scanned)
    }

    /// Returns the findings of the first rules that recognise the response, otherwise of the first ones that find a message. Returns `nil` if there
    /// are no rules for the media type.
    ///
    /// - Parameter type: The response's media type, or `nil` for JSON.
    func findings(in document: EnvelopeDocument, of type: String?, _ status: Int) -> EnvelopeFindings? {
        var best: EnvelopeFindings?
        for rules in rules {
            if let wanted = rules.rules.mediaType, type ?? MediaType.json != wanted { continue }
            // Skip rules that guess, because their rules for problem details follow.
            if rules.rules.guesses, type == EnvelopeRules.problemDetails.mediaType { continue }
            if document.scan.root.kind == .array, !rules.rules.guesses, !rules.takesArrays { continue }
            let findings = EnvelopeFindings(rules, in: document, status, isFine: takes(status), paths)
            if findings.isEnvelope { return consume findings }
            if best == nil || (best?.hasMessage == false && findings.hasMessage) { best = consume findings }
        }
        return best
    }
}

extension EnvelopeRules {
    /// The rules for problem details that accompany these rules, with the same categories, delays and statuses.
    fileprivate var forProblems: EnvelopeRules {
        var problems = EnvelopeRules.problemDetails
        problems.classes = classes
        problems.hasClasses = hasClasses
        problems.areNumbersLenient = areNumbersLenient
        problems.delays = delays
        problems.statuses = statuses
        return problems
    }
}

private struct PathList {
    var paths: [JSONPath] = []
    var fault: (any Error)?

    /// Adds places. An invalid place is replaced by a placeholder, which keeps the numbering; the call then fails with the error.
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
