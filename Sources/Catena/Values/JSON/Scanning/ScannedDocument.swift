import CatenaPlatform

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

    /// Scans a text for the paths of a tree. Keeps the positions of all values unless the text is too long.
    static func read(_ text: Data, _ tree: JSONPathTree) throws(JSONSyntaxError) -> (JSONScan, ScannedDocument?) {
        guard text.count <= longest else { return (try JSONScan(text, tree: tree), nil) }
        let entries = try JSONTape.entries(of: text)
        return (try JSONScan(text, tree: tree, entries), ScannedDocument(text, entries))
    }

    /// Returns the place of the value in a part of the text, or `nil` if the bytes are not those of the text itself.
    func place(of part: Data) -> JSONTape.Place? {
        range(of: part).flatMap { place(in: $0) }
    }

    /// Returns the place of the value at a range of the text.
    func place(in range: Range<Int>) -> JSONTape.Place? {
        if range.count == text.count { return 0 }
        // The entries have the order of the text, except the last one, which stands for a missing value.
        var (place, end) = (0, entries.count - 1)
        while place < end {
            let middle = (place + end) / 2
            if entries[middle].source.lowerBound < range.lowerBound { place = middle + 1 } else { end = middle }
        }
        guard place < entries.count - 1, entries[place].source == range, !isKey(range) else { return nil }
        return JSONTape.Place(place)
    }

    /// Whether a value is the key of a member, which a colon follows.
    private func isKey(_ range: Range<Int>) -> Bool {
        text.withUnsafeBytes { bytes in
            bytes[range.upperBound...].first { $0 > 0x20 } == UInt8(ascii: ":")
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

    /// The token of a key or scalar.
    fileprivate var token: JSONToken {
        JSONToken(kind: kind.span, range: source, isPlain: kind != .escapedString && kind != .decimal)
    }
}

extension JSONScan {
    /// Finds the values at the paths of a tree in a document whose entries are known.
    init(_ text: Data, tree: JSONPathTree, _ entries: [JSONTape.Entry]) throws(JSONSyntaxError) {
        self = try JSONScanner.read(text) { (scanner) throws(JSONFault) in
            var recorder = JSONPathRecorder(tree)
            scanner.replay(entries, to: &recorder)
            return JSONScan(recorder)
        }
    }
}

extension JSONScanner {
    /// Passes the events of a scanned document to a visitor, without the content that the visitor ignores.
    func replay(_ entries: [JSONTape.Entry], to visitor: inout some JSONVisitor) {
        var containers: [(kind: JSONSpan.Kind, entry: JSONTape.Entry)] = []
        // As many open containers as most documents have.
        containers.reserveCapacity(4)
        var place = 0
        while true {
            let entry = entries[place]
            let kind = entry.kind.span
            place += 1
            if kind == .array || kind == .object {
                visitor.open(kind, at: Int(entry.start))
                if visitor.ignoresContent { place = Int(entry.next) }
                containers.append((kind, entry))
            } else {
                visitor.scalar(entry.token, in: self)
            }
            while let container = containers.last, place == container.entry.next {
                visitor.close(container.kind, at: container.entry.source.upperBound)
                containers.removeLast()
            }
            guard let container = containers.last else { return }
            if container.kind == .object {
                visitor.key(entries[place].token, in: self)
                place += 1
            }
        }
    }
}
