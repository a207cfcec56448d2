@testable import Catena

/// The reading of a response by the rules.
struct PlainReading {
    enum Outcome: Equatable {
        case fails(ErrorCode, String)
        /// The whole, or the value at a key.
        case gives(JSON)
        case nothing
        case missing
        case undecodable
    }

    let outcome: Outcome
    /// The part that looks like a failure although the response passes.
    var look: String?
}

extension PlainFindings {
    // MARK: Which signs count

    func counts(_ sign: PlainSign, _ want: PlainWant) -> Bool {
        var wantsNothing = false
        switch want {
        case .anything: break
        case .nothing: wantsNothing = true
        case .type(let type):
            if isModels(sign, type) { return false }
            wantsNothing = !sign.isGood && !fitsWhole(type, nil) && !fitsPayload(type)
        }
        if sign.isGood { return others.isEmpty || sign.weight > 0 && (!isThing || sign.what == "flag" || sign.what == "code") }
        if sign.weight == 2, !hasIdentity { return true }
        if isThing { return false }
        let isWeakButMeant = PlainRules.flags.contains(sign.key) || sign.key == "code" && sign.code?.isNumber == true
        return sign.weight > 0 || others.isEmpty || wantsNothing && isWeakButMeant
    }

    func isModels(_ sign: PlainSign, _ type: PlainType) -> Bool {
        let names = type.keys.map(PlainObject.compared)
        guard names.contains(sign.key), type.decodes(value) else { return false }
        let hasOwn = type.keys.contains { !PlainRules.isVocabulary(PlainObject.compared($0)) && type.isThere($0, in: value) }
        return hasOwn || !names.contains { ownMessages.contains($0) || PlainRules.payloads.contains($0) }
    }

    func verdict(_ want: PlainWant) -> PlainSign? { signs.first { counts($0, want) } }

    // MARK: Payload and type

    var payload: (key: String, value: JSON)? {
        var best: (key: String, value: JSON)?
        for name in PlainRules.payloads where members.has(name) {
            if signs.contains(where: { $0.key == name && ($0.what == "code" || $0.what == "flag") }) { continue }
            let value = members[name]
            let isBetter =
                best.map { $0.value.isNull && !value.isNull || $0.value.string == "" && !value.isNull && value.string != "" } ?? true
            if isBetter { best = (name, value) }
        }
        return best
    }

    func isPayload(_ verdict: PlainSign?) -> Bool {
        guard let payload else { return false }
        if payload.key != "result" { return verdict != nil || others.isEmpty }
        if let verdict { return verdict.what != "word" || others.isEmpty || members.has("jsonrpc") }
        return members.has("jsonrpc") || others.isEmpty && members.hasAny(PlainRules.company)
    }

    func fitsWhole(_ type: PlainType, _ verdict: PlainSign?) -> Bool {
        guard type.decodes(value) else { return false }
        if type.keys.isEmpty { return true }
        var served: Set<String> = []
        if verdict != nil {
            served = Set(signs.filter { ["flag", "code", "word", "status"].contains($0.what) }.map(\.key) + ownMessages)
        }
        return type.keys.contains { key in
            let name = PlainObject.compared(key)
            return type.isThere(key, in: value)
                && (!served.contains(name) || verdict?.key == name && type.required.contains(key))
        }
    }

    func fitsPayload(_ type: PlainType) -> Bool {
        guard let payload, !payload.value.isNull else { return false }
        return Self.fits(type, payload.value)
    }

    private static func fits(_ type: PlainType, _ value: JSON) -> Bool {
        type.decodes(value) && (type.keys.isEmpty || type.keys.contains { type.isThere($0, in: value) })
    }

    // MARK: One level down

    struct Deeper {
        let path: String
        let value: JSON
        let sign: PlainSign
    }

    func deeper() -> Deeper? { look(isSecond: false, isAlone: true) }

    private func look(isSecond: Bool, isAlone: Bool) -> Deeper? {
        let here = members.members.filter { !PlainRules.company.contains($0.name) && $0.value.isPlainlySomething }.map(\.name)
        for (name, key, value) in members.members where value.isPlainObject && value.isPlainlySomething {
            let inside = PlainFindings(value)
            let isSole = isAlone && here == [name]
            if !inside.isThing, !inside.saysOK, !inside.signs.contains(where: \.isGood) {
                for sign in inside.signs where ["flag", "code", "error"].contains(sign.what) && (sign.what != "flag" || sign.weight == 2) {
                    guard sign.weight > 0 || isSole && inside.others.isEmpty else { continue }
                    if PlainRules.payloads.contains(name), !isSole, !PlainRules.errorCodes.contains(sign.key) { continue }
                    return Deeper(path: key, value: value, sign: sign)
                }
            }
            if !isSecond, !PlainRules.payloads.contains(name), let found = inside.look(isSecond: true, isAlone: isSole) {
                return Deeper(path: "\(key).\(found.path)", value: found.value, sign: found.sign)
            }
        }
        return nil
    }

