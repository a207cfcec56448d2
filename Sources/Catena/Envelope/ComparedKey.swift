/// A key as keys of envelopes are compared: by its letters and digits in lower case, if it is ASCII; else, and without any of these, as it is.
///
/// The first 16 characters are kept in two integers, so that no memory is taken for a key. No word of the vocabulary is longer.
struct ComparedKey: Equatable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var tail: UInt32 = 0
    /// How many letters and digits there are.
    private(set) var count: UInt32 = 0
    /// Whether the integers hold all of the key.
    private(set) var isWhole = true

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
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

    /// Keeps the start and the end of a key that is compared as it is.
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

    /// The word that the key is; `nil` if it is none.
    @inline(__always)
    var word: VocabularyWord? {
        isWhole ? Self.words.value(of: self) : nil
    }

    /// The meaning of text that is one of a few words.
    var meaning: WordMeaning? {
        isWhole ? Self.meanings.value(of: self) : nil
    }

    @inline(__always)
    fileprivate var slot: Int {
        Int(truncatingIfNeeded: ((low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93) >> 55)
    }

    private static let words = KeyTable(VocabularyWord.allCases.map { (ComparedKey("\($0)"), $0) })
    private static let meanings = KeyTable(
        [
            ("ok", WordMeaning.success), ("success", .success), ("succeeded", .success), ("error", .failure), ("fail", .failure),
            ("failed", .failure), ("failure", .failure), ("notok", .failure), ("none", .nothing), ("null", .nothing), ("noerror", .nothing),
            ("false", .no), ("true", .yes),
        ].map { (ComparedKey($0.0), $0.1) })
}

/// The meaning of a value's word.
enum WordMeaning: Sendable {
    case success, failure
    /// None, null, no error.
    case nothing
    case yes, no

    /// Whether an error code with this word says that there was no error.
    var isNothing: Bool { self == .nothing || self == .no }
}

/// Keys and what they stand for.
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
    /// The text as keys are compared.
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
