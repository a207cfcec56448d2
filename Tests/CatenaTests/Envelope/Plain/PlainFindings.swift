@testable import Catena

/// The signs of an object that indicate whether the call succeeded.
final class PlainFindings {
    let value: JSON
    let members: PlainObject
    let status: Int
    var inner: [String: PlainFindings] = [:]
    var kin: [String] = []
    var ownMessages = PlainRules.messages
    var others: [String] = []
    var hasIdentity = false
    var isThing = false
    var signs: [PlainSign] = []

    init(_ value: JSON, status: Int = 0, isInner: Bool = false) {
        self.value = value
        self.status = status
        members = PlainObject(value)
        if !isInner {
            for member in members.members where member.value.isPlainObject && member.value.isPlainlySomething {
                inner[member.name] = PlainFindings(member.value, isInner: true)
            }
        }
        let codes = PlainRules.errorCodes + PlainRules.resultCodes + ["code"]
        kin = members.has("code") ? [] : members.members.map(\.name).filter { $0.hasSuffix("code") && !codes.contains($0) }
        ownMessages += kin.flatMap { [$0.dropLast(4) + "msg", $0.dropLast(4) + "message"] }.map(String.init)
        if !members.hasAny(ownMessages) { kin = [] }
        others = members.members.map(\.name).filter { name in
            !(PlainRules.isVocabulary(name) || kin.contains(name) || ownMessages.contains(name) || name == "id" && members.has("jsonrpc")
                || inner[name]?.isHead == true)
        }
        let telling = others.filter { members[$0].isPlainlySomething }
        hasIdentity = telling.contains("id")
        let status = members["status"]
        isThing =
            telling.count >= 3
            || hasIdentity && !status.plainText.isEmpty && status.plainCode?.spelled == nil
        signs = flags() + codesOfAll() + errors() + words()
    }

    var hasCode: Bool { members.hasAny(PlainRules.errorCodes + PlainRules.resultCodes + ["code"]) }
    var hasMessage: Bool { members.hasAny(ownMessages) }
    var hasPayload: Bool { members.hasAny(PlainRules.payloads) }
    var hasError: Bool { members.members.contains { $0.name.hasPrefix("err") && $0.value.isPlainlySomething } }
    var hasWords: Bool { hasMessage || hasError || members.hasAny(PlainRules.remarks) }
    var isTold: Bool { hasMessage || inner.values.contains { $0.hasMessage && !$0.isThing } }
    var message: String { PlainRules.message(members, ownMessages) }
    var saysOK: Bool { ownMessages.contains { PlainRules.good.contains(members[$0].plainWord) } }
    var isHead: Bool { others.isEmpty && (hasCode || members.hasAny(PlainRules.flags)) }

    // MARK: Signs

    private func flags() -> [PlainSign] {
        let isBeside = hasWords || hasPayload || hasCode
        for name in PlainRules.flags {
            let value = members[name]
            if value.isPlainNumber || value.string == "0" || value.string == "1", let number = value.plainCode?.spelled, number <= 1 {
                let weight = number < 1 && hasWords ? 2 : isBeside || number < 0 ? 1 : 0
                return [PlainSign(what: "flag", key: name, isGood: number == 1, weight: weight)]
            }
            if let truth = value.bool ?? ["true": true, "false": false][value.plainWord] {
                return [PlainSign(what: "flag", key: name, isGood: truth, weight: !truth && hasWords ? 2 : 1)]
            }
        }
        for name in ["status", "result"] {
            if let truth = members[name].bool, name == "status" || hasMessage {
                let isClear = hasMessage || hasError || hasPayload || hasCode
                return [PlainSign(what: "flag", key: name, isGood: truth, weight: isClear ? 1 : 0)]
            }
            if name == "status", let truth = ["true": true, "false": false][members[name].plainWord] {
                return [PlainSign(what: "flag", key: name, isGood: truth, weight: 0)]
            }
        }
        guard let truth = members["error"].bool else { return [] }
        return [PlainSign(what: "flag", key: "error", isGood: !truth, weight: hasMessage || hasPayload || hasCode ? 1 : 0)]
    }

