/// What one set of rules finds in a response that is a JSON object: the verdict, and what it rests on.
struct EnvelopeFindings {
    /// What a verdict rests on.
    enum Ground: Equatable {
        case flag(Int)
        case marker(Int)
        case code(Int)
        case word(Int)
        /// The media type alone says so.
        case mediaType(String)
    }

    enum Verdict: Equatable {
        case success(Ground)
        case failure(Ground)
    }

    let rules: EnvelopePlaces.Rules
    private(set) var code: (place: Int, value: ErrorCode)?
    private(set) var flag: (place: Int, value: Bool)?
    private(set) var word: (place: Int, isSuccess: Bool)?
    private(set) var message: (place: Int, value: String)?
    private(set) var marker: Int?
    private(set) var payload = Payload.none
    /// A code that does not count, because it stands in what looks like a model.
    private(set) var isCodeIgnored = false
    /// Whether every member of the response is one that envelopes are made of.
    let isAllVocabulary: Bool
    /// `nil`: nothing says how the call went.
    private(set) var verdict: Verdict?
    private(set) var isEnvelope = false

    /// Where the payload is.
    enum Payload: Equatable {
        case found(place: Int, JSONSpan)
        /// It is `null`.
        case null(place: Int)
        /// There is no payload key, or none that counts.
        case none
    }

    /// - Parameter vocabulary: Which of the scan's nodes are an envelope's.
    init(_ rules: EnvelopePlaces.Rules, _ vocabulary: [Bool], in document: EnvelopeDocument) {
        self.rules = rules
        let scan = document.scan
        var foreign = scan.memberCount - scan.knownMembers.count(where: { vocabulary[$0] })
        if let guess = rules.guess, foreign > 0, scan[guess.remoteCall] != nil, scan[guess.id] != nil { foreign -= 1 }
        isAllVocabulary = foreign == 0
        message = document.first(of: rules.messages) { document.words(at: $0) }
        readCode(in: document)
        flag = readFlag(in: document)
        word = readWord(in: document)
        marker = readMarker(in: document)
        payload = readPayload(in: document)
        verdict = judge(in: document)
        let isKnownByPayload: Bool
        switch payload {
        case .none: isKnownByPayload = false
        // Without a verdict it is only guessed that this is a payload.
        case .null where rules.guess != nil: isKnownByPayload = false
        case .found where rules.guess != nil: isKnownByPayload = isAllVocabulary
        case .found, .null: isKnownByPayload = (rules.codes.isEmpty || !rules.failures.isEmpty) && rules.flags.isEmpty
        }
        isEnvelope = verdict != nil || isKnownByPayload || rules.rules.mediaType != nil
        if rules.guess != nil { guessPayload(in: document) }
    }

    // MARK: The parts

    private mutating func readCode(in document: EnvelopeDocument) {
        let found = document.scan.found
        for finding in found where rules.codes.contains(finding.path) {
            guard let value = document.code(at: finding.span) else { continue }
            if !rules.rule(ofCode: finding.path).isGuarded || isCompanied(finding.span, in: document) {
                isCodeIgnored = false
                code = (finding.path, value)
                return
            }
            isCodeIgnored = true
        }
        code = laterCode(in: document)
        if code != nil { isCodeIgnored = false }
    }

    /// Whether a code that is often part of a model stands where it is one of an envelope.
    private func isCompanied(_ span: JSONSpan, in document: EnvelopeDocument) -> Bool {
        if document.hasAny(of: rules.messages) { return true }
        let isBesidePayload = document.hasAny(of: rules.payloads)
        return span.kind == .number ? isBesidePayload || isAllVocabulary : isBesidePayload && isAllVocabulary
    }

    /// What is a code where there is no other one.
    private func laterCode(in document: EnvelopeDocument) -> (place: Int, value: ErrorCode)? {
        func number(_ span: JSONSpan) -> ErrorCode? { span.kind == .number ? document.code(at: span) : nil }
        if document.hasAny(of: rules.messages),
            let code = document.first(of: rules.payloadCodes, { span in number(span).flatMap { $0.isInteger ? $0 : nil } })
        {
            return code
        }
        guard isAllVocabulary else { return nil }
        if let code = document.first(of: rules.errorNumbers, number) { return code }
        // What means success here is the code that it spells, and no sign of an error.
        let spelled = document.first(of: rules.errorNumbers) { span in
            span.kind == .string ? document.code(at: span).flatMap { rules.rules.meansSuccess($0) ? $0 : nil } : nil
        }
        if let spelled { return spelled }
        return document.hasAny(of: rules.payloads) ? document.first(of: rules.statusNumbers, number) : nil
    }

