@testable import Catena

/// A slow, plain implementation of the standard envelope's rules, with which the tests compare the reader.
enum PlainRules {
    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    static let errorCodes = words("errcode errorcode errno errorno ecode")
    static let resultCodes = words("retcode returncode resultcode respcode responsecode rspcode statuscode")
    static let flags = words("success ok issuccess isok successful succeeded")
    static let errorMessages = words(
        "errmsg errormsg errormessage errormessages errordescription errordesc errinfo errorinfo errortext errorsummary errtips err")
    static let messages =
        ["msg", "message"] + errorMessages
        + words("retmsg returnmsg returnmessage resultmsg resultmessage respmsg rspmsg responsemsg responsemessage statusmsg statusmessage")
    static let remarks = words("detail desc reason info tip tips hint")
    static let texts = words("detail description desc reason info tip tips title text hint")
    static let payloads = words("data ret result")
    static let company =
        words(
            "traceid requestid reqid logid rid correlationid timestamp time ts servertime systemtime ttl page pagination total count meta")
        + words("links included extensions version v api jsonapi jsonrpc path")
    static let vocabulary = Set(errorCodes + resultCodes + flags + messages + remarks + payloads + company + ["code", "status"])
    static let good: Set = ["ok", "success", "succeeded"]
    static let bad: Set = ["error", "fail", "failed", "failure", "notok"]
    static let nothing: Set = ["none", "null", "noerror", "false"]
    static let codes = errorCodes + ["code"] + resultCodes

    static func isVocabulary(_ name: String) -> Bool { vocabulary.contains(name) || name.hasPrefix("error") }

    static func isHTTPSuccess(_ code: PlainCode) -> Bool { [200, 201, 202, 204].contains { code == .number($0) } }

    /// Returns the text of the first of these members that has words.
    static func message(_ members: PlainObject, _ names: [String]) -> String {
        for name in names where members.has(name) {
            let value = members[name]
            if !value.plainText.isEmpty { return value.plainText }
            if let array = value.array, array.count == 1, !array[0].plainText.isEmpty { return array[0].plainText }
            if messages.contains(name), value.isPlainlySomething, value.bool == nil {
                return String(decoding: value.encoded, as: UTF8.self)
            }
        }
        return ""
    }
}

/// A sign that indicates whether the call succeeded.
struct PlainSign {
    let what: String
    let key: String
    let isGood: Bool
    /// 0 is weak, 1 is clear, 2 is clear whatever members stand beside it.
    let weight: Int
    var code: PlainCode?
}

/// The part of a response that a caller wants.
enum PlainWant {
    case anything, nothing
    case type(PlainType)
}

/// The keys of a type, as it spells them.
struct PlainType {
    let required: [String]
    let optional: [String]

    var keys: [String] { required + optional }
    func decodes(_ value: JSON) -> Bool { value.isPlainObject && required.allSatisfy { !value[$0].isNull } }
    func isThere(_ key: String, in value: JSON) -> Bool { value.object?[key] != nil }
}
