@testable import Catena

/// Generates random bodies with keys of the vocabulary and of models, and types that ask for some of these keys.
struct PlainBody {
    var random: SplitMix
    private static let keys: [String] =
        PlainRules.errorCodes + PlainRules.resultCodes + ["code", "code", "code", "status", "status", "error", "error", "errors"]
        + PlainRules.flags + ["success", "ok"] + [
            "msg", "message", "msg", "message", "errmsg", "error_msg", "errorMessage", "Err_Info", "retMsg",
        ]
        + PlainRules.remarks + ["data", "data", "data", "ret", "result", "result"] + ["trace_id", "requestId", "ts", "page", "jsonrpc"]
        + [
            "id", "name", "type", "title", "text", "description", "error-codes", "errorResponse", "infocode", "infomsg", "list", "x", "名",
            "---",
        ]
    private static let texts = [
        "", "ok", "OK", "success", "error", "fail", "FAILED", "not ok", "none", "null", "false", "true", "0", "0000", "1", "200", "404",
        "-1", "12.5",
        "E01", "invalid_grant", "Something is wrong", "余额不足", "pending", "https://example.com/x", "about:blank",
    ]
    private static let numbers = ["0", "0", "1", "200", "201", "404", "500", "-1", "10001", "0.5", "200.0", "99999999999999999999"]

    mutating func object(depth: Int = 0) -> JSON {
        let count = Int.random(in: depth == 0 ? 1...6 : 0...4, using: &random)
        let members = (0..<count).map { _ in
            JSONObject.Member(key: spelled(Self.keys.randomElement(using: &random) ?? "x"), value: value(depth))
        }
        return JSON(members: members)
    }

    private mutating func spelled(_ key: String) -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: key.uppercased()
        case 1: key.prefix(1).uppercased() + key.dropFirst()
        case 2: key.count > 4 ? key.prefix(3) + "_" + key.dropFirst(3) : key
        default: key
        }
    }

    private mutating func value(_ depth: Int) -> JSON {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return .nullValue
        case 1, 2: return JSON(.bool(Bool.random(using: &random)))
        case 3...7: return (try? JSON(parsing: (Self.numbers.randomElement(using: &random) ?? "0").utf8)) ?? .nullValue
        case 8...13: return JSON(.string(Self.texts.randomElement(using: &random) ?? ""))
        case 14, 15: return JSON(array: depth > 2 ? [] : (0..<Int.random(in: 0...2, using: &random)).map { _ in value(depth + 1) })
        default: return depth > 2 ? JSON(members: []) : object(depth: depth + 1)
        }
    }

    /// Returns a type with some of the keys of the body or of an object in it, and sometimes a key that is not there.
    mutating func type(for body: JSON) -> PlainType {
        var source = body
        if case .object(let object) = body.storage, Bool.random(using: &random),
            let inner = object.members.filter({ $0.value.isPlainObject }).randomElement(using: &random)
        {
            source = inner.value
        }
        var keys: [String] = []
        if case .object(let object) = source.storage { keys = object.members.map(\.key).shuffled(using: &random) }
        keys = Array(keys.prefix(Int.random(in: 0...3, using: &random)))
        if Int.random(in: 0..<4, using: &random) == 0 { keys.append("other") }
        var seen: Set<String> = []
        keys = keys.filter { seen.insert($0).inserted }
        let required = keys.filter { _ in Bool.random(using: &random) }
        return PlainType(required: required, optional: keys.filter { !required.contains($0) })
    }
}

/// A random number generator with the same numbers in each run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// A model that asks for the keys of a task-local value.
struct AskingModel: Decodable, Sendable, Equatable {
    @TaskLocal static var keys = PlainType(required: [], optional: [])

    let values: [String: JSON]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var values: [String: JSON] = [:]
        for key in Self.keys.required {
            let value = try container.decode(JSON.self, forKey: Key(stringValue: key))
            if value.isNull {
                throw DecodingError.valueNotFound(JSON.self, .init(codingPath: [], debugDescription: "null"))
            }
            values[key] = value
        }
        for key in Self.keys.optional { values[key] = try container.decodeIfPresent(JSON.self, forKey: Key(stringValue: key)) }
        self.values = values
    }
}
