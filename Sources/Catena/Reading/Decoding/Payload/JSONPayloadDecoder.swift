package import CatenaPlatform

/// Decodes payloads with the library's JSON scanner and the strategies of a `JSONDecoder`.
package struct JSONPayloadDecoder: PayloadDecoder {
    let strategies: JSONDecoder
    let decoding: Decoding
    /// The scanned document that the payload is probably a part of.
    var scanned: ScannedDocument?

    package init(_ strategies: JSONDecoder = JSONDecoder(), _ decoding: Decoding = .strict) {
        self.strategies = strategies
        self.decoding = decoding
    }

    /// Decodes a document.
    package func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let (reader, place) = try reader(of: data)
        return try reader.value(place, as: type)
    }

    /// Decodes a value, and records the keys that its type asks for.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data, noting keys: inout AskedKeys) throws -> Value {
        let (reader, place) = try reader(of: data)
        return try Self.decode(type, reader, place, noting: &keys)
    }

    /// Decodes a part of a text, using the scanned document if there is one.
    func decode<Value: Decodable>(_ type: Value.Type, from text: Data, in range: Range<Int>, noting keys: inout AskedKeys) throws -> Value {
        guard let scanned, let place = scanned.place(in: range) else { return try decode(type, from: text.bytes(in: range), noting: &keys) }
        let reader = PayloadReader(JSONTape(scanned.text, scanned.entries), DecodingStrategies(strategies, decoding))
        return try Self.decode(type, reader, place, noting: &keys)
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ reader: PayloadReader, _ place: JSONTape.Place, noting keys: inout AskedKeys
    ) throws -> Value {
        reader.keys = keys
        defer { keys = reader.keys }
        return try Value(from: ValueDecoder(reader: reader, place: place, depth: 0, notesKeys: true))
    }

    /// Returns a decoder that uses the scanned document of a response.
    func decoding(partOf scanned: ScannedDocument?) -> JSONPayloadDecoder {
        var decoder = self
        decoder.scanned = scanned
        return decoder
    }

    private func reader(of data: Data) throws -> (PayloadReader, JSONTape.Place) {
        let strategies = DecodingStrategies(strategies, decoding)
        if let scanned, let place = scanned.place(of: data) {
            return (PayloadReader(JSONTape(scanned.text, scanned.entries), strategies), place)
        }
        return (PayloadReader(try tape(of: data), strategies), 0)
    }

    /// Scans a document. A payload from a response is in UTF-8; other data may be in UTF-16 or UTF-32, which is converted after the scan has failed.
    private func tape(of data: Data) throws -> JSONTape {
        do throws(JSONSyntaxError) {
            return try JSONTape(data)
        } catch {
            if Self.isWide(data), let tape = try? JSONTape(BodyText.utf8(of: data, declaredBy: nil)) { return tape }
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(error)", underlyingError: error))
        }
    }

    /// Whether a text is in UTF-16 or UTF-32, judged by its byte order mark or by the zeros of its first two ASCII characters. See RFC 4627 §3.
    private static func isWide(_ text: Data) -> Bool {
        let start = [UInt8](text.prefix(4))
        if start.count == 4 {
            switch (start[0], start[1], start[2], start[3]) {
            case (0xFF, 0xFE, 0, 0), (0, 0, 0xFE, 0xFF), (0, 0, 0, _), (_, 0, 0, 0): return text.count.isMultiple(of: 4)
            case (0xFF, 0xFE, _, _), (0xFE, 0xFF, _, _), (0, _, 0, _), (_, 0, _, 0): return text.count.isMultiple(of: 2)
            default: return false
            }
        }
        return start.count == 2 && start.contains(0)
    }
}

/// The members of an object by key, for objects whose keys cannot be compared byte by byte.
struct JSONObjectTable {
    /// The keys in the order of the document.
    private(set) var keys: [String] = []
    private var places: [String: JSONTape.Place] = [:]

    /// Creates the table. Of duplicate keys the first one is used, as in `JSONDecoder`.
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

/// Converts a value to a generic type after their types have been found equal, or returns `nil` if they differ.
///
/// Faster than a cast, which takes longer than decoding most values.
@inline(__always)
func same<Made, Wanted>(_ value: Made?) -> Wanted? {
    guard Made.self == Wanted.self, let value else { return nil }
    return unsafeBitCast(value, to: Wanted.self)
}
