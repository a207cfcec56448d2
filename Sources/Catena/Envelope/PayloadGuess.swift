/// The facts known of a payload before a type is decoded from it, where only usual keys say what it is.
///
/// It is small, since each typed call has one: what the type then asks for is compared with a few words. Where they meet, the response is
/// looked at once more.
struct PayloadGuess: Sendable {
    /// The place of the payload; `nil` if there is none, or if it is null.
    let payload: Range<Int>?
    /// Whether the payload is the likelier part, and not the whole.
    let isPayload: Bool
    let isMade: Bool
    /// The keys of the signs that count.
    let counted: VocabularyWords
    /// The keys that have served as signs and messages.
    let served: VocabularyWords
    /// The places of the envelope, for another look at the response.
    let places: EnvelopePlaces
    /// The media type of the response, unless it is JSON.
    let mediaType: String?

    /// Whether a type that asked for these keys of the payload may have it without another look.
    func accepts(payloadOf keys: AskedKeys) -> Bool {
        !keys.asked.overlaps(counted) && (!keys.hasAsked || keys.findsAny)
    }

    /// Whether a type that asked for these keys of the whole may have it without another look.
    func accepts(wholeOf keys: AskedKeys) -> Bool {
        guard !keys.asked.overlaps(counted), !keys.takesList else { return false }
        guard keys.hasAsked, isMade else { return !keys.hasAsked || keys.findsAny }
        return keys.findsOther || keys.findsErrorKey || !keys.found.subtracting(served).isEmpty
    }

    /// The part of the response for a type, after another look.
    func choice(of reading: EnvelopeResult, _ trial: TypeTrial) -> StandardFindings.Choice {
        guard let scan = try? JSONScan(reading.text, tree: places.tree(for: mediaType)) else { return .whole }
        let document = EnvelopeDocument(text: reading.text, scan: scan, reading.scanned)
        guard var findings = places.findings(in: document, of: mediaType, reading.response.status, .anything),
            let standard = findings.standard
        else { return .whole }
        findings.judge(.type(trial), reading.response.status)
        return standard.choice(findings.decision, trial)
    }
}

extension EnvelopeFindings {
    /// The facts of a payload that a type decides about.
    func guess(_ standard: StandardFindings, isPayload: Bool, _ places: EnvelopePlaces, _ mediaType: String?) -> PayloadGuess {
        var counted = VocabularyWords()
        if !isDeclared {
            for sign in standard.object.signs {
                if let word = sign.word, standard.counts(sign, .anything) { counted.insert(word) }
            }
        }
        return PayloadGuess(
            payload: standard.candidate?.range, isPayload: isPayload, isMade: verdict != nil, counted: counted, served: standard.served,
            places: places, mediaType: mediaType)
    }
}
