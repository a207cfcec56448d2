import CatenaPlatform

// Types that `JSONEncoder` encodes itself, and arrays that need no container.
extension PayloadWriter {
    // Stored, because the runtime looks a generic type up each time that it is named.
    private static let texts: Any.Type = [String].self
    private static let integers: Any.Type = [Int].self
    private static let doubles: Any.Type = [Double].self

    /// Writes a value of such a type. Returns `false` for a value of another one.
    @inline(__always)
    func writeSpecial<Value: Encodable>(_ value: Value) -> Bool {
        let type: Any.Type = Value.self
        if type == Date.self || type == Data.self || type == URL.self || type == Decimal.self { return writeFoundation(value) }
        if type == Self.texts || type == Self.integers || type == Self.doubles { return writeArray(value) }
        return false
    }

    @inline(never)
    private func writeFoundation<Value: Encodable>(_ value: Value) -> Bool {
        if Value.self == Date.self {
            write(same(value) as Date)
        } else if Value.self == URL.self {
            text.write((same(value) as URL).absoluteString)
        } else if Value.self == Decimal.self {
            text.write(plain: (same(value) as Decimal).description)
        } else {
            guard strategies.writesBase64 else { return false }
            text.write((same(value) as Data).base64EncodedString())
        }
        return true
    }

    @inline(never)
    private func writeArray<Value: Encodable>(_ value: Value) -> Bool {
        if Value.self == [String].self {
            elements(same(value) as [String]) { text.write($0) }
        } else if Value.self == [Int].self {
            elements(same(value) as [Int]) { write(integer: $0) }
        } else {
            elements(same(value) as [Double]) { write($0) }
        }
        return true
    }

    @inline(__always)
    private func elements<Element>(_ elements: [Element], _ write: (Element) -> Void) {
        text.write(UInt8(ascii: "["))
        var isLater = false
        for element in elements {
            if isLater { text.write(UInt8(ascii: ",")) }
            isLater = true
            write(element)
        }
        text.write(UInt8(ascii: "]"))
    }

    private func write(_ date: Date) {
        switch strategies.dates {
        case .reference: write(date.timeIntervalSinceReferenceDate)
        case .seconds: writeFinite(date.timeIntervalSince1970)
        case .milliseconds: writeFinite(1000 * date.timeIntervalSince1970)
        case .iso8601:
            // Foundation writes dates before the year 1583 by the Julian calendar.
            let isGregorian = date.timeIntervalSince1970 >= -12_212_553_600
            text.write(isGregorian ? date.iso8601Text ?? date.formatted(.iso8601) : date.formatted(.iso8601))
        }
    }

    /// Writes a number that must be finite, whatever the strategy for others.
    private func writeFinite(_ value: Double) {
        if value.isFinite { text.write(value) } else { giveUp() }
    }

    /// Returns a value under its own type, which the caller has compared with the generic one.
    private func same<Given, Wanted>(_ value: Given) -> Wanted {
        unsafeBitCast(value, to: Wanted.self)
    }
}
