/// A place in bytes that are read as JSON: the only code that touches a document's memory unchecked.
///
/// Why no read leaves the memory: `read(_:in:_:)` makes every scanner and lends it for the time that the buffer is valid, and
/// what reads through a scanner keeps offsets and copies, never the scanner. Memory is touched in three places, each of which
/// compares with `end`, itself at most the buffer's count: `byte(at:)`, `word(at:)` and `slice(_:)`.
struct JSONScanner {
    private let bytes: UnsafeRawBufferPointer
    let end: Int
    /// The offset of the next byte to read.
    var position: Int

    private init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// Lends a scanner over the bytes, or over a range of them, and finds line and column of the fault that is thrown.
    static func read<Output>(
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

    /// The byte at an offset; beyond the end zero, which has no place anywhere in JSON.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        // Compared as unsigned, so that a negative offset is beyond the end too.
        UInt(bitPattern: offset) < UInt(bitPattern: end) ? bytes[offset] : 0
    }

    /// The eight bytes from an offset on, the first one lowest, if there are as many.
    @inline(__always)
    func word(at offset: Int) -> UInt64? {
        guard offset >= 0, end - offset >= 8 else { return nil }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range.clamped(to: 0..<end)])
    }

    /// The bytes of a range as text.
    func text(_ range: Range<Int>) -> String {
        String(decoding: slice(range), as: UTF8.self)
    }

    /// A key as keys of envelopes are compared.
    @inline(__always)
    func comparedKey(_ token: JSONToken) -> ComparedKey {
        guard token.isPlain else { return ComparedKey(string(token)) }
        return ComparedKey(slice(token.range.lowerBound + 1..<token.range.upperBound - 1))
    }

    /// Appends the bytes of a range.
    func copy(_ range: Range<Int>, to copy: inout [UInt8]) {
        copy.append(contentsOf: slice(range))
    }

    /// Whether a range holds exactly these bytes.
    func holds(_ expected: [UInt8], in range: Range<Int>) -> Bool {
        expected.count == range.count && slice(range).elementsEqual(expected)
    }

    /// RFC 8259 §8.1 lets a parser ignore a byte order mark.
    mutating func skipByteOrderMark() {
        if byte(at: position) == 0xEF, byte(at: position + 1) == 0xBB, byte(at: position + 2) == 0xBF { position += 3 }
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while true {
            switch byte(at: position) {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    /// Steps over a character if it is the next one.
    @inline(__always)
    mutating func skip(_ expected: Unicode.Scalar) -> Bool {
        guard byte(at: position) == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    /// What is wrong here; at the end it is the end that is wrong.
    func fault(_ reason: JSONFault.Reason) -> JSONFault {
        position < end ? JSONFault(reason: reason, offset: position) : JSONFault(reason: .unexpectedEnd, offset: end)
    }
}

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
    struct Finding: Sendable {
        let path: Int
        let span: JSONSpan
    }

    let root: JSONSpan
    /// In the order of the paths. Most documents have few of the values that are looked for.
    private(set) var found: [Finding]
    /// The members of the document, if the tree wants to know them and it is an object.
    let members: [JSONMember]

    /// Reads a document by the rules of `JSON(parsing:)`. Of a key that comes twice, only the first is followed.
    init(_ bytes: some Collection<UInt8>, paths: [JSONPath]) throws(JSONSyntaxError) {
        try self.init(bytes, tree: JSONPathTree(paths))
    }

    /// Reads a document, with paths that have been merged before.
    init(_ bytes: some Collection<UInt8>, tree: JSONPathTree) throws(JSONSyntaxError) {
        self = try JSONScanner.read(bytes) { (scanner) throws(JSONFault) in
            var recorder = JSONPathRecorder(tree)
            try scanner.document(&recorder)
            return JSONScan(recorder)
        }
    }

    /// What a recorder has heard of a document that was read to its end.
    init(_ recorder: JSONPathRecorder) {
        root = recorder.root
        found = recorder.found
        members = recorder.list.members
    }

    /// Where the value at a path is, by the path's place in the list; nil if the document has none.
    subscript(pathIndex: Int) -> JSONSpan? {
        found.first { $0.path == pathIndex }?.span
    }

    /// A copy without the values that `isIgnored` selects, as if the document had none at their paths.
    func ignoring(_ isIgnored: (Finding) -> Bool) -> JSONScan {
        var scan = self
        scan.found.removeAll(where: isIgnored)
        return scan
    }
}