    private func codesOfAll() -> [PlainSign] {
        var found: [PlainSign] = []
        for name in PlainRules.errorCodes + PlainRules.resultCodes + kin + ["code", "error", "ret"] {
            guard let code = members[name].plainCode else { continue }
            func add(_ isGood: Bool, _ isClear: Bool) {
                found.append(PlainSign(what: "code", key: name, isGood: isGood, weight: isClear ? 1 : 0, code: code))
            }
            let number = code.spelled
            let good = code.meansSuccess
            let isStatus = status != 0 && code == .number(status)
            if PlainRules.errorCodes.contains(name) {
                add(good || PlainRules.nothing.contains(members[name].plainWord), true)
            } else if name == "statuscode" {
                let good = good || PlainRules.isHTTPSuccess(code) || isStatus
                if good || number.map({ $0 >= 100 }) ?? true { add(good, hasMessage || number != nil) }
            } else if PlainRules.resultCodes.contains(name) {
                if number != nil || PlainRules.good.union(PlainRules.bad).contains(code.word) || hasMessage { add(good, true) }
            } else if kin.contains(name) {
                if number != nil, good || !saysOK { add(good, true) }
            } else if name == "code" {
                let isWord = PlainRules.good.union(PlainRules.bad).contains(members["status"].plainWord)
                add(good || isStatus, number != nil ? isTold || hasPayload || hasError || isWord : !message.isEmpty && found.isEmpty)
            } else if name == "error" {
                if code.isNumber { add(good, hasMessage) }
            } else if found.isEmpty, code.isNumber, hasMessage {
                add(good, true)
            }
        }
        func order(_ sign: PlainSign) -> Int {
            if !sign.isGood, PlainRules.errorCodes.contains(sign.key) { return 0 }
            return members.key(sign.key) == "errcode" ? 1 : sign.key == "code" ? 2 : 3
        }
        return found.enumerated().sorted { (order($0.element), $0.offset) < (order($1.element), $1.offset) }.map(\.element)
    }

    private func errors() -> [PlainSign] {
        members.members.compactMap { name, _, value in
            let isList = value.array != nil || name == "errors" && (value.isPlainObject || value.string != nil)
            if name == "error" || name == "errors", isList, value.isPlainlySomething {
                if let array = value.array, !array[0].tellsPlainly { return nil }
                let isClear = hasMessage || hasPayload || members.has("code")
                return PlainSign(what: "error", key: name, isGood: false, weight: isClear ? 1 : 0)
            }
            if name == "error", value.bool == nil, !value.isPlainNumber {
                let inside = PlainObject(value)
                let code = (PlainRules.errorCodes + ["code"]).lazy.compactMap { inside[$0].plainCode }.first
                let saysNothing =
                    !value.holdsSomething
                    || value.string != nil && (value.plainCode?.meansSuccess == true || PlainRules.nothing.contains(value.plainWord))
                    || code?.meansSuccess == true && (code != .number(200) || PlainRules.message(inside, PlainRules.messages).isEmpty)
                if saysNothing { return PlainSign(what: "no error", key: name, isGood: true, weight: hasPayload ? 1 : 0) }
                return PlainSign(what: "error", key: name, isGood: false, weight: value.string != nil || value.tellsPlainly ? 1 : 0)
            }
            guard name.hasPrefix("error"), value.isPlainObject, value.tellsPlainly else { return nil }
            return PlainSign(what: "error", key: name, isGood: false, weight: 1)
        }
    }

    private func words() -> [PlainSign] {
        let code = members["status"].plainCode
        if let code, let number = code.spelled {
            if PlainRules.isHTTPSuccess(code) || status != 0 && code == .number(status) || code == .text("200") {
                return [PlainSign(what: "status", key: "status", isGood: true, weight: hasMessage || hasPayload ? 1 : 0, code: code)]
            }
            if number >= 100 { return [PlainSign(what: "status", key: "status", isGood: false, weight: isTold ? 1 : 0, code: code)] }
        }
        for name in ["status", "result", "message", "msg"] {
            let isOwn = name == "message" || name == "msg"
            if PlainRules.good.contains(members[name].plainWord) {
                return [PlainSign(what: "word", key: name, isGood: true, weight: name == "result" ? 0 : 1)]
            }
            if PlainRules.bad.contains(members[name].plainWord) {
                return [PlainSign(what: "word", key: name, isGood: false, weight: hasError || !isOwn && hasMessage ? 1 : 0)]
            }
        }
        for name in PlainRules.errorMessages where !members[name].plainText.isEmpty {
            if !PlainRules.good.union(PlainRules.nothing).contains(members[name].plainWord) {
                return [PlainSign(what: "words", key: name, isGood: false, weight: 1)]
            }
        }
        guard code == .number(0) else { return [] }
        return [PlainSign(what: "status", key: "status", isGood: true, weight: hasMessage || hasPayload ? 1 : 0, code: code)]
    }
}
