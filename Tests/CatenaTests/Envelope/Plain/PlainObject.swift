@testable import Catena

/// The members of an object by their compared keys, implemented as plainly as the rules are written.
struct PlainObject {
    let members: [(name: String, key: String, value: JSON)]

    init(_ value: JSON?) {
        var members: [(name: String, key: String, value: JSON)] = []
        if case .object(let object)? = value?.storage {
            for member in object.members where !members.contains(where: { $0.name == Self.compared(member.key) }) {
                members.append((Self.compared(member.key), member.key, member.value))
            }
        }
        self.members = members
    }

    static func compared(_ key: String) -> String {
        guard key.unicodeScalars.allSatisfy(\.isASCII) else { return key }
        let kept = key.lowercased().filter { $0.isLetter || $0.isNumber }
        return kept.isEmpty ? key : kept
    }

    subscript(name: String) -> JSON { members.first { $0.name == name }?.value ?? .nullValue }
    func has(_ name: String) -> Bool { members.contains { $0.name == name } }
    func hasAny(_ names: [String]) -> Bool { names.contains(where: has) }
    func key(_ name: String) -> String { members.first { $0.name == name }?.key ?? "" }
}

// The meanings of values in the rules.
extension JSON {
    var plainText: String { string ?? "" }
    var plainWord: String { plainText.isEmpty ? "" : PlainObject.compared(plainText) }
    var isPlainObject: Bool { if case .object = storage { true } else { false } }
    var isPlainNumber: Bool { plainCode != nil && string == nil }

    var plainCode: PlainCode? {
        switch storage {
        case .string(let text): text.isEmpty ? nil : .text(text)
        case .integer(let value): .number(Int(value))
        case .unsigned(let value): .text("\(value)")
        case .number(let text): int.map(PlainCode.number) ?? .text(text)
        default: nil
        }
    }

    var isPlainlySomething: Bool {
        switch storage {
        case .null: false
        case .bool(let value): value
        case .integer, .unsigned, .number: double != 0
        case .string(let text): text != ""
        case .array(let elements): !elements.isEmpty
        case .object(let object): !object.members.isEmpty
        }
    }

    /// Whether the value has content, at any depth.
    var holdsSomething: Bool {
        switch storage {
        case .array(let elements): elements.contains(where: \.holdsSomething)
        case .object(let object): object.members.contains(where: \.value.holdsSomething)
        default: isPlainlySomething
        }
    }

    /// Whether the value has words or a code.
    var tellsPlainly: Bool {
        if let array { return array.contains(where: \.tellsPlainly) }
        if isPlainObject {
            let members = PlainObject(self)
            return (PlainRules.messages + PlainRules.texts + PlainRules.errorCodes + ["code", "type"]).contains {
                members[$0].isPlainlySomething
            }
        }
        return !plainText.isEmpty
    }

    /// The first text with a space or a letter beyond ASCII.
    var plainFirstWords: String {
        if let string { return string.unicodeScalars.contains { !$0.isASCII || $0.properties.isWhitespace } ? string : "" }
        switch storage {
        case .array(let elements): return elements.map(\.plainFirstWords).first { !$0.isEmpty } ?? ""
        case .object(let object): return object.members.map(\.value.plainFirstWords).first { !$0.isEmpty } ?? ""
        default: return ""
        }
    }
}

enum PlainCode: Equatable {
    case number(Int)
    case text(String)

    /// The number of the code, also if the code is the text of a number.
    var spelled: Double? {
        switch self {
        case .number(let value): Double(value)
        case .text(let text): text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) == nil ? nil : Double(text)
        }
    }

    var isNumber: Bool { if case .number = self { true } else { false } }
    var word: String { if case .text(let text) = self { PlainObject.compared(text) } else { "" } }
    var meansSuccess: Bool {
        switch self {
        case .number(let value): value == 0 || value == 200
        case .text(let text): text == "200" || text.wholeMatch(of: /0+/) != nil || PlainRules.good.contains(word)
        }
    }
    var errorCode: ErrorCode {
        switch self {
        case .number(let value): .integer(value)
        case .text(let text): .string(text)
        }
    }
}
