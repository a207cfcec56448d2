import CatenaPlatform

/// The secrets that the library knows by their value: tokens, passwords, keys, and what the app declares.
///
/// All outputs ask it through ``Redaction``: log, HAR, curl(), errors, descriptions, recordings, the inspector and diagnostics. A known value is
/// hidden wherever it stands, under whatever name.
package struct KnownSecrets: Sendable {
    /// The length in bytes below which a value is hidden under names alone, because it would be found in harmless texts.
    package static let shortest = 8

    private let holders: [HeldSecrets]

    /// Returns `nil` if there is no holder, so that calls without a secret search for nothing.
    init?(_ holders: [HeldSecrets]) {
        if holders.isEmpty { return nil }
        self.holders = holders
    }

    /// Returns the secrets of all clients of the process, for a text that belongs to no call.
    static var ofProcess: KnownSecrets? { KnownSecrets(HeldSecrets.living) }

    /// Returns a text without the known values, or `nil` if it has none.
    ///
    /// - Parameter keepsForm: Whether digits stay digits, so that a number of JSON stays a number.
    func hidden(in text: [UInt8], keepsForm: Bool = false) -> [UInt8]? {
        text.withUnsafeBytes { hidden(in: $0, keepsForm: keepsForm) }
    }

    func hidden(in text: String) -> String? {
        var text = text
        return text.withUTF8 { hidden(in: UnsafeRawBufferPointer($0), keepsForm: false) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func hidden(in text: UnsafeRawBufferPointer, keepsForm: Bool) -> [UInt8]? {
        let ranges = places(in: text)
        if ranges.isEmpty { return nil }
        var shown: [UInt8] = []
        var position = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > position {
            if range.lowerBound >= position {
                let isNumber = keepsForm && text[range].allSatisfy { (0x30...0x39).contains($0) }
                shown += text[position..<range.lowerBound]
                shown += isNumber ? Array("0".utf8) : Array(Redaction.mark.utf8)
            }
            position = range.upperBound
        }
        return shown + text[position...]
    }

    /// Returns the places of the known values. Nearly every text has none, and then this makes no copy of the text.
    private func places(in text: UnsafeRawBufferPointer) -> [Range<Int>] {
        let count = holders.reduce(0) { $0 + $1.count }
        guard text.count >= Self.shortest, count > 0 else { return [] }
        let decoded = DecodedText(text)
        let pairs = count < BytePairs.worthwhile ? nil : BytePairs(text)
        let decodedPairs = pairs == nil ? nil : decoded?.pairs
        // A secret with escapes of its own stands as it is behind one or two encodings, and all are removed from `decoded`.
        lazy var partlyDecoded = (1...2).compactMap { DecodedText(text, atMost: $0) }
        var found: [Range<Int>] = []
        for holder in holders {
            for value in holder.values {
                value.raw.addPlaces(in: text, pairs, to: &found)
                if let decoded {
                    decoded.addPlaces(of: value.decoded, decodedPairs, to: &found)
                    if value.hasEscapes { for part in partlyDecoded { part.addPlaces(of: value.raw, nil, to: &found) } }
                } else if value.hasEscapes {
                    value.decoded.addPlaces(in: text, pairs, to: &found)
                }
            }
        }
        return found
    }
}

/// A part of a client that holds secrets which do not change, such as a signer or a transport.
///
/// The requirement has no default, so that no such part can leave its secrets out.
package protocol SecretHolder {
    /// The secrets that are hidden wherever they stand, in each form in which a text may repeat them.
    var secretValues: [String] { get }
}

/// The secrets of one sign-in, signer or configuration, also those that were replaced.
package final class HeldSecrets: Sendable {
    /// The number of noted values that are kept. The one that was not noted for the longest time goes first.
    private static let most = 1024
    private let held: Mutex<[SecretPattern]>

    /// Creates the secrets with values of the app, all of which are kept.
    package init(_ texts: some Sequence<String> = []) {
        held = Mutex(texts.map { Array($0.utf8) }.filter { $0.count >= KnownSecrets.shortest }.map { SecretPattern($0) })
        register()
    }

    /// Returns each object, or `nil` once it is released.
    private static let places = Mutex<[@Sendable () -> HeldSecrets?]>([])

    // One copy, although the initializer is specialized for each type of sequence.
    @inline(never)
    private func register() {
        Self.places.withLock { places in
            // Drop the released ones before the array grows, so that it stays in proportion to those in use.
            if places.count == places.capacity { places.removeAll { $0() == nil } }
            places.append { [weak self] in self }
        }
    }

    /// The secrets of all clients that are in use.
    fileprivate static var living: [HeldSecrets] { places.withLock { $0 }.compactMap { $0() } }

    fileprivate var values: [SecretPattern] { held.withLock { $0 } }

    fileprivate var count: Int { held.withLock { $0.count } }

    package func note(_ texts: some Sequence<String>) {
        for text in texts where text.utf8.count >= KnownSecrets.shortest {
            let bytes = Array(text.utf8)
            let isKnown = held.withLock { held in
                if held.last?.raw.bytes == bytes { return true }
                guard let place = held.firstIndex(where: { $0.raw.bytes == bytes }) else { return false }
                held.append(held.remove(at: place))
                return true
            }
            if isKnown { continue }
            let pattern = SecretPattern(bytes)
            held.withLock { held in
                if held.count >= Self.most { held.removeFirst() }
                held.append(pattern)
            }
        }
    }
}

/// A secret as it is searched for: as it is, and without the encodings that a text may have for it.
private struct SecretPattern: Sendable {
    let raw: SoughtBytes
    let decoded: SoughtBytes
    let hasEscapes: Bool

    init(_ bytes: [UInt8]) {
        raw = SoughtBytes(bytes: bytes)
        let plain = bytes.withUnsafeBytes { DecodedText($0)?.bytes } ?? bytes
        decoded = SoughtBytes(bytes: plain)
        hasEscapes = plain != bytes
    }
}

private struct SoughtBytes: Sendable {
    let bytes: [UInt8]

    /// Adds the places of the bytes in a text. A part at the start or at the end counts if it is long enough, because texts are cut for display.
    func addPlaces(in text: UnsafeRawBufferPointer, _ pairs: BytePairs?, to found: inout [Range<Int>]) {
        guard bytes.count >= KnownSecrets.shortest, text.count >= KnownSecrets.shortest else { return }
        bytes.withUnsafeBytes { Self.addPlaces(of: $0, in: text, pairs, to: &found) }
    }

    private static func addPlaces(
        of sought: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, _ pairs: BytePairs?, to found: inout [Range<Int>]
    ) {
        if let cut = firstIndex(of: text[0], in: sought, from: 1, where: { begins(text, with: sought[$0...]) }) {
            found.append(0..<(sought.count - cut))
        }
        if let pairs, !pairs.mayContain(sought) { return }
        var position = 0
        while let start = firstIndex(
            of: sought[0], in: text, from: position, where: { begins(sought, with: text[$0...].prefix(sought.count)) })
        {
            position = min(start + sought.count, text.count)
            found.append(start..<position)
        }
    }

    /// Returns whether bytes begin with a part of others that is long enough to be recognized.
    private static func begins(_ bytes: UnsafeRawBufferPointer, with part: Slice<UnsafeRawBufferPointer>) -> Bool {
        let part = UnsafeRawBufferPointer(rebasing: part)
        guard part.count >= KnownSecrets.shortest, part.count <= bytes.count, let one = bytes.baseAddress, let other = part.baseAddress
        else { return false }
        return memcmp(one, other, part.count) == 0
    }

    /// Returns the first index of a byte, from a position on, that meets a condition.
    private static func firstIndex(
        of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int, where isMet: (Int) -> Bool
    ) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var position = start
        // The system's search compares many bytes at a time.
        while position < bytes.count, let found = memchr(base + position, Int32(byte), bytes.count - position) {
            position = UnsafeRawPointer(found) - base
            if isMet(position) { return position }
            position += 1
        }
        return nil
    }
}

/// The pairs of neighbouring bytes in a text. Many values are searched for in one text, and nearly all of them begin with a pair that it lacks.
private struct BytePairs {
    /// The number of values from which noting the pairs takes less time than it saves. A key for RSA has about a hundred values, a token one.
    static let worthwhile = 16
    private var bits = [UInt64](repeating: 0, count: 1024)

    init(_ text: UnsafeRawBufferPointer) {
        for index in text.indices.dropFirst() {
            let (word, bit) = Self.place(text[index - 1], text[index])
            bits[word] |= bit
        }
    }

    /// Returns whether the beginning of a value may stand in the text. A part that is recognized has at least ``KnownSecrets/shortest`` bytes.
    func mayContain(_ value: UnsafeRawBufferPointer) -> Bool {
        stride(from: 1, to: KnownSecrets.shortest, by: 2).allSatisfy { index in
            let (word, bit) = Self.place(value[index - 1], value[index])
            return bits[word] & bit != 0
        }
    }

    private static func place(_ one: UInt8, _ other: UInt8) -> (word: Int, bit: UInt64) {
        let pair = Int(one) << 8 | Int(other)
        return (pair >> 6, 1 << UInt64(pair & 63))
    }
}

/// A text without its encodings: percent encoding, escapes of JSON and of XML, each as often as it was applied.
private struct DecodedText {
    private(set) var bytes: [UInt8]
    /// The index of each byte in the encoded text, and the end of that text.
    private var starts: [Int]

    /// The number of encodings around each other that are removed.
    private static let most = 6

    /// Returns `nil` if the text has no encoding.
    init?(_ text: UnsafeRawBufferPointer, atMost most: Int = Self.most) {
        guard let base = text.baseAddress, Self.marks.contains(where: { memchr(base, $0, text.count) != nil }) else { return nil }
        (bytes, starts) = (Array(text), Array(0...text.count))
        for _ in 0..<most where !decode() { break }
    }

    var pairs: BytePairs { bytes.withUnsafeBytes { BytePairs($0) } }

    /// The bytes of which one begins every encoded byte.
    private static let marks = "%\\&+".utf8.map { Int32($0) }

    /// Adds the places in the encoded text where bytes stand in the decoded one.
    func addPlaces(of sought: SoughtBytes, _ pairs: BytePairs?, to found: inout [Range<Int>]) {
        var places: [Range<Int>] = []
        bytes.withUnsafeBytes { sought.addPlaces(in: $0, pairs, to: &places) }
        for place in places { found.append(starts[place.lowerBound]..<starts[place.upperBound]) }
    }

    /// Removes one encoding. Returns whether there was one.
    private mutating func decode() -> Bool {
        var (output, places): ([UInt8], [Int]) = ([], [])
        output.reserveCapacity(bytes.count)
        places.reserveCapacity(starts.count)
        var position = 0
        while position < bytes.count {
            let (decoded, length) = unit(at: position)
            for byte in decoded {
                output.append(byte)
                places.append(starts[position])
            }
            position += length
        }
        places.append(starts[bytes.count])
        defer { (bytes, starts) = (output, places) }
        return output != bytes
    }

    /// Returns the bytes for which the text stands at a position, and its length there.
    private func unit(at position: Int) -> ([UInt8], Int) {
        let rest = bytes[position...].prefix(12)
        switch bytes[position] {
        // A plus sign is a space in forms (WHATWG URL §5), because it may stand for either.
        case UInt8(ascii: "+"): return ([0x20], 1)
        case UInt8(ascii: "%"):
            if let byte = Self.hex(rest.dropFirst().prefix(2), count: 2) { return ([UInt8(byte)], 3) }
        case UInt8(ascii: "\\"): return escape(rest)
        case UInt8(ascii: "&"): return XMLText.reference(rest) ?? ([0x26], 1)
        default: break
        }
        return ([bytes[position]], 1)
    }

    private func escape(_ text: ArraySlice<UInt8>) -> ([UInt8], Int) {
        guard let letter = text.dropFirst().first else { return (Array(text), 1) }
        switch letter {
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            guard let unit = Self.hex(text.dropFirst(2).prefix(4), count: 4) else { break }
            // Two units stand for one scalar above U+FFFF.
            if (0xD800..<0xDC00).contains(unit), text.dropFirst(6).starts(with: "\\u".utf8),
                let low = Self.hex(text.dropFirst(8).prefix(4), count: 4), (0xDC00..<0xE000).contains(low)
            {
                return (Self.utf8(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)), 12)
            }
            return (Self.utf8(unit), 6)
        case UInt8(ascii: "n"): return ([0x0A], 2)
        case UInt8(ascii: "r"): return ([0x0D], 2)
        case UInt8(ascii: "t"): return ([0x09], 2)
        case UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "'"): return ([letter], 2)
        default: break
        }
        return ([UInt8(ascii: "\\")], 1)
    }

    private static func hex(_ digits: ArraySlice<UInt8>, count: Int) -> UInt32? {
        guard digits.count == count else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            guard let number = PercentDecoding.hexValue(digit) else { return nil }
            value = value << 4 | UInt32(number)
        }
        return value
    }

    private static func utf8(_ value: UInt32) -> [UInt8] { Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8) }
}
