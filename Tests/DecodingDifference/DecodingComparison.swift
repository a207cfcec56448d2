import Catena
import Foundation

/// What comes of decoding a text in two ways.
package enum Finding: Sendable {
    case same
    /// The guide on decoding names it.
    case known(KnownDifference)
    case different(String)
}

/// In what the library's own decoder and JSONDecoder may differ.
package enum KnownDifference: String, CaseIterable, Sendable {
    case brokenElsewhere = "a document that is broken where the type does not look is refused"
    case brokenPlace = "of a broken document it is said that it is broken, whatever else is wrong"
    case number = "of a number that does not fit its type the place is told"
    case order = "of several things that are wrong another one is told, since members come in the order of the document"
    case date = "of a text that is no date the place is told"
    case zero = "zero with an exponent is a number"
    case wideText = "UTF-32 in little-endian order may begin with its mark"
}

/// A text and a decoder's strategies, by which types are decoded by JSONDecoder and by the library's own decoder.
package struct DecodingComparison {
    let text: Data
    let decoder: JSONDecoder
    let hasDictionary: Bool
    /// Whether lenient decoding, too, has to give what JSONDecoder gives; not so of types that try one type after the other.
    let includesLenient: Bool

    private enum Outcome<Value: Equatable>: Equatable {
        case value(Value)
        case failure(kind: String, path: [String])
        /// JSONDecoder says without a path that the text is no JSON: it may mean a number that does not fit.
        case noJSON
    }

    func finding<Value: Decodable & Equatable>(_ type: Value.Type) -> Finding {
        let expected = outcome(type, decoder)
        let strict = outcome(type, JSONPayloadDecoder(decoder, .strict))
        if includesLenient, case .value = expected, case .value = strict {
            let lenient = outcome(type, JSONPayloadDecoder(decoder, .lenient))
            guard isSame(lenient, expected) else { return different("lenient", expected, lenient) }
        }
        if isSame(strict, expected) { return .same }
        if let known = known(expected, strict) { return .known(known) }
        return different("strict", expected, strict)
    }

    private func isSame<Value>(_ found: Outcome<Value>, _ expected: Outcome<Value>) -> Bool {
        if found == expected { return true }
        // What is not a number equals nothing, and itself neither.
        guard case .value(let found) = found, case .value(let expected) = expected else { return false }
        return String(reflecting: found) == String(reflecting: expected)
    }

    private func known<Value>(_ expected: Outcome<Value>, _ found: Outcome<Value>) -> KnownDifference? {
        if found == .noJSON, isBroken { return if case .value = expected { .brokenElsewhere } else { .brokenPlace } }
        switch (expected, found) {
        case (.noJSON, _) where text.starts(with: [0xFF, 0xFE, 0, 0]): return .wideText
        case (.noJSON, .failure("corrupted", _)): return .number
        case (.noJSON, _) where hasZeroWithExponent: return .zero
        case (.noJSON, .failure) where hasDictionary, (.failure, .failure) where hasDictionary: return .order
        case (.failure("corrupted", let short), .failure("corrupted", let long)) where long.starts(with: short): return .date
        default: return nil
        }
    }

    /// Whether Foundation's other reader finds fault with the text as well.
    private var isBroken: Bool {
        (try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)) == nil
    }

    private var hasZeroWithExponent: Bool {
        String(decoding: text, as: UTF8.self).firstMatch(of: /(^|[^0-9.])0(\.0+)?[eE]/) != nil
    }

    private func outcome<Value: Decodable & Equatable>(_ type: Value.Type, _ decoder: any PayloadDecoder) -> Outcome<Value> {
        do {
            return .value(try decoder.decode(type, from: text))
        } catch let error as DecodingError {
            func path(_ keys: [any CodingKey]) -> [String] { keys.map { "\($0.stringValue) \($0.intValue ?? -1)" } }
            switch error {
            case .keyNotFound(let key, let context):
                return .failure(kind: "missing \(key.stringValue) \(key.intValue ?? -1)", path: path(context.codingPath))
            case .valueNotFound(let type, let context): return .failure(kind: "null \(type)", path: path(context.codingPath))
            case .typeMismatch(let type, let context): return .failure(kind: "type \(type)", path: path(context.codingPath))
            case .dataCorrupted(let context):
                if context.codingPath.isEmpty, context.debugDescription.contains("not valid JSON") { return .noJSON }
                return .failure(kind: "corrupted", path: path(context.codingPath))
            @unknown default: return .failure(kind: "unknown", path: [])
            }
        } catch {
            return .failure(kind: "\(error)", path: [])
        }
    }

    private func different<Value>(_ what: String, _ expected: Outcome<Value>, _ found: Outcome<Value>) -> Finding {
        .different(
            """
            \(what) decoding of \(Value.self)
            text       \(String(decoding: text, as: UTF8.self).debugDescription) \(text.count < 100 ? "\([UInt8](text))" : "")
            strategies \(decoder.dateDecodingStrategy) \(decoder.dataDecodingStrategy) \(decoder.keyDecodingStrategy)
            expected   \(expected)
            found      \(found)
            """)
    }
}
