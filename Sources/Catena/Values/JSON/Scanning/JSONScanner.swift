import CScan

/// A position in bytes that are scanned as JSON. Only this type accesses the scanned bytes without bounds checks.
///
/// No access leaves the memory, because `read(_:in:_:)` creates each scanner and passes it to a closure while the buffer is valid. Callers keep
/// offsets and copies, but never the scanner. Three functions access memory, and each compares with `end`, which is at most the buffer's count:
/// `byte(at:)`, `word(at:)` and `slice(_:)`. Five functions pass the memory to CScan, which reads no byte outside of 0..<`end` either: `textEnd(from:)`,
/// `spaceEnd(from:)`, `closingBracket(levels:)`, `tape(in:)` and `isAccepted`. `position` never exceeds `end`, and so neither do their offsets.
package struct JSONScanner {
    private let bytes: UnsafeRawBufferPointer
    let end: Int
    /// The offset of the next byte to read.
    var position: Int
    /// Whether containers that the visitor does not need are skipped by their strings and brackets. What they contain is then not checked.
    var skipsUnneeded = false

    private init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// Passes a scanner over the bytes, or over a range of them, to a closure. Adds line and column to an error.
    package static func read<Output>(
        _ bytes: some Collection<UInt8>, in range: Range<Int>? = nil,
        _ body: (inout JSONScanner) throws(JSONFault) -> Output
    ) throws(JSONSyntaxError) -> Output {
        func lend(_ buffer: UnsafeBufferPointer<UInt8>) -> Result<Output, JSONSyntaxError> {
            let whole = 0..<buffer.count
            var scanner = JSONScanner(UnsafeRawBufferPointer(buffer), range?.clamped(to: whole) ?? whole)
            do throws(JSONFault) {
                return .success(try body(&scanner))
            } catch {
                return .failure(JSONSyntaxError(error, in: scanner))
            }
        }
        let result = bytes.withContiguousStorageIfAvailable(lend) ?? Array(bytes).withUnsafeBufferPointer(lend)
        return try result.get()
    }

    /// Returns the byte at an offset, or zero beyond the end, because zero is invalid everywhere in JSON.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        // Compare as unsigned, so that a negative offset is also beyond the end.
        UInt(bitPattern: offset) < UInt(bitPattern: end) ? bytes[offset] : 0
    }

    /// Returns the eight bytes from an offset on, with the first one lowest, or `nil` if there are fewer.
    @inline(__always)
    func word(at offset: Int) -> UInt64? {
        guard offset >= 0, end - offset >= 8 else { return nil }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns the offset of the first byte that ends the plain text of a string: a quote, a backslash, a control character or a malformed sequence.
    @inline(__always)
    func textEnd(from offset: Int) -> Int {
        guard offset < end, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return end }
        return catena_scan_text(base, offset, end)
    }

    private func spaceEnd(from offset: Int) -> Int {
        guard offset < end, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return end }
        return catena_scan_space(base, offset, end)
    }

    /// Returns the offset of the bracket that closes the container whose content is next, or `nil` if there is none.
    ///
    /// - Parameter levels: How deep other containers may be nested in it.
    func closingBracket(levels: Int) -> Int? {
        guard position < end, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        let offset = catena_scan_close(base, position, end, levels)
        return offset < end ? offset : nil
    }

    /// Fills a buffer with the entries of the whole document, and returns their number. It is 0 if the document is not accepted, and more than the
    /// buffer's capacity if they do not fit.
    func tape(in entries: UnsafeMutableBufferPointer<JSONTape.Entry>) -> Int {
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), let first = entries.baseAddress else { return 0 }
        // An entry has the layout of its only property.
        let fields = UnsafeMutableRawPointer(first).assumingMemoryBound(to: ScannedEntry.self)
        return catena_scan_tape(base, end, fields, entries.count)
    }

    /// Whether CScan accepts the whole document, which is then valid.
    var isAccepted: Bool {
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        return catena_scan_accepts(base, end)
    }

    @inline(__always)
    private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range.clamped(to: 0..<end)])
    }

    /// Returns the bytes of a range as text.
    func text(_ range: Range<Int>) -> String {
        String(decoding: slice(range), as: UTF8.self)
    }

    /// Returns a key in the form in which envelope keys are compared.
    @inline(__always)
    func comparedKey(_ token: JSONToken) -> ComparedKey {
        guard token.isPlain else { return ComparedKey(string(token)) }
        return ComparedKey(slice(token.range.lowerBound + 1..<token.range.upperBound - 1))
    }

    /// Appends the bytes of a range.
    func copy(_ range: Range<Int>, to copy: inout [UInt8]) {
        copy.append(contentsOf: slice(range))
    }

    /// Whether a range contains exactly these bytes.
    func holds(_ expected: [UInt8], in range: Range<Int>) -> Bool {
        expected.count == range.count && slice(range).elementsEqual(expected)
    }

    /// Skips a byte order mark, which RFC 8259 §8.1 allows a parser to ignore.
    mutating func skipByteOrderMark() {
        if byte(at: position) == 0xEF, byte(at: position + 1) == 0xBB, byte(at: position + 2) == 0xBF { position += 3 }
    }

    @inline(__always)
    mutating func skipWhitespace() {
        // Most documents have no white space, or one byte of it.
        guard isWhitespace(position) else { return }
        position += 1
        if isWhitespace(position) { position = spaceEnd(from: position) }
    }

    @inline(__always)
    private func isWhitespace(_ offset: Int) -> Bool {
        switch byte(at: offset) {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): true
        default: false
        }
    }

    /// Skips a character if it is the next one.
    @inline(__always)
    mutating func skip(_ expected: Unicode.Scalar) -> Bool {
        guard byte(at: position) == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    /// Creates an error at the current position. At the end of the document, the reason is the end.
    func fault(_ reason: JSONFault.Reason) -> JSONFault {
        position < end ? JSONFault(reason: reason, offset: position) : JSONFault(reason: .unexpectedEnd, offset: end)
    }
}

