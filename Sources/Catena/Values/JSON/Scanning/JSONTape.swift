import CScan
import CatenaPlatform

/// A validated JSON document with the positions of all values, in one list.
///
/// An object's entry is followed by the entries of its keys and values, an array's by those of its elements. The tape owns a copy of the text,
/// because a type may keep its decoder after decoding.
///
/// All unchecked accesses to the tape's memory are in this file. The ranges of entries come from scanning the same text. After the text follow eight
/// zeros, so that eight bytes can be read from any of its bytes on.
final class JSONTape {
    package enum Kind: UInt8 {
        case null, `false`, `true`
        /// A number without fraction and exponent.
        case integer
        case decimal
        /// A string without escapes.
        case string
        case escapedString
        case array
        /// An object with distinct ASCII keys without escapes, so that keys can be compared byte by byte.
        case object
        /// An object whose keys must be compared as text, or an object with many keys.
        case irregularObject
        /// The placeholder for a missing value.
        case absent
    }

    /// A value or a key. Its one property gives it the layout of CScan's entry, so that CScan can fill memory for entries.
    struct Entry: Sendable {
        private let fields: ScannedEntry

        init(_ kind: Kind, start: Int, length: Int, next: Int, detail: Int = 0) {
            fields = ScannedEntry(
                rawKind: UInt32(kind.rawValue), start: UInt32(start), length: UInt32(length), next: UInt32(next), detail: UInt32(detail))
        }

        /// CScan and the other initializer write raw values only, which are also the bytes of these cases: they are 0, 1, 2 and so on.
        @inline(__always)
        var kind: Kind { unsafeBitCast(UInt8(truncatingIfNeeded: fields.rawKind), to: Kind.self) }
        /// The start of a string's text without its quotes, or of any other whole value.
        @inline(__always)
        var start: UInt32 { fields.start }
        @inline(__always)
        var length: UInt32 { fields.length }
        /// The place after this value and its content.
        @inline(__always)
        var next: UInt32 { fields.next }
        /// The number of an array's elements, or the place of an object's first key.
        @inline(__always)
        var detail: UInt32 { fields.detail }
    }

    /// An index in the list. The document is at 0.
    typealias Place = UInt32

    /// The entries, and one of kind ``Kind/absent`` after them.
    private let entries: [Entry]
    private let memory: UnsafeMutableRawBufferPointer
    private let textCount: Int
    /// The place of the entry of kind ``Kind/absent``.
    let absence: Place
    /// The places at which the next searches in objects begin, in the slots of the objects.
    private let searches: UnsafeMutableBufferPointer<Search>

    /// The last search in an object.
    private struct Search {
        var object: Place
        /// The place of the key after the one that was found.
        var next: Place
    }

    /// The number of slots, a power of two.
    private static let searchCount = 16

    /// - Parameter entries: The entries of the document, which end with one of kind ``Kind/absent``.
    init(_ document: Data, _ entries: [Entry]) {
        self.entries = entries
        absence = Place(entries.count - 1)
        textCount = document.count
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: document.count + 8, alignment: 8)
        document.withUnsafeBytes { memory.copyMemory(from: $0) }
        memory.storeBytes(of: 0, toByteOffset: document.count, as: UInt64.self)
        self.memory = memory
        searches = .allocate(capacity: Self.searchCount)
        // No object is at the place of the absent value.
        searches.initialize(repeating: Search(object: absence, next: 0))
    }

    deinit {
        memory.deallocate()
        searches.deallocate()
    }

    var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<textCount]) }

    @inline(__always)
    func entry(_ place: Place) -> Entry {
        entries[Int(place <= absence ? place : absence)]
    }

    /// Returns the bytes of a string's text, or of another value.
    @inline(__always)
    func bytes(_ entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[Int(entry.start)..<Int(entry.start) + Int(entry.length)])
    }

    /// Returns the text of a string, or the source of another value.
    @inline(__always)
    func string(_ entry: Entry) -> String {
        entry.kind == .escapedString ? unescaped(entry) : String(decoding: bytes(entry), as: UTF8.self)
    }

    /// Returns the place of the value for a key of an object, which must not be irregular.
    ///
    /// The search begins after the last key found, because types ask for keys in roughly the order of the document.
    @inline(__always)
    func member(_ key: String, of object: Place) -> Place? {
        var key = key
        return key.withUTF8 { wanted in member(wanted, of: object) }
    }

    private func member(_ wanted: UnsafeBufferPointer<UInt8>, of object: Place) -> Place? {
        let beginning = ComparedKey.word(UnsafeRawBufferPointer(wanted), min(wanted.count, 8))
        let slot = Int(object) & (Self.searchCount - 1)
        let search = searches[slot]
        let start = search.object == object ? search.next : object + 1
        let end = entry(object).next
        guard
            let place = place(of: wanted, beginning, from: start, to: end)
                ?? (start > object + 1 ? place(of: wanted, beginning, from: object + 1, to: start) : nil)
        else { return nil }
        searches[slot] = Search(object: object, next: entry(place + 1).next)
        return place + 1
    }

    /// Returns the keys of an object, which must not be irregular.
    func keys(of object: Place) -> [String] {
        var keys: [String] = []
        var place = object + 1
        while place < entry(object).next {
            keys.append(string(entry(place)))
            place = entry(place + 1).next
        }
        return keys
    }

    /// Returns the place of a key between two places.
    ///
    /// - Parameter beginning: The first eight bytes of the key.
    @inline(__always)
    private func place(of wanted: UnsafeBufferPointer<UInt8>, _ beginning: UInt64, from start: Place, to end: Place) -> Place? {
        var place = start
        while place < end {
            let candidate = entry(place)
            if Int(candidate.length) == wanted.count, isSame(candidate, wanted, beginning) { return place }
            place = entry(place + 1).next
        }
        return nil
    }

    /// Whether a key of the same length is the wanted one.
    @inline(__always)
    private func isSame(_ key: Entry, _ wanted: UnsafeBufferPointer<UInt8>, _ beginning: UInt64) -> Bool {
        guard let memory = memory.baseAddress else { return false }
        let word = UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: Int(key.start), as: UInt64.self))
        let count = wanted.count
        if count <= 8 { return (word ^ beginning) & Self.mask(count) == 0 }
        guard word == beginning, let rest = wanted.baseAddress else { return false }
        return memcmp(memory + Int(key.start) + 8, rest + 8, count - 8) == 0
    }

    /// The bits of the first bytes of a word, of which there are at most eight.
    @inline(__always)
    private static func mask(_ count: Int) -> UInt64 {
        count == 0 ? 0 : UInt64.max >> UInt64(64 - 8 * count)
    }

    private func unescaped(_ entry: Entry) -> String {
        let token = JSONToken(kind: .string, range: entry.source, isPlain: false)
        return (try? JSONScanner.read(text) { (scanner) throws(JSONFault) in scanner.string(token) }) ?? ""
    }
}
