package import CatenaPlatform

/// Encodes values as a `JSONEncoder` does.
///
/// The library's own writer is used if it knows the encoder's strategies and can write the value from front to back. Otherwise the `JSONEncoder`
/// encodes the value, after the writer has called the value's code in vain.
package struct JSONPayloadEncoder {
    private let encoder: JSONEncoder

    package init(_ encoder: JSONEncoder) {
        self.encoder = encoder
    }

    /// Returns the JSON text of a value. Members have the order in which they are encoded, if the library's writer writes them.
    ///
    /// - Throws: The error that the `JSONEncoder` would throw.
    package func encode(_ value: some Encodable) throws -> Data {
        try direct(value) ?? encoder.encode(value)
    }

    /// Returns the text from the library's writer, or `nil` if the value is left to the `JSONEncoder`.
    package func direct(_ value: some Encodable) throws -> Data? {
        guard let strategies = EncodingStrategies(encoder) else { return nil }
        return try PayloadWriter(strategies).document(value)
    }
}