/// The position of a value in a document.
package struct JSONSpan: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case null, bool, number, string, array, object
    }

    let kind: Kind
    /// The byte range in the document, with quotes and brackets, without surrounding white space.
    let range: Range<Int>
}

/// The result of scanning a valid document: the positions of the values at some paths.
///
/// ```swift
/// let scan = try JSONScan(bytes, paths: [JSONPath("result.code"), JSONPath("payload")])
/// let code = try scan[0].map { try JSON(bytes, $0) }
/// ```
struct JSONScan: Sendable {
    struct Finding: Sendable {
        let path: Int
        let span: JSONSpan
    }

    let root: JSONSpan
    /// The values found, in the order of the paths. Most documents contain only few of the requested values.
    private(set) var found: [Finding]
    /// The members of the document, if the tree lists them and the document is an object.
    let members: [JSONMember]

    /// Scans a document by the rules of `JSON(parsing:)`. Of duplicate keys, only the first one is followed.
    init(_ bytes: some Collection<UInt8>, paths: [JSONPath]) throws(JSONSyntaxError) {
        try self.init(bytes, tree: JSONPathTree(paths))
    }

    /// Scans a document for paths that have been merged before.
    ///
    /// - Parameter isSkimming: Whether only the containers on a path are checked. Of a valid document, the result is the same.
    init(_ bytes: some Collection<UInt8>, tree: JSONPathTree, isSkimming: Bool = false) throws(JSONSyntaxError) {
        self = try JSONScanner.read(bytes) { (scanner) throws(JSONFault) in
            // Parts that have been checked, or need not be checked, are skipped.
            scanner.skipsUnneeded = isSkimming || scanner.isAccepted
            var recorder = JSONPathRecorder(tree)
            try scanner.document(&recorder)
            return JSONScan(recorder)
        }
    }

    /// Creates a scan from the recorder of a completely scanned document.
    init(_ recorder: JSONPathRecorder) {
        root = recorder.root
        found = recorder.found
        members = recorder.list.members
    }

    /// The position of the value at a path, by the path's index, or nil if the document has none.
    subscript(pathIndex: Int) -> JSONSpan? {
        found.first { $0.path == pathIndex }?.span
    }

    /// Returns a copy without the values that `isIgnored` selects, as if the document did not contain them.
    func ignoring(_ isIgnored: (Finding) -> Bool) -> JSONScan {
        var scan = self
        scan.found.removeAll(where: isIgnored)
        return scan
    }
}
