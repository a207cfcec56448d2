import Foundation

/// A response's text with the positions of all values, recorded while the envelope was read. Decoders of parts then need not scan the text again.
final class ScannedDocument: Sendable {
    let text: Data
    let entries: [JSONTape.Entry]

    private init(_ text: Data, _ entries: [JSONTape.Entry]) {
        self.text = text
        self.entries = entries
    }

    /// The maximum length of a text. Longer texts are scanned again for decoding, because the entries need more memory than the text.
    private static let longest = 1 << 20

    /// Scans a text for the paths of a tree, and records the positions of all values unless the text is too long.
    static func read(_ text: Data, _ tree: JSONPathTree) throws(JSONSyntaxError) -> (JSONScan, ScannedDocument?) {
        guard text.count <= longest else { return (try JSONScan(text, tree: tree), nil) }
        var visitors = PairedVisitors(first: JSONPathRecorder(tree), second: JSONTape.Builder(capacity: text.count / 8))
        try JSONScanner.read(text) { (scanner) throws(JSONFault) in try scanner.document(&visitors) }
        return (JSONScan(visitors.first), ScannedDocument(text, visitors.second.entries))
    }

    /// Returns the place of the value in a part of the text, or `nil` if the bytes are not those of the text itself.
    func place(of part: Data) -> JSONTape.Place? {
        range(of: part).flatMap { place(in: $0) }
    }

    /// Returns the place of the value at a range of the text.
    func place(in range: Range<Int>) -> JSONTape.Place? {
        if range.count == text.count { return 0 }
        var place = 0
        while true {
            let entry = entries[place]
            if entry.source == range { return JSONTape.Place(place) }
            let step = entry.kind == .array ? 1 : 2
            guard entry.kind == .array || entry.kind == .object || entry.kind == .irregularObject else { return nil }
            // The value of a member follows its key.
            var child = place + step
            while child < entry.next, entries[child].source.upperBound <= range.lowerBound { child = Int(entries[child].next) + step - 1 }
            guard child < entry.next else { return nil }
            place = child
        }
    }

    private func range(of part: Data) -> Range<Int>? {
        text.withUnsafeBytes { whole in
            part.withUnsafeBytes { part in
                guard let base = whole.baseAddress, let start = part.baseAddress, !part.isEmpty else { return nil }
                let offset = start - base
                return offset >= 0 && offset + part.count <= whole.count ? offset..<offset + part.count : nil
            }
        }
    }
}

extension JSONTape.Entry {
    /// The range in the text, including the quotes of a string.
    var source: Range<Int> {
        let quote = kind == .string || kind == .escapedString ? 1 : 0
        return Int(start) - quote..<Int(start) + Int(length) + quote
    }
}

/// Forwards all events to two visitors.
private struct PairedVisitors<First: JSONVisitor, Second: JSONVisitor>: JSONVisitor {
    var first: First
    var second: Second

    @inline(__always)
    mutating func key(_ token: JSONToken, in scanner: JSONScanner) {
        first.key(token, in: scanner)
        second.key(token, in: scanner)
    }

    @inline(__always)
    mutating func scalar(_ token: JSONToken, in scanner: JSONScanner) {
        first.scalar(token, in: scanner)
        second.scalar(token, in: scanner)
    }

    @inline(__always)
    mutating func open(_ kind: JSONSpan.Kind, at offset: Int) {
        first.open(kind, at: offset)
        second.open(kind, at: offset)
    }

    @inline(__always)
    mutating func close(_ kind: JSONSpan.Kind, at offset: Int) {
        first.close(kind, at: offset)
        second.close(kind, at: offset)
    }
}
