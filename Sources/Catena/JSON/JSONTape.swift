import Foundation

/// A validated JSON document with the positions of all values, in one list.
///
/// An object's entry is followed by the entries of its keys and values, an array's by those of its elements. The tape owns a copy of the text,
/// because a type may keep its decoder after decoding.
///
/// All unchecked accesses to the tape's memory are in this file. `entry(_:)` compares with the number of entries, and the ranges of entries come from
/// scanning the same text.
final class JSONTape {
    enum Kind: UInt8 {
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

    struct Entry {
        let kind: Kind
        /// The start of a string's text without its quotes, or of any other whole value.
        let start: UInt32
        var length: UInt32
        /// The place after this value and its content.
        var next: UInt32
        /// The number of an array's elements, or the place of the key at which the next search in an object begins.
        var detail: UInt32 = 0
    }

    /// An index in the list. The document is at 0.
    typealias Place = UInt32

    private let entries: UnsafeMutableBufferPointer<Entry>
    let text: UnsafeRawBufferPointer
    private let memory: UnsafeMutableRawBufferPointer
    /// The place of the entry of kind ``Kind/absent``.
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

    /// Returns the bytes of a string's text, or of another value.
    @inline(__always)
    func bytes(_ entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[Int(entry.start)..<Int(entry.start) + Int(entry.length)])
    }

    /// Returns the text of a string, or the source of another value.
    @inline(__always)
    func string(_ entry: Entry) -> String {
        entry.kind == .escapedString ? unescaped(entry) : String(decoding: bytes(entry), as: UTF8.self)
    }

    /// Returns the place of the value for a key of an object, which must not be irregular.
    ///
    /// The search begins after the last key found, because types ask for keys in roughly the order of the document.
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
