import Catena
import Foundation

/// The result of decoding a text with both decoders.
package enum Finding: Sendable {
    case same
    /// A difference that the guide on decoding names.
    case known(KnownDifference)
    case different(String)
}

/// The documented differences between the library's decoder and JSONDecoder.
package enum KnownDifference: String, CaseIterable, Sendable {
    case brokenElsewhere = "a document that is broken where the type does not look is refused"
    case brokenPlace = "of a broken document it is said that it is broken, whatever else is wrong"
    case number = "of a number that does not fit its type the place is told"
    case order = "of several things that are wrong another one is told, since members come in the order of the document"
    case date = "of a text that is no date the place is told"
    case zero = "zero with an exponent is a number"
    case wideText = "UTF-32 in little-endian order may begin with its mark"
    case sameNumber = "of keys that are the same number the last one counts, and with JSONDecoder any"
}

/// A text and strategies with which JSONDecoder and the library's decoder decode types.
package struct DecodingComparison {
    let text: Data
    let decoder: JSONDecoder
    let hasDictionary: Bool
    /// Whether lenient decoding must also equal JSONDecoder. False for types that try several types in order.
    let includesLenient: Bool

    func finding<Value: Decodable & Equatable>(_ type: Value.Type) -> Finding {
        let expected = outcome(type, decoder, text)
        let strict = outcome(type, JSONPayloadDecoder(decoder, .strict), text)
        if includesLenient, case .value = expected, case .value = strict {
            let lenient = outcome(type, JSONPayloadDecoder(decoder, .lenient), text)
            guard lenient.isSame(as: expected) else { return different("lenient", expected, lenient) }
        }
        if strict.isSame(as: expected) { return .same }
        let plain = PlainText(text)
        if let known = known(expected, strict) { return .known(known) }
        if hasDictionary, case .value = expected, case .value = strict, plain.hasKeysOfOneNumber { return .known(.sameNumber) }
        // Compare again after rewriting the parts of the text that JSONDecoder refuses.
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
        // The decoders read the members in different orders, so that each reports another fault.
        case (.noJSON, .failure(let found)) where hasDictionary && !found.path.isEmpty: return .order
        case (.failure(let expected), .failure(let found)) where hasDictionary && expected.isApart(from: found): return .order
        case (.failure(let expected), .failure(let found))
        where expected.kind == "corrupted" && found.kind == "corrupted" && found.path.starts(with: expected.path):
            return .date
        default: return nil
        }
    }

    /// Whether another check than the library's scanner also finds the text broken.
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
    /// Whether the library's decoder reports that it found a number.
    fileprivate var isAboutNumber: Bool { words.contains("it is the number") || words.contains("it is a number") }
}