    private func readFlag(in document: EnvelopeDocument) -> (place: Int, value: Bool)? {
        for finding in document.scan.found where rules.flags.contains(finding.path) {
            let span = finding.span
            let reading = rules.rule(ofFlag: finding.path).reading
            if span.kind == .bool { return (finding.path, document.isTrue(span)) }
            guard reading != .boolean, span.kind == .number || span.kind == .string, span.range.count <= 7 else { continue }
            switch document.text(at: span).lowercased() {
            case "true" where span.kind == .string: return (finding.path, true)
            case "false" where span.kind == .string: return (finding.path, false)
            case "1" where reading == .any || isAllVocabulary: return (finding.path, true)
            case "0" where reading == .any || isAllVocabulary: return (finding.path, false)
            default: continue
            }
        }
        return nil
    }

    private func readWord(in document: EnvelopeDocument) -> (place: Int, isSuccess: Bool)? {
        document.first(of: rules.words) { span -> Bool? in
            guard span.kind == .string, span.range.count <= 9 else { return nil }
            let word = document.text(at: span).lowercased()
            if EnvelopeVocabulary.wordsOfSuccess.contains(word) { return true }
            return EnvelopeVocabulary.wordsOfFailure.contains(word) ? false : nil
        }.map { (place: $0.place, isSuccess: $0.value) }
    }

    /// Where there is something that is there only after a failure.
    private func readMarker(in document: EnvelopeDocument) -> Int? {
        if let place = document.first(of: rules.failures, { document.isSomething($0) ? true : nil })?.place { return place }
        guard let guess = rules.guess, rules.rules.guessesFailures else { return nil }
        if let span = document.scan[guess.error] {
            let isMarker =
                switch span.kind {
                case .bool: document.isTrue(span)
                case .object: isAllVocabulary ? document.isSomething(span) : tellsError(document)
                case .string: isAllVocabulary && !document.isEmptyText(span) && code?.place != rules.errorNumbers.first
                case .null, .number, .array: false
                }
            if isMarker { return guess.error }
        }
        if isAllVocabulary, let span = document.scan[guess.errors] {
            switch span.kind {
            case .array, .object, .string: if document.isSomething(span) { return guess.errors }
            case .null, .bool, .number: break
            }
        }
        return nil
    }

    private func tellsError(_ document: EnvelopeDocument) -> Bool {
        rules.guess.map { document.first(of: $0.tellsError) { $0.kind == .null ? nil : true } != nil } ?? false
    }

    private func readPayload(in document: EnvelopeDocument) -> Payload {
        var result = Payload.none
        for finding in document.scan.found where rules.payloads.contains(finding.path) {
            // A key that has served as code is no payload.
            if let code, rules.payloadCodes.contains(code.place), document.scan[code.place] == finding.span { continue }
            switch (finding.span.kind, result) {
            case (.null, .none): result = .null(place: finding.path)
            case (.null, _): break
            case (_, .none), (_, .null):
                result = .found(place: finding.path, finding.span)
                if !document.isEmptyText(finding.span) { return result }
            case (_, .found):
                // So far there was empty text only.
                if !document.isEmptyText(finding.span) { return .found(place: finding.path, finding.span) }
            }
        }
        return result
    }

    // MARK: The verdict

    private func judge(in document: EnvelopeDocument) -> Verdict? {
        if rules.rules.isFailureByType, let type = rules.rules.mediaType { return .failure(.mediaType(type)) }
        let codeSays = code.map { rules.rules.meansSuccess($0.value) }
        if let marker, !isPartial {
            // Where somebody has said where it is, it counts whatever stands beside it.
            let isCertain = rules.failures.contains(marker)
            if isCertain || (codeSays != true && flag?.value != true) { return .failure(.marker(marker)) }
        }
        if let flag {
            if flag.value { return .success(.flag(flag.place)) }
            if rules.guess == nil || isAllVocabulary || hasCompany(in: document) { return .failure(.flag(flag.place)) }
        }
        if let code { return codeSays == true ? .success(.code(code.place)) : .failure(.code(code.place)) }
        if let word, rules.guess == nil || isAllVocabulary {
            return word.isSuccess ? .success(.word(word.place)) : .failure(.word(word.place))
        }
        return nil
    }

    /// Whether a payload makes up for the errors beside it.
    private var isPartial: Bool {
        guard rules.rules.allowsPartialPayload, case .found = payload else { return false }
        return true
    }

    private func hasCompany(in document: EnvelopeDocument) -> Bool {
        if document.hasAny(of: rules.codes) || document.hasAny(of: rules.messages) || document.hasAny(of: rules.payloads) { return true }
        return rules.guess.map { document.scan[$0.error] != nil || document.scan[$0.errors] != nil } ?? false
    }

    /// Leaves a payload key alone that is part of a model.
    private mutating func guessPayload(in document: EnvelopeDocument) {
        guard verdict == nil else { return }
        guard isAllVocabulary else {
            payload = .none
            return
        }
        guard case .found(let place, _) = payload, rules.rule(ofPayload: place).isGuarded else { return }
        if let guess = rules.guess, document.scan[guess.remoteCall] != nil { return }
        payload = .none
        isEnvelope = rules.rules.mediaType != nil
    }

    var isFailure: Bool {
        if case .failure = verdict { true } else { false }
    }
}

extension ErrorCode {
    var isInteger: Bool {
        if case .integer = self { true } else { false }
    }
}
