import Foundation

/// A property list decoder that looks at the bytes first.
struct CheckedPropertyListDecoder: PayloadDecoder {
    let decoder: PropertyListDecoder

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try PropertyListCheck.check(data)
        return try decoder.decode(type, from: data)
    }
}
