/// A member that says how a call went.
///
/// It refers to nothing, so that a copy of it takes no more than its bytes.
struct EnvelopeSign {
    enum Kind: Sendable {
        case flag, code
        /// Something at a key of errors, or nothing there.
        case error, noError
        /// A number at `status`.
        case status
        /// A word such as `failed`.
        case word
        /// A message that only failures have.
        case words
    }

    enum Weight: Int, Comparable, Sendable {
        /// It suggests how the call went.
        case weak
        /// The members beside the sign make it sure.
        case clear
        /// A false flag beside words.
        case explicit

        init(clearIf isClear: Bool) {
            self = isClear ? .clear : .weak
        }

        static func < (left: Weight, right: Weight) -> Bool { left.rawValue < right.rawValue }
    }

    /// The integer at the key, if `hasInteger`. It stands first, and the place takes four bytes, so that a sign takes 24.
    private let value: Int
    private let memberPlace: Int32
    let kind: Kind
    let word: VocabularyWord?
    /// Whether the sign says that the call succeeded.
    let isGood: Bool
    let weight: Weight
    /// Whether there is a code at the key. A code that is text is read where it is asked for.
    let hasCode: Bool
    private let hasInteger: Bool

    /// The place of the member in the list of its object's members.
    var place: Int { Int(memberPlace) }

    /// The code at the key, if it is an integer.
    var integer: Int? { hasInteger ? value : nil }

    init(kind: Kind, place: Int, word: VocabularyWord?, isGood: Bool, weight: Weight, code: ErrorCode? = nil) {
        (self.kind, self.word, self.isGood, self.weight) = (kind, word, isGood, weight)
        // A list of more members would take some 100 GB.
        memberPlace = Int32(clamping: place)
        hasCode = code != nil
        if case .integer(let value) = code { (self.value, hasInteger) = (value, true) } else { (value, hasInteger) = (0, false) }
    }
}

/// The part of a user's rules that holds for the signs of an object.
struct SignRules {
    let rules: EnvelopePlaces.Rules
    /// The HTTP status; 0 for an object within another one.
    let status: Int

    func meansSuccess(_ code: ErrorCode) -> Bool { rules.rules.meansSuccess(code) }

    func isStatus(_ code: ErrorCode) -> Bool { status != 0 && code == .integer(status) }

    /// 200, 201, 202, 204.
    static func isHTTPSuccess(_ code: ErrorCode) -> Bool {
        switch code {
        case .integer(200), .integer(201), .integer(202), .integer(204): true
        default: false
        }
    }
}

/// The signs of an object, in the order in which they decide. Most objects have one or two, which take no memory of their own.
struct EnvelopeSigns: RandomAccessCollection, MutableCollection {
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
