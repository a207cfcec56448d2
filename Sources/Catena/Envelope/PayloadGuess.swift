/// The facts about a payload that only commonly used keys identify, collected before a type is decoded.
///
/// It is small, because each typed call has one. The keys that the type asks for are compared with a few words. If they overlap, the response is
/// evaluated again.
struct PayloadGuess: Sendable {
    /// The position of the payload, or `nil` if it is null or absent.
    let payload: Range<Int>?
    /// Whether the payload is the likelier part, rather than the whole body.
    let isPayload: Bool
    let isMade: Bool
    /// The keys of signs that count.
    let counted: VocabularyWords
    /// The keys that have served as signs or messages.
    let served: VocabularyWords
    /// The places of the envelope, for another evaluation.
    let places: EnvelopePlaces
    /// The media type of the response, or `nil` for JSON.
    let mediaType: String?

    /// Whether a type with these keys may be decoded from the payload without another evaluation.
    func accepts(payloadOf keys: AskedKeys) -> Bool {
        !keys.asked.overlaps(counted) && (!keys.hasAsked || keys.findsAny)
    }

    /// Whether a type with these keys may be decoded from the whole body without another evaluation.
    func accepts(wholeOf keys: AskedKeys) -> Bool {
        guard !keys.asked.overlaps(counted), !keys.takesList else { return false }
        guard keys.hasAsked, isMade else { return !keys.hasAsked || keys.findsAny }
        return keys.findsOther || keys.findsErrorKey || !keys.found.subtracting(served).isEmpty
    }

    /// Evaluates the response again and returns the part for a type.
    func choice(of reading: EnvelopeResult, _ trial: TypeTrial) -> StandardFindings.Choice {
        guard let scan = try? JSONScan(reading.text, tree: places.tree(for: mediaType)) else { return .whole }
        let document = EnvelopeDocument(text: reading.text, scan: scan, reading.scanned)
        guard var findings = places.findings(in: document, of: mediaType, reading.response.status, .anything),
            let standard = findings.standard
        else { return .whole }
        findings.judge(.type(trial))
        return standard.choice(findings.decision, trial)
    }
}

extension EnvelopeFindings {
    /// Collects the facts about a payload.
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
