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

    func finding<Value: Decodable & Equatable>(_ type: Value.Type) -> Finding {
        let expected = outcome(type, decoder, text)
        let strict = outcome(type, JSONPayloadDecoder(decoder, .strict), text)
        if includesLenient, case .value = expected, case .value = strict {
            let lenient = outcome(type, JSONPayloadDecoder(decoder, .lenient), text)
            guard lenient.isSame(as: expected) else { return different("lenient", expected, lenient) }
        }
        if strict.isSame(as: expected) { return .same }
        if let known = known(expected, strict) { return .known(known) }
        // What JSONDecoder makes of the text once what it refuses is written in another way.
        let plain = PlainText(text)
        for (difference, text) in [(.wideText, plain.ofUnknownEncoding), (.zero, plain.withPlainZeros)] as [(KnownDifference, Data?)] {
            guard let text else { continue }
            let expected = outcome(type, decoder, text)
            if strict.isSame(as: expected) { return .known(difference) }
            if let known = known(expected, strict) { return .known(known) }
        }
        return different("strict", expected, strict)
    }

    private func known<Value>(_ expected: DecodingOutcome<Value>, _ found: DecodingOutcome<Value>) -> KnownDifference? {
        if case .noJSON = found, isBroken { return if case .value = expected { .brokenElsewhere } else { .brokenPlace } }
        switch (expected, found) {
        case (.noJSON, .failure(let found)) where found.kind == "corrupted" && found.isAboutNumber: return .number
        // Either of the two members is the first for one of the decoders.
        case (.noJSON, .failure(let found)) where hasDictionary && !found.path.isEmpty: return .order
        case (.failure(let expected), .failure(let found)) where hasDictionary && expected.isApart(from: found): return .order
        case (.failure(let expected), .failure(let found))
        where expected.kind == "corrupted" && found.kind == "corrupted" && found.path.starts(with: expected.path):
            return .date
        default: return nil
        }
    }

    /// Whether something else than the library's scanner finds fault with the text as well.
    private var isBroken: Bool {
        (try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)) == nil || PlainText(text).hasCommaAtEnd
    }

    private func outcome<Value: Decodable & Equatable>(
        _ type: Value.Type, _ decoder: any PayloadDecoder, _ text: Data
    ) -> DecodingOutcome<Value> {
        DecodingOutcome { try decoder.decode(type, from: text) }
    }

    private func different<Value>(_ what: String, _ expected: DecodingOutcome<Value>, _ found: DecodingOutcome<Value>) -> Finding {
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

extension DecodingOutcome.Failure {
    /// Whether the library's own decoder says that it found a number.
    fileprivate var isAboutNumber: Bool { words.contains("it is the number") || words.contains("it is a number") }
}
