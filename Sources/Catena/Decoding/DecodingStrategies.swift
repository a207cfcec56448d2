import Foundation

/// How values are read, as a JSONDecoder says, and how strictly.
final class DecodingStrategies {
    let date: JSONDecoder.DateDecodingStrategy
    let data: JSONDecoder.DataDecodingStrategy
    let userInfo: [CodingUserInfoKey: any Sendable]
    let keepsKeys: Bool
    let isLenient: Bool
    /// Whether a key that is missing is read as nothing of its type.
    let fillsMissing: Bool
    private let float: JSONDecoder.NonConformingFloatDecodingStrategy
    private let key: JSONDecoder.KeyDecodingStrategy
    private let source: JSONDecoder
    private var convertedKeys: [String: String] = [:]

    init(_ decoder: JSONDecoder, _ leniency: Decoding) {
        source = decoder
        date = decoder.dateDecodingStrategy
        data = decoder.dataDecodingStrategy
        userInfo = decoder.userInfo
        float = decoder.nonConformingFloatDecodingStrategy
        key = decoder.keyDecodingStrategy
        if case .useDefaultKeys = key { keepsKeys = true } else { keepsKeys = false }
        isLenient = leniency.isLenient
        fillsMissing = leniency.fillsMissing
    }

    /// The same without leniency.
    private(set) lazy var strict = DecodingStrategies(source, .strict)

    /// The key by which a type knows what the document has under a key.
    func converted(_ key: String, below path: [any CodingKey]) -> String {
        switch self.key {
        case .useDefaultKeys: return key
        case .convertFromSnakeCase:
            if let known = convertedKeys[key] { return known }
            let converted = SnakeCase.camelCase(key)
            convertedKeys[key] = converted
            return converted
        case .custom(let convert): return convert(path + CollectionOfOne<any CodingKey>(PlainKey(key))).stringValue
        @unknown default: return key
        }
    }

    func nonConforming<Value: BinaryFloatingPoint>(_ text: String) -> Value? {
        guard case .convertFromString(let positive, let negative, let nan) = float else { return nil }
        // Text that differs only in Unicode composition is another text here.
        return if text.utf8.elementsEqual(positive.utf8) {
            .infinity
        } else if text.utf8.elementsEqual(negative.utf8) {
            -.infinity
        } else if text.utf8.elementsEqual(nan.utf8) {
            .nan
        } else {
            nil
        }
    }
}

/// A key of a document, or a place in an array.
struct PlainKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ key: String) {
        stringValue = key
        intValue = nil
    }

    init(stringValue: String) {
        self.init(stringValue)
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

/// The place of an element, without a text until one is asked for.
struct IndexKey: CodingKey {
    let index: Int

    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }

    init(_ index: Int) {
        self.index = index
    }

    init?(stringValue: String) {
        nil
    }

    init(intValue: Int) {
        index = intValue
    }
}

/// `user_name` is `userName`, as `JSONDecoder` has it.
enum SnakeCase {
    static func camelCase(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else { return key }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        let joined = words[0].lowercased() + words.dropFirst().map { String($0).capitalized }.joined()
        return key[..<first] + joined + key[key.index(after: last)...]
    }
}
