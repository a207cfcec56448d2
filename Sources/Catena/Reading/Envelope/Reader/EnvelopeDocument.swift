import CatenaPlatform

/// A JSON response that has been scanned for the places of an envelope.
///
/// A class, because closures that use it would otherwise copy each of its members.
final class EnvelopeDocument: Sendable {
    let text: Data
    let scan: JSONScan
    /// The positions of all values, which spare the decoder a second scan, or `nil` if they were not recorded.
    let scanned: ScannedDocument?

    init(text: Data, scan: JSONScan, _ scanned: ScannedDocument? = nil) {
        self.text = text
        self.scan = scan
        self.scanned = scanned
    }

    /// Returns the first place, in declared order, for which `value` returns a result.
    func first<Value>(of places: Range<Int>, _ value: (JSONSpan) -> Value?) -> (place: Int, value: Value)? {
        for finding in scan.found where places.contains(finding.path) {
            if let value = value(finding.span) { return (finding.path, value) }
        }
        return nil
    }

    /// Whether one of the places has a value, including `null`.
    func hasAny(of places: Range<Int>) -> Bool {
        scan.found.contains { places.contains($0.path) }
    }

    /// Returns a number, including `200.0`, or a string that is not empty. A fraction is a string. Booleans are no codes, because `false` would equal 0,
    /// which often means success.
    ///
    /// - Parameter asInteger: Whether any scalar is read as an integer, in the way of Objective-C.
    func code(at span: JSONSpan, asInteger: Bool = false) -> ErrorCode? {
        if asInteger { return integerValue(at: span) }
        switch span.kind {
        case .null, .bool, .array, .object: return nil
        case .number:
            let text = source(of: span)
            if let number = Int(text) ?? json(at: span)?.int { return .integer(number) }
            return .string(text)
        case .string:
            let text = text(at: span)
            return text.isEmpty ? nil : .string(text)
        }
    }

    /// Returns the characters of a string, or the JSON text of another value.
    @inline(never)
    func text(at span: JSONSpan) -> String {
        guard span.kind == .string else { return source(of: span) }
        let plain = text.withUnsafeBytes { bytes -> String? in
            let inside = UnsafeRawBufferPointer(rebasing: bytes[span.range].dropFirst().dropLast())
            // A strict scan has validated the UTF-8. In a body that is only skimmed, invalid bytes become U+FFFD.
            return inside.contains(UInt8(ascii: "\\")) ? nil : String(decoding: inside, as: UTF8.self)
        }
        return plain ?? json(at: span)?.string ?? source(of: span)
    }

    /// Returns the text of a value that is neither `null` nor an empty string.
    func words(at span: JSONSpan) -> String? {
        span.kind == .null || isEmptyText(span) ? nil : text(at: span)
    }

    /// Returns the characters of a string that is not empty.
    func string(at span: JSONSpan) -> String? {
        span.kind == .string && !isEmptyText(span) ? text(at: span) : nil
    }

    /// Whether a value is used as the payload in place of an earlier one, which is null or empty.
    func isFuller(_ span: JSONSpan, than former: JSONSpan) -> Bool {
        if former.kind == .null { return span.kind != .null }
        return isEmptyText(former) && span.kind != .null && !isEmptyText(span)
    }

    func isEmptyText(_ span: JSONSpan) -> Bool {
        span.kind == .string && span.range.count == 2
    }

    func isTrue(_ span: JSONSpan) -> Bool {
        text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in bytes[span.range.lowerBound] == UInt8(ascii: "t") }
    }

    /// Whether a value is neither `null`, `false`, 0 nor empty.
    func isSomething(_ span: JSONSpan) -> Bool {
        switch span.kind {
        case .null: false
        case .bool: isTrue(span)
        case .number:
            // The exponent is ignored, because `0e9` is 0.
            text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
                bytes[span.range].prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains {
                    (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0)
                }
            }
        case .string: !isEmptyText(span)
        case .array, .object:
            text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
                bytes[span.range].dropFirst().dropLast().contains { $0 > 0x20 }
            }
        }
    }

    func json(at span: JSONSpan) -> JSON? { try? JSON(text, span) }

    private func source(of span: JSONSpan) -> String {
        text.withUnsafeBytes { String(decoding: UnsafeRawBufferPointer(rebasing: $0[span.range]), as: UTF8.self) }
    }
}

extension Data {
    /// Returns the bytes at offsets from the start, which differ from the indices of a slice.
    func bytes(in range: Range<Int>) -> Data {
        self[(startIndex + range.lowerBound)..<(startIndex + range.upperBound)]
    }
}

// Reads codes as `integerValue` of `NSNumber` and `NSString` does, for apps that migrate from xAPI.
extension EnvelopeDocument {
    /// Returns a value as an integer, or `nil` for null, arrays and objects.
    private func integerValue(at span: JSONSpan) -> ErrorCode? {
        switch span.kind {
        case .null, .array, .object: nil
        case .bool: .integer(isTrue(span) ? 1 : 0)
        case .number: .integer(Self.truncated(text(at: span)))
        case .string: .integer(Self.integer(atStartOf: text(at: span)))
        }
    }

    private static func truncated(_ number: String) -> Int {
        if let value = Int(number) { return value }
        guard let value = Double(number) else { return 0 }
        return Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }

    /// Returns the integer at the start of a text, after white space, or 0 if there is none. Values out of range are clamped.
    private static func integer(atStartOf text: String) -> Int {
        let rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let sign = rest.prefix { "+-".unicodeScalars.contains($0) }.prefix(1)
        let digits = rest.dropFirst(sign.count).prefix { ("0"..."9").contains($0) }
        if digits.isEmpty { return 0 }
        return Int(String(sign) + String(digits)) ?? (sign.first == "-" ? .min : .max)
    }
}
