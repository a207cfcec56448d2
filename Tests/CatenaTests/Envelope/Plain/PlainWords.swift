@testable import Catena

/// The code and the words of a failure.
struct PlainWords {
    private(set) var code: PlainCode?
    private(set) var message = ""

    init(_ value: JSON, status: Int, _ sign: PlainSign?) {
        let value = value.array.map { $0.first ?? .nullValue } ?? value
        guard value.isPlainObject else { return }
        let findings = PlainFindings(value, status: status)
        let members = findings.members
        let isFine = (200..<300).contains(status)
        code = Self.code(members, PlainRules.codes + findings.kin)
        let own = PlainRules.message(members, findings.ownMessages)
        let isBare = PlainRules.bad.contains(PlainObject.compared(own))
        if !isBare { message = own }
        for (name, _, value) in members.members where name.hasPrefix("error") {
            if name == "error", value.isPlainNumber {
                if value.isPlainlySomething { take(value.plainCode, "") }
            } else if value.isPlainObject || value.array != nil, value.isPlainlySomething {
                if name == "errors", value.isPlainObject, !value.tellsPlainly {
                    take(nil, value.plainFirstWords)
                } else {
                    let words = Self.words(value)
                    take(words.code, words.text)
                }
            }
        }
        let error = members["error"].plainText
        let isToken = Self.isToken(error)
        if isToken, error.wholeMatch(of: /[^A-Z]*/) != nil, !PlainCode.text(error).meansSuccess { take(.text(error), "") }
        let remark = PlainRules.message(members, PlainRules.texts)
        take(nil, isToken ? (remark.isEmpty ? error : remark) : (error.isEmpty ? remark : error))
        take(nil, members["errors"].plainText)
        take(nil, members["data"].plainText)
        for (name, _, value) in members.members where name.hasPrefix("err") { take(nil, value.plainFirstWords) }
        for (name, _, value) in members.members where value.isPlainObject || value.array != nil {
            if !value.isPlainlySomething || name.hasPrefix("error") || ["links", "included", "extensions", "details"].contains(name) {
                continue
            }
            let inside = PlainObject(value)
            let words = Self.words(inside["error"].isPlainObject ? inside["error"] : value)
            take(inside.hasAny(PlainRules.codes + ["error"]) ? words.code : nil, words.text)
        }
        let word = members["status"].plainWord
        if code == nil, isFine, Self.isToken(members["status"].plainText), !PlainRules.good.union(["true", "false"]).contains(word),
            members["status"].plainCode?.spelled == nil
        {
            code = members["status"].plainCode
        }
        if code == nil, let sign, !sign.isGood { code = sign.code }
        let type = members["type"].plainText
        if code == nil, !isFine, type.wholeMatch(of: /[\w]+/) != nil, !PlainRules.bad.contains(members["type"].plainWord) {
            code = .text(type)
        }
        if message.isEmpty, isBare { message = own }
    }

    private mutating func take(_ code: PlainCode?, _ text: String) {
        self.code = self.code ?? code
        if message.isEmpty { message = text }
    }

    private static func isToken(_ text: String) -> Bool {
        text.wholeMatch(of: /[!-~]+/) != nil && !text.contains("://") && text != "about:blank"
    }

    private static func code(_ members: PlainObject, _ names: [String]) -> PlainCode? {
        names.lazy.compactMap { members[$0].plainCode }.first { !$0.meansSuccess && !PlainRules.nothing.contains($0.word) }
    }

    private static func words(_ value: JSON) -> (code: PlainCode?, text: String) {
        let value = value.array.map { $0.first ?? .nullValue } ?? value
        if let text = value.string { return (nil, text) }
        guard value.isPlainObject else { return (nil, value.plainFirstWords) }
        let members = PlainObject(value)
        var found = code(members, PlainRules.codes)
        if found == nil, members["code"].plainCode == nil {
            if members["extensions"].isPlainObject { found = code(PlainObject(members["extensions"]), ["code"]) }
            for name in ["type", "name", "status"] where found == nil {
                if isToken(members[name].plainText), !PlainRules.bad.contains(members[name].plainWord) { found = members[name].plainCode }
            }
            if found == nil, members["type"].isPlainNumber { found = members["type"].plainCode }
        }
        let names = PlainRules.messages.filter { !members[$0].plainText.isEmpty || members[$0].array != nil }
        let texts = [
            PlainRules.message(members, names), PlainRules.message(members, PlainRules.texts), members["error"].plainText,
            value.plainFirstWords,
        ]
        return (found, texts.first { !$0.isEmpty } ?? "")
    }
}
