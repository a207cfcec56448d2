import Foundation

/// A JSON response that has been scanned for the places of an envelope.
///
/// A class, as the closures that look into it would keep a copy of each of its members.
final class EnvelopeDocument {
    let text: Data
    let scan: JSONScan
    /// The places of all values, if they have been noted.
    let scanned: ScannedDocument?

    init(text: Data, scan: JSONScan, _ scanned: ScannedDocument? = nil) {
        self.text = text
        self.scan = scan
        self.scanned = scanned
    }

    /// The first place that has something to say.
    func first<Value>(of places: Range<Int>, _ value: (JSONSpan) -> Value?) -> (place: Int, value: Value)? {
        for finding in scan.found where places.contains(finding.path) {
            if let value = value(finding.span) { return (finding.path, value) }
        }
        return nil
    }

    /// Whether there is anything at one of the places, be it `null`.
    func hasAny(of places: Range<Int>) -> Bool {
        scan.found.contains { places.contains($0.path) }
    }

    /// A number that is no integer, or too large for one, and a boolean are kept as their text, so that none is ever taken for 0. What is
    /// neither there nor text nor a number is no code.
    func code(at span: JSONSpan) -> ErrorCode? {
        switch span.kind {
        case .null, .array, .object: return nil
        case .number:
            let text = source(of: span)
            if let number = Int(text) ?? json(at: span)?.int { return .integer(number) }
            return .string(text)
        case .bool: return .string(source(of: span))
        case .string:
            let text = text(at: span)
            return text.isEmpty ? nil : .string(text)
        }
    }

    /// A string's characters; of anything else the JSON text.
    func text(at span: JSONSpan) -> String {
        guard span.kind == .string else { return source(of: span) }
        let plain = text.withUnsafeBytes { bytes -> String? in
            let inside = UnsafeRawBufferPointer(rebasing: bytes[span.range].dropFirst().dropLast())
            // The scanner has found it to be UTF-8.
            return inside.contains(UInt8(ascii: "\\")) ? nil : String(decoding: inside, as: UTF8.self)
        }
        return plain ?? json(at: span)?.string ?? source(of: span)
    }

    /// What there is to read at a place: neither `null` nor empty.
    func words(at span: JSONSpan) -> String? {
        span.kind == .null || isEmptyText(span) ? nil : text(at: span)
    }

    /// The characters of a string that has any.
    func string(at span: JSONSpan) -> String? {
        span.kind == .string && !isEmptyText(span) ? text(at: span) : nil
    }

    func isEmptyText(_ span: JSONSpan) -> Bool {
        span.kind == .string && span.range.count == 2
    }

    func isTrue(_ span: JSONSpan) -> Bool {
        text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in bytes[span.range.lowerBound] == UInt8(ascii: "t") }
    }

    /// Neither `null`, `false`, 0 nor empty.
    func isSomething(_ span: JSONSpan) -> Bool {
        switch span.kind {
        case .null: false
        case .bool: isTrue(span)
        case .number:
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
    /// The bytes of a range that counts from 0.
    func bytes(in range: Range<Int>) -> Data {
        self[(startIndex + range.lowerBound)..<(startIndex + range.upperBound)]
    }
}
