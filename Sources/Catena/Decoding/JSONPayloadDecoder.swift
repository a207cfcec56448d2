package import Foundation

/// Decodes payloads from the library's own reading of JSON, by the strategies of a `JSONDecoder`.
package struct JSONPayloadDecoder: PayloadDecoder {
    let strategies: JSONDecoder
    let decoding: Decoding

    package init(_ strategies: JSONDecoder = JSONDecoder(), _ decoding: Decoding = .strict) {
        self.strategies = strategies
        self.decoding = decoding
    }

    /// Decodes a document, which must be in UTF-8.
    package func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let tape: JSONTape
        do throws(JSONSyntaxError) {
            tape = try JSONTape(data)
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(error)", underlyingError: error))
        }
        return try PayloadReader(tape, DecodingStrategies(strategies, decoding)).value(0, as: type)
    }
}

/// The members of an object by key, for objects in which keys are not compared byte by byte.
struct JSONObjectTable {
    /// In the order of the document.
    private(set) var keys: [String] = []
    private var places: [String: JSONTape.Place] = [:]

    /// Of keys that are the same, the first one counts, as in JSONDecoder.
    init(_ tape: JSONTape, _ object: JSONTape.Place, converting convert: (String) -> String) {
        let end = tape.entry(object).next
        var place = object + 1
        while place < end {
            let entry = tape.entry(place)
            let key = convert(tape.string(entry))
            if places[key] == nil {
                places[key] = place + 1
                keys.append(key)
            }
            place = tape.entry(place + 1).next
        }
    }

    subscript(key: String) -> JSONTape.Place? { places[key] }
}

/// A value as what it is by another name, where a generic type has been compared with its type; else nil.
///
/// A cast would say the same, and takes longer than reading most values does.
@inline(__always)
func same<Made, Wanted>(_ value: Made?) -> Wanted? {
    guard Made.self == Wanted.self, let value else { return nil }
    return unsafeBitCast(value, to: Wanted.self)
}
