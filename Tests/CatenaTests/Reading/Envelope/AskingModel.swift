@testable import Catena

/// The keys that a type asks for, each with the kind of value that it needs: `any`, `string`, `number`, `bool`, `array` or `object`.
struct AskedType: Sendable, Decodable, CustomStringConvertible {
    var required: [String: String]?
    var optional: [String: String]?
    /// The kind of a type without keys.
    var scalar: String?
    var isOptional: Bool?

    init(required: [String] = [], optional: [String] = []) {
        self.required = Dictionary(required.map { ($0, "any") }) { first, _ in first }
        self.optional = Dictionary(optional.map { ($0, "any") }) { first, _ in first }
    }

    /// The keys of a row of `typed-failures.txt`, in which `?` marks an optional one.
    init(keys: String) {
        let keys = keys.split(separator: " ").map(String.init)
        self.init(required: keys.filter { $0.last != "?" }, optional: keys.filter { $0.last == "?" }.map { String($0.dropLast()) })
    }

    var keys: [String] { (required ?? [:]).keys.sorted() + (optional ?? [:]).keys.sorted() }

    var description: String {
        scalar ?? ((required ?? [:]).keys.sorted() + (optional ?? [:]).keys.sorted().map { $0 + "?" }).joined(separator: " ")
    }

    static func isKind(_ value: JSON, _ kind: String) -> Bool {
        switch value.storage {
        case .null: false
        case .bool: kind == "any" || kind == "bool"
        case .integer, .unsigned, .number: kind == "any" || kind == "number"
        case .string: kind == "any" || kind == "string"
        case .array: kind == "any" || kind == "array"
        case .object: kind == "any" || kind == "object"
        }
    }
}

/// A model that asks for the keys of a task-local value.
struct AskingModel: Decodable, Sendable, Equatable {
    @TaskLocal static var keys = AskedType()

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
        func take(_ key: String, _ kind: String, _ value: JSON) throws {
            guard AskedType.isKind(value, kind) else {
                throw DecodingError.typeMismatch(JSON.self, .init(codingPath: [Key(stringValue: key)], debugDescription: "not \(kind)"))
            }
            values[key] = value
        }
        for (key, kind) in (Self.keys.required ?? [:]).sorted(by: { $0.key < $1.key }) {
            try take(key, kind, container.decode(JSON.self, forKey: Key(stringValue: key)))
        }
        for (key, kind) in (Self.keys.optional ?? [:]).sorted(by: { $0.key < $1.key }) {
            if let value = try container.decodeIfPresent(JSON.self, forKey: Key(stringValue: key)) { try take(key, kind, value) }
        }
        self.values = values
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
