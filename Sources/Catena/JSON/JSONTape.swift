import Foundation

/// A JSON document that has been found to be valid, with the place of each of its values: read once, in one list.
///
/// An object's entry is followed by the entries of each key and its value, an array's by those of its elements. The text is the
/// tape's own copy, since whoever decodes may keep its decoder.
///
/// Memory is touched unchecked here only: `entry(_:)` compares with the number of entries, and the ranges that entries have were
/// found by the scanner in the same text.
final class JSONTape {
    enum Kind: UInt8 {
        case null, `false`, `true`
        /// A number without fraction and exponent.
        case integer
        case decimal
        /// Without escapes.
        case string
        case escapedString
        case array
        /// Its keys are ASCII without escapes, and none comes twice: they can be compared byte by byte.
        case object
        /// An object whose keys are to be compared as text, or that has many of them.
        case irregularObject
        /// What stands for a value that is not there.
        case absent
    }

    struct Entry {
        let kind: Kind
        /// Of a string's text, without its quotes; else of the whole value.
        let start: UInt32
        var length: UInt32
        /// The place after this value and all that is in it.
        var next: UInt32
        /// How many elements an array has; at which key the next search in an object begins.
        var detail: UInt32 = 0
    }

    /// A place in the list. The document's own is 0.
    typealias Place = UInt32

    private let entries: UnsafeMutableBufferPointer<Entry>
    let text: UnsafeRawBufferPointer
    private let memory: UnsafeMutableRawBufferPointer
    /// The place of ``Kind/absent``.
    let absence: Place

    init(_ document: Data, _ built: [Entry]) {
        entries = .allocate(capacity: built.count + 1)
        let end = entries.initialize(fromContentsOf: built)
        entries.initializeElement(at: end, to: Entry(kind: .absent, start: 0, length: 0, next: 0))
        absence = Place(built.count)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: document.count, alignment: 8)
        document.withUnsafeBytes { memory.copyMemory(from: $0) }
        self.memory = memory
        text = UnsafeRawBufferPointer(memory)
    }

    deinit {
        entries.deallocate()
        memory.deallocate()
    }

    @inline(__always)
    func entry(_ place: Place) -> Entry {
        entries[Int(place <= absence ? place : absence)]
    }

    /// The bytes of a string's text, or of another value.
    @inline(__always)
    func bytes(_ entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[Int(entry.start)..<Int(entry.start) + Int(entry.length)])
    }

    /// The text of a string, or the source of another value.
    @inline(__always)
    func string(_ entry: Entry) -> String {
        entry.kind == .escapedString ? unescaped(entry) : String(decoding: bytes(entry), as: UTF8.self)
    }

    /// The place of the value that an object, which must not be irregular, has for a key.
    ///
    /// The search begins after the last key that was found, since a type asks for its keys in about the order in which they are sent.
    func member(_ key: String, of object: Place) -> Place? {
        var key = key
        return key.withUTF8 { wanted in
            let header = entry(object)
            var place = header.detail
            while place < header.next {
                let candidate = entry(place)
                if isSame(candidate, wanted) { return found(place, in: object) }
                place = entry(candidate.next).next
            }
            place = object + 1
            while place < header.detail {
                let candidate = entry(place)
                if isSame(candidate, wanted) { return found(place, in: object) }
                place = entry(candidate.next).next
            }
            return nil
        }
    }

    /// The keys of an object, which must not be irregular.
    func keys(of object: Place) -> [String] {
        var keys: [String] = []
        var place = object + 1
        while place < entry(object).next {
            keys.append(string(entry(place)))
            place = entry(place + 1).next
        }
        return keys
    }

    @inline(__always)
    private func isSame(_ key: Entry, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        guard Int(key.length) == wanted.count else { return false }
        guard let wanted = wanted.baseAddress, let base = text.baseAddress else { return true }
        return memcmp(base + Int(key.start), wanted, Int(key.length)) == 0
    }

    @inline(__always)
    private func found(_ key: Place, in object: Place) -> Place {
        entries[Int(object)].detail = entry(key + 1).next
        return key + 1
    }

    private func unescaped(_ entry: Entry) -> String {
        let range = Int(entry.start) - 1..<Int(entry.start) + Int(entry.length) + 1
        let token = JSONToken(kind: .string, range: range, isPlain: false)
        return (try? JSONScanner.read(text) { (scanner) throws(JSONFault) in scanner.string(token) }) ?? ""
    }
}
