import CatenaPlatform

extension JSONTape {
    /// Scans a whole document, strictly by RFC 8259.
    convenience init(_ document: Data) throws(JSONSyntaxError) {
        self.init(document, try Self.entries(of: document))
    }

    /// The length of a text from which on the numbers of its entries exceed 32 bits.
    static let sizeLimit = Int(UInt32.max / 2)

    /// Scans a whole document, and returns its entries with one of kind ``Kind/absent`` after them.
    static func entries(of document: some Collection<UInt8>) throws(JSONSyntaxError) -> [Entry] {
        try JSONScanner.read(document) { (scanner) throws(JSONFault) in
            guard scanner.end < sizeLimit else { throw JSONFault(reason: .size, offset: 0) }
            if let accepted = acceptedEntries(of: scanner) { return accepted }
            // The document is not valid, and this scan finds the error.
            var nothing = NoVisitor()
            try scanner.document(&nothing)
            throw JSONFault(reason: .value, offset: 0)
        }
    }

    /// Returns the entries of a document that CScan accepts.
    private static func acceptedEntries(of scanner: JSONScanner) -> [Entry]? {
        // No document has more entries, because each takes a byte of its own, and a comma, a colon, a bracket or a quote.
        let most = scanner.end / 2 + 4
        // Most documents have fewer.
        var capacity = min(most, scanner.end / 5 + 16)
        while true {
            var count = 0
            let entries = [Entry](unsafeUninitializedCapacity: capacity) { buffer, initializedCount in
                count = scanner.tape(in: buffer)
                initializedCount = count <= buffer.count ? count : 0
            }
            if !entries.isEmpty { return entries }
            if count == 0 || capacity == most { return nil }
            capacity = most
        }
    }
}

/// Ignores all parts of a document, for a scan that only looks for its error.
private struct NoVisitor: JSONVisitor {
    func key(_ token: JSONToken, in scanner: JSONScanner) {}
    func scalar(_ token: JSONToken, in scanner: JSONScanner) {}
    func open(_ kind: JSONSpan.Kind, at offset: Int) {}
    func close(_ kind: JSONSpan.Kind, at offset: Int) {}
}
