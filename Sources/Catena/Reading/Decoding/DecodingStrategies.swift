import CatenaPlatform

/// The strategies of a `JSONDecoder`, and the leniency of a decoding.
final class DecodingStrategies {
    let date: JSONDecoder.DateDecodingStrategy
    let data: JSONDecoder.DataDecodingStrategy
    let userInfo: [CodingUserInfoKey: any Sendable]
    let keepsKeys: Bool
    let isLenient: Bool
    /// Whether a missing key is decoded as the empty value of its type.
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

    /// A copy of these strategies without leniency.
    private(set) lazy var strict = DecodingStrategies(source, .strict)

    /// Converts a key of the document to the key of the type.
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
        // Compare bytes, because strings that differ only in Unicode composition are different here.
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

/// The index of an element, whose text is only created when needed.
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

/// Converts keys from snake case to camel case, in the same way as `JSONDecoder`.
enum SnakeCase {
    static func camelCase(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else { return key }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        let joined = words[0].lowercased() + words.dropFirst().map { String($0).capitalized }.joined()
        return key[..<first] + joined + key[key.index(after: last)...]
    }
}
