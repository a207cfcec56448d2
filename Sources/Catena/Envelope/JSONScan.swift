/// Where a value is in a document.
struct JSONSpan: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case null, bool, number, string, array, object
    }

    let kind: Kind
    /// In bytes from the document's first one, with quotes and brackets, without the white space around it.
    let range: Range<Int>
}

/// A document, read once: found to be valid as a whole, and with the places of the values at some paths.
///
/// ```swift
/// let scan = try JSONScan(bytes, paths: [JSONPath("result.code"), JSONPath("payload")])
/// let code = try scan[0].map { try JSON(bytes, $0) }
/// ```
struct JSONScan: Sendable {
    let root: JSONSpan
    private let spans: [JSONSpan?]

    /// Reads a document by the rules of `JSON(parsing:)`. Of a key that comes twice, only the first is followed.
    init(_ bytes: some Collection<UInt8>, paths: [JSONPath]) throws(JSONSyntaxError) {
        try self.init(bytes, tree: JSONPathTree(paths))
    }

    /// Reads a document, with paths that have been merged before.
    init(_ bytes: some Collection<UInt8>, tree: JSONPathTree) throws(JSONSyntaxError) {
        let recorder = try JSONScanner.read(bytes) { (scanner) throws(JSONFault) in
            var recorder = JSONPathRecorder(tree)
            try scanner.document(&recorder)
            return recorder
        }
        root = recorder.root
        spans = recorder.spans
    }

    /// Where the value at a path is, by the path's place in the list; nil if the document has none.
    subscript(pathIndex: Int) -> JSONSpan? {
        spans.indices.contains(pathIndex) ? spans[pathIndex] : nil
    }
}
