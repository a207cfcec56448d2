import Foundation

/// A response's text with the place of each of its values, noted while its envelope was looked for: what decodes a part of it need not
/// read it again.
final class ScannedDocument: Sendable {
    let text: Data
    let entries: [JSONTape.Entry]

    private init(_ text: Data, _ entries: [JSONTape.Entry]) {
        self.text = text
        self.entries = entries
    }

    /// Longer texts are read again where they are decoded, since the places take more memory than the text does.
    private static let longest = 1 << 20

    /// Looks for the paths of a tree, and notes the places of all values unless there are too many.
    static func read(_ text: Data, _ tree: JSONPathTree) throws(JSONSyntaxError) -> (JSONScan, ScannedDocument?) {
        guard text.count <= longest else { return (try JSONScan(text, tree: tree), nil) }
        var visitors = PairedVisitors(first: JSONPathRecorder(tree), second: JSONTape.Builder(capacity: text.count / 8))
        try JSONScanner.read(text) { (scanner) throws(JSONFault) in try scanner.document(&visitors) }
        return (JSONScan(visitors.first), ScannedDocument(text, visitors.second.entries))
    }

    /// The place of the value that a part of the text is; `nil` if the bytes are not the text's own.
    func place(of part: Data) -> JSONTape.Place? {
        range(of: part).flatMap { place(in: $0) }
    }

    /// The place of the value at a range of the text.
    func place(in range: Range<Int>) -> JSONTape.Place? {
        if range.count == text.count { return 0 }
        var place = 0
        while true {
            let entry = entries[place]
            if entry.source == range { return JSONTape.Place(place) }
            let step = entry.kind == .array ? 1 : 2
            guard entry.kind == .array || entry.kind == .object || entry.kind == .irregularObject else { return nil }
            // The value of the first member is behind its key.
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
    /// With the quotes of a string.
    var source: Range<Int> {
        let quote = kind == .string || kind == .escapedString ? 1 : 0
        return Int(start) - quote..<Int(start) + Int(length) + quote
    }
}

/// Tells two of what is found.
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
