/// A member that indicates success or failure.
///
/// It contains no references, so that copying it only copies bytes.
struct EnvelopeSign: Sendable {
    enum Kind: Sendable {
        case flag, code
        /// A value at an error key, or the absence of one.
        case error, noError
        /// A number at `status`.
        case status
        /// A word such as `failed`.
        case word
        /// A message at a key that only failures have.
        case words
    }

    enum Weight: Sendable {
        /// The sign only suggests success or failure.
        case weak
        /// The members beside the sign confirm it.
        case clear
        /// The user has declared the code.
        case declared
    }

    /// The integer at the key, if `hasInteger`. The order of members and the 32-bit index keep the size of a sign at 24 bytes.
    private let value: Int
    private let memberPlace: Int32
    let kind: Kind
    let word: VocabularyWord?
    /// Whether the sign means success.
    let isGood: Bool
    let weight: Weight
    /// Whether there is a code at the key. A string code is read when it is needed.
    let hasCode: Bool
    private let hasInteger: Bool

    /// The index of the member in the list of its object.
    var place: Int { Int(memberPlace) }

    /// The code at the key, if it is an integer.
    var integer: Int? { hasInteger ? value : nil }

    init(kind: Kind, place: Int, word: VocabularyWord?, isGood: Bool, weight: Weight, code: ErrorCode? = nil) {
        (self.kind, self.word, self.isGood, self.weight) = (kind, word, isGood, weight)
        // Larger lists would need about 100 GB.
        memberPlace = Int32(clamping: place)
        hasCode = code != nil
        if case .integer(let value) = code { (self.value, hasInteger) = (value, true) } else { (value, hasInteger) = (0, false) }
    }
}

/// The signs of an object, in order of precedence. Most objects have one or two, which need no allocation.
struct EnvelopeSigns: Sendable, RandomAccessCollection, MutableCollection {
    private var strongest: EnvelopeSign?
    private var next: EnvelopeSign?
    private var others: [EnvelopeSign] = []

    // Inlined, because a call would copy the signs.

    @inline(__always)
    var startIndex: Int { 0 }
    @inline(__always)
    var endIndex: Int { (strongest == nil ? 0 : 1) + (next == nil ? 0 : 1) + others.count }

    @inline(__always)
    func first(where isWanted: (EnvelopeSign) -> Bool) -> EnvelopeSign? {
        for place in 0..<endIndex where isWanted(self[place]) { return self[place] }
        return nil
    }

    @inline(__always)
    func contains(where isWanted: (EnvelopeSign) -> Bool) -> Bool { first(where: isWanted) != nil }

    /// Sorts the signs from a place on, without changing the order of equal ones.
    mutating func sort(from start: Int, by rank: (EnvelopeSign) -> Int) {
        for place in start + 1..<endIndex {
            var place = place
            while place > start, rank(self[place]) < rank(self[place - 1]) {
                swapAt(place, place - 1)
                place -= 1
            }
        }
    }

    subscript(place: Int) -> EnvelopeSign {
        @inline(__always)
        get {
            if place == 0, let strongest { return strongest }
            if place == 1, let next { return next }
            return others[place - 2]
        }
        set {
            switch place {
            case 0: strongest = newValue
            case 1: next = newValue
            default: others[place - 2] = newValue
            }
        }
    }

    mutating func append(_ sign: EnvelopeSign) {
        if strongest == nil {
            strongest = sign
        } else if next == nil {
            next = sign
        } else {
            others.append(sign)
        }
    }
}
