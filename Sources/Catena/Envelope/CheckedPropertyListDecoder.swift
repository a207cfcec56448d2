package import Foundation

/// A property list decoder that validates the bytes before decoding, because a small property list can expand to a huge one.
package struct CheckedPropertyListDecoder: PayloadDecoder {
    let decoder: PropertyListDecoder

    package init(decoder: PropertyListDecoder) {
        self.decoder = decoder
    }

    package func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try PropertyListCheck.check(data)
        return try decoder.decode(type, from: data)
    }
}
