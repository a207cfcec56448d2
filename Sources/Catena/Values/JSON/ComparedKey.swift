/// A key in the form in which envelope keys are compared: the ASCII letters and digits in lower case. A key that is not ASCII, or has neither letters
/// nor digits, is compared unchanged.
///
/// Stores the first 16 characters in two integers, which avoids an allocation per key. No word of the vocabulary is longer.
struct ComparedKey: Equatable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var tail: UInt32 = 0
    /// The number of letters and digits.
    private(set) var count: UInt32 = 0
    /// Whether the integers contain the whole key.
    private(set) var isWhole = true

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= 16, takeLetters(bytes) else {
            takeEach(bytes)
            return
        }
    }

    /// Takes all bytes at once if each is a letter or a digit, as in most keys. Otherwise returns `false` and takes none.
    @inline(__always)
    private mutating func takeLetters(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let length = bytes.count
        guard let first = Self.letters(Self.word(bytes, min(length, 8)), min(length, 8)) else { return false }
        if length > 8 {
            guard let last = Self.letters(Self.word(UnsafeRawBufferPointer(rebasing: bytes[8...]), length - 8), length - 8) else {
                return false
            }
            high = last
        }
        low = first
        count = UInt32(length)
        let shift = max(0, length - 4) * 8
        let ending = shift < 64 ? low >> shift | high << (64 - shift) : high >> (shift - 64)
        tail = UInt32(truncatingIfNeeded: ending).byteSwapped >> UInt32(max(0, 4 - length) * 8)
        return true
    }

    /// Loads up to eight bytes as an integer, with the first byte lowest.
    @inline(__always)
    static func word(_ bytes: UnsafeRawBufferPointer, _ length: Int) -> UInt64 {
        if length == 8 { return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) }
        if length >= 4 {
            let first = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
            let last = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: length - 4, as: UInt32.self))
            return UInt64(first) | UInt64(last) << UInt64((length - 4) * 8)
        }
        var word: UInt64 = 0
        for place in 0..<length { word |= UInt64(bytes[place]) << UInt64(place * 8) }
        return word
    }

    /// Returns the word in lower case, or `nil` if it is empty or contains a byte that is neither a letter nor a digit.
    @inline(__always)
    private static func letters(_ word: UInt64, _ length: Int) -> UInt64? {
        let high: UInt64 = 0x8080_8080_8080_8080
        guard length > 0, word & high == 0 else { return nil }
        let mask = UInt64.max >> UInt64(64 - length * 8)
        let lower = word | 0x2020_2020_2020_2020 & mask
        // Each sum sets the highest bit of a byte from a certain character on, without a carry to the next byte.
        let isLetter = (lower &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(lower &+ 0x0505_0505_0505_0505)
        let isDigit = (word &+ 0x5050_5050_5050_5050) & ~(word &+ 0x4646_4646_4646_4646)
        return (isLetter | isDigit) & high & mask == high & mask ? lower : nil
    }

    private mutating func takeEach(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            var letter = byte
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter |= 0x20
            case 0x80...:
                keep(bytes)
                return
            default: continue
            }
            if count < 8 {
                low |= UInt64(letter) << UInt64(count &* 8)
            } else if count < 16 {
                high |= UInt64(letter) << UInt64((count &- 8) &* 8)
            } else {
                isWhole = false
            }
            tail = tail << 8 | UInt32(letter)
            count &+= 1
        }
        if count == 0 { isWhole = false }
    }

    /// Stores the start and the end of a key that is compared unchanged.
    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        (low, high, tail, count, isWhole) = (0, 0, 0, 0, false)
        for (place, byte) in bytes.prefix(8).enumerated() { low |= UInt64(byte) << UInt64(place * 8) }
        for byte in bytes.suffix(4) { tail = tail << 8 | UInt32(byte) }
    }

    init(_ text: String) {
        var text = text
        self = text.withUTF8 { ComparedKey(UnsafeRawBufferPointer($0)) }
    }

    /// Whether the key begins with `err`.
    var beginsWithErr: Bool { low & 0xFF_FFFF == 0x72_7265 }
    /// Whether the key begins with `error`.
    var beginsWithError: Bool { low & 0xFF_FFFF_FFFF == 0x72_6F72_7265 }
    /// Whether the key ends with `code`.
    var endsWithCode: Bool { tail == 0x636F_6465 }
    /// Whether the key ends with `msg` or, as `message` does, with `sage`.
    var endsLikeMessage: Bool { tail & 0xFF_FFFF == 0x6D_7367 || tail == 0x7361_6765 }

    /// Whether the key may end like that of a code or status: with `status`, `result`, `code`, `cd`, `rc`, `stat` or `ack`.
    var endsLikeVerdict: Bool {
        switch tail {
        case 0x636F_6465, 0x6174_7573, 0x7375_6C74, 0x7374_6174: true
        default: tail & 0xFFFF == 0x6364 || tail & 0xFFFF == 0x7263 || tail & 0xFF_FFFF == 0x61_636B
        }
    }

    /// The word of the vocabulary that the key is, or `nil` if it is none.
    @inline(__always)
    var word: VocabularyWord? {
        isWhole ? Self.words.value(of: self) : nil
    }

    /// The meaning of a text such as `ok` or `failed`, or `nil` if it is unknown.
    var meaning: WordMeaning? {
        isWhole ? Self.meanings.value(of: self) : nil
    }

    @inline(__always)
    fileprivate var slot: Int {
        Int(truncatingIfNeeded: ((low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93) >> 55)
    }

    private static let words = KeyTable(
        VocabularyWord.allCases.map { (ComparedKey("\($0)"), $0) } + VocabularyWord.translations.map { (ComparedKey($0.key), $0.value) })
    private static let meanings = KeyTable(
        [
            ("ok", WordMeaning.success), ("success", .success), ("succeeded", .success), ("error", .failure), ("erro", .failure),
            ("fail", .failure),
            ("failed", .failure), ("failure", .failure), ("notok", .failure), ("none", .nothing), ("null", .nothing), ("noerror", .nothing),
            ("false", .no), ("true", .yes),
        ].map { (ComparedKey($0.0), $0.1) })
}

/// The meaning of a word in a value.
enum WordMeaning: Sendable {
    case success, failure
    /// None, null or no error.
    case nothing
    case yes, no

    /// Whether this word tells of success or failure.
    var isOfCall: Bool { self == .success || self == .failure }

    /// Whether this word as an error code means that there was no error.
    var isNothing: Bool { self == .nothing || self == .no }
}

/// A hash table from keys to values.
private struct KeyTable<Value: Sendable>: Sendable {
    private let slots: [(key: ComparedKey, value: Value)?]

    init(_ pairs: [(ComparedKey, Value)]) {
        var slots = [(key: ComparedKey, value: Value)?](repeating: nil, count: 512)
        for (key, value) in pairs {
            var slot = key.slot
            while slots[slot] != nil { slot = (slot + 1) & 511 }
            slots[slot] = (key, value)
        }
        self.slots = slots
    }

    @inline(__always)
    func value(of key: ComparedKey) -> Value? {
        var slot = key.slot
        while let candidate = slots[slot] {
            if candidate.key == key { return candidate.value }
            slot = (slot + 1) & 511
        }
        return nil
    }
}

extension String {
    /// The text in the form in which envelope keys are compared.
    var comparedAsKey: String {
        let utf8 = utf8
        guard utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        let kept = utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: nil
            }
        }
        return kept.isEmpty ? self : String(decoding: kept, as: UTF8.self)
    }
}
