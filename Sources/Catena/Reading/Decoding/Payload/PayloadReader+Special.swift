import CatenaPlatform

// Types that `JSONDecoder` decodes itself, and `JSON`.
extension PayloadReader {
    /// Whether ``special(_:as:)`` may decode a type. Checked first, because returning an optional of a generic type is slow.
    @inline(__always)
    func isSpecial(_ type: Any.Type, _ place: Place) -> Bool {
        if type == Date.self || type == Data.self || type == URL.self || type == Decimal.self || type == JSON.self { return true }
        if tape.entry(place).kind == .array { return type == Self.texts || type == Self.integers || type == Self.doubles }
        return !strategies.keepsKeys
    }

    // Stored, because the runtime looks a generic type up each time that it is named.
    private static let texts: Any.Type = [String].self
    private static let integers: Any.Type = [Int].self
    private static let doubles: Any.Type = [Double].self

    func special<Value: Decodable>(_ place: Place, as type: Value.Type) throws -> Value? {
        if type == Date.self { return same(try date(place)) }
        if type == Data.self { return same(try data(place)) }
        if type == URL.self { return same(try url(place)) }
        if type == Decimal.self { return same(try decimal(place)) }
        if type == JSON.self { return same(try json(place)) }
        if !strategies.keepsKeys, let type = type as? any StringKeyed.Type { return try type.members(of: place, in: self) as? Value }
        return nil
    }

    /// Decodes an array directly, without a container. Returns `nil` if an element does not fit; the container then throws the error.
    @inline(__always)
    func elements<Element>(of array: Place, _ read: (Place) -> Element?) -> [Element]? {
        let entry = tape.entry(array)
        var elements: [Element] = []
        elements.reserveCapacity(Int(entry.detail))
        var place = array + 1
        while place < entry.next {
            guard let element = read(place) else { return nil }
            elements.append(element)
            place = tape.entry(place).next
        }
        return elements
    }

    private func decoder(_ place: Place) -> ValueDecoder {
        ValueDecoder(reader: self, place: place, depth: UInt32(path.count))
    }

    private func value<Value>(_ value: Value?, _ place: Place, wanted: Any.Type = Value.self) throws -> Value {
        guard let value else { throw failure(place, wanted: wanted, at: path) }
        return value
    }

    private func corrupted(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: reason))
    }

    private func date(_ place: Place) throws -> Date {
        guard !isNull(place) else { throw failure(place, wanted: Date.self, at: path) }
        switch strategies.date {
        case .deferredToDate:
            return Date(timeIntervalSinceReferenceDate: try seconds(place, "a date as seconds since 2001 (.deferredToDate)"))
        case .secondsSince1970: return Date(timeIntervalSince1970: try seconds(place, "a date as seconds since 1970"))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try seconds(place, "a date as milliseconds since 1970") / 1000)
        case .iso8601:
            let text = try value(string(place), place)
            guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
                throw corrupted("wanted a date by ISO 8601 such as 2026-01-31T10:00:00Z, but it is \(found(place, at: path))")
            }
            return date
        #if canImport(Darwin)
        case .formatted(let formatter):
            let text = try value(string(place), place)
            guard let date = formatter.date(from: text) else {
                throw corrupted("wanted a date in the decoder's format, but it is \(found(place, at: path))")
            }
            return date
        #endif
        case .custom(let date): return try custom(place, date)
        @unknown default: throw corrupted("the decoder reads dates in a way that is not known here")
        }
    }

    private func seconds(_ place: Place, _ words: String) throws -> Double {
        guard let value = double(place) else { throw failure(place, wanted: Double.self, at: path, words) }
        return value
    }

    /// Returns the value that a user's closure decodes.
    ///
    /// The closure first receives a strict decoder, because it may try several types in turn.
    private func custom<Value>(_ place: Place, _ read: (any Decoder) throws -> Value) throws -> Value {
        guard strategies.isLenient else { return try read(decoder(place)) }
        let strict = PayloadReader(tape, strategies.strict, path: path)
        if let value = try? read(ValueDecoder(reader: strict, place: place, depth: UInt32(path.count))) { return value }
        return try read(decoder(place))
    }

    private func data(_ place: Place) throws -> Data {
        guard !isNull(place) else { throw failure(place, wanted: Data.self, at: path) }
        switch strategies.data {
        case .deferredToData: return try Data(from: decoder(place))
        case .base64:
            let text = tape.entry(place).kind.isText ? string(place) : nil
            guard let data = Data(base64Encoded: try value(text, place)) else {
                throw corrupted("wanted Base64, but it is \(found(place, at: path))")
            }
            return data
        case .custom(let data): return try custom(place, data)
        @unknown default: throw corrupted("the decoder reads data in a way that is not known here")
        }
    }

    private func url(_ place: Place) throws -> URL {
        guard !isNull(place) else { throw failure(place, wanted: URL.self, at: path) }
        let text = tape.entry(place).kind.isText ? string(place) : nil
        guard let url = URL(string: try value(text, place, wanted: String.self)) else {
            throw corrupted("wanted a URL, but it is \(found(place, at: path))")
        }
        return url
    }

    private func decimal(_ place: Place) throws -> Decimal {
        let entry = tape.entry(place)
        return try value(tape.decimal(entry) ?? (strategies.isLenient ? lenientDecimal(entry) : nil), place)
    }

    /// Returns the JSON as received, with the order of members and exact numbers.
    private func json(_ place: Place) throws -> JSON {
        let entry = tape.entry(place)
        if entry.kind == .absent { return .nullValue }
        // The entry of a string begins behind its first quote.
        let quote = entry.kind.isText ? 1 : 0
        let start = Int(entry.start) - quote
        return try JSON(tape.text, in: start..<start + Int(entry.length) + quote * 2)
    }
}

/// A dictionary, whose keys are not converted by the decoder's strategy.
private protocol StringKeyed {
    static func members(of place: JSONTape.Place, in reader: PayloadReader) throws -> Self
}

extension Dictionary: StringKeyed where Key == String, Value: Decodable {
    static func members(of object: JSONTape.Place, in reader: PayloadReader) throws -> [String: Value] {
        let header = reader.tape.entry(object)
        guard header.kind == .object || header.kind == .irregularObject else {
            throw reader.failure(object, wanted: [String: Any].self, at: reader.path)
        }
        var members: [String: Value] = [:]
        var place = object + 1
        while place < header.next {
            let key = reader.tape.string(reader.tape.entry(place))
            let value = try reader.value(place + 1, as: Value.self, at: UInt32(reader.path.count), PlainKey(key))
            if members[key] == nil { members[key] = value }
            place = reader.tape.entry(place + 1).next
        }
        return members
    }
}