    // MARK: Diagnostics

    func suspicion(_ verdict: PlainSign?, _ want: PlainWant, _ deeper: Deeper?) -> String? {
        if case .type(let type) = want, fitsWhole(type, nil),
            isThing || signs.allSatisfy({ $0.isGood || $0.weight == 0 || isModels($0, type) })
        {
            return nil
        }
        for sign in signs where !sign.isGood {
            if verdict?.isGood == true, sign.what != "error", sign.what != "word" { continue }
            let isMild = !isThing && (sign.what == "word" || sign.what == "code" && sign.code?.isNumber == true)
            if sign.weight > 0 || sign.what == "flag" || sign.what == "status" || isMild { return members.key(sign.key) }
        }
        if let verdict, verdict.isGood, verdict.what == "flag" || verdict.what == "code" { return nil }
        if let deeper { return "\(deeper.path).\(PlainObject(deeper.value).key(deeper.sign.key))" }
        var said = PlainRules.message(members, PlainRules.messages)
        if said.isEmpty { said = PlainRules.message(members, PlainRules.texts) }
        let payloadIsContainer = payload.map { $0.value.isPlainObject || $0.value.array != nil } ?? false
        if !isThing, !said.isEmpty, !PlainRules.good.contains(PlainObject.compared(said)), !payloadIsContainer {
            if members["status"].plainCode?.spelled == 0 { return members.key("status") }
            if case .number(let number)? = members["result"].plainCode, ![0, 1, 200].contains(number) { return members.key("result") }
        }
        for (_, key, value) in members.members {
            guard let elements = value.array, !elements.isEmpty, !isThing else { continue }
            if elements.allSatisfy({ $0.isPlainObject && PlainObject($0)["error"].tellsPlainly }) { return key }
        }
        return nil
    }
}

extension PlainReading {
    init(_ value: JSON, status: Int, _ want: PlainWant) {
        let isFine = (200..<300).contains(status)
        // The type does not matter at an error status.
        let want: PlainWant = if !isFine, case .type = want { .anything } else { want }
        let findings = value.isPlainObject ? PlainFindings(value, status: status) : nil
        var verdict = findings?.verdict(want)
        var place = value
        var deeper: PlainFindings.Deeper?
        if isFine, let findings, verdict == nil, !findings.isThing {
            deeper = findings.deeper()
            var fits = false
            if case .type(let type) = want { fits = findings.fitsWhole(type, nil) || findings.fitsPayload(type) }
            if let deeper, !fits { (verdict, place) = (deeper.sign, deeper.value) }
        }
        if let elements = value.array, !elements.isEmpty,
            elements.allSatisfy({ $0.object?.count == 1 && $0["error"].tellsPlainly })
        {
            verdict = PlainSign(what: "error", key: "error", isGood: false, weight: 1)
        }
        if !isFine || verdict?.isGood == false {
            let words = PlainWords(place, status: status, verdict)
            let isStatus = !isFine && words.code?.errorCode == .string("\(status)")
            outcome = .fails(isStatus ? .integer(status) : words.code?.errorCode ?? (isFine ? "false" : .integer(status)), words.message)
            return
        }
        look = findings?.suspicion(verdict, want, deeper)
        outcome = Self.outcome(value, findings, verdict, want)
    }

    private static func outcome(_ value: JSON, _ findings: PlainFindings?, _ verdict: PlainSign?, _ want: PlainWant) -> Outcome {
        if case .nothing = want { return .nothing }
        guard let findings else {
            guard case .type(let type) = want else { return .gives(value) }
            return value.isNull ? .missing : type.decodes(value) ? .gives(value) : .undecodable
        }
        let payload = findings.payload
        var isMissing = false
        var guess: JSON?
        if let payload, payload.value.isNull, verdict != nil {
            isMissing = true
        } else if let payload, findings.isPayload(verdict) {
            guess = payload.value
        } else if verdict != nil, payload == nil, findings.others.isEmpty {
            isMissing = true
        }
        guard case .type(let type) = want else { return .gives(isMissing ? value : guess ?? value) }
        let candidate = payload.flatMap { $0.value.isNull ? nil : $0.value }
        let fitsCandidate = findings.fitsPayload(type)
        if candidate != nil, guess != nil, fitsCandidate { return .gives(candidate ?? value) }
        if findings.fitsWhole(type, verdict) { return .gives(value) }
        if let candidate, fitsCandidate { return .gives(candidate) }
        if isMissing { return .missing }
        if guess == nil, type.decodes(value) { return .gives(value) }
        if let candidate, type.decodes(candidate) { return .gives(candidate) }
        return .undecodable
    }
}
