/// A member that indicates success or failure.
///
/// It contains no references, so that copying it only copies bytes.
struct EnvelopeSign {
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

    enum Weight: Int, Comparable, Sendable {
        /// The sign only suggests success or failure.
        case weak
        /// The members beside the sign confirm it.
        case clear
        /// A false flag beside a message, remark or error.
        case explicit

        init(clearIf isClear: Bool) {
            self = isClear ? .clear : .weak
        }

        static func < (left: Weight, right: Weight) -> Bool { left.rawValue < right.rawValue }
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

/// The rules of an envelope that apply to the signs of an object.
struct SignRules {
    let rules: EnvelopePlaces.Rules
    /// The HTTP status, or 0 if a code is not compared with it.
    let status: Int
    /// The HTTP status for the codes of inner objects. Only one that is declared a success is compared with them.
    let innerStatus: Int

    /// The rules for an inner object.
    var inner: SignRules { SignRules(rules: rules, status: innerStatus, innerStatus: innerStatus) }

    func meansSuccess(_ code: ErrorCode) -> Bool { rules.rules.meansSuccess(code) }

    func isStatus(_ code: ErrorCode) -> Bool { status != 0 && code == .integer(status) }

    /// Whether a code equals one of the HTTP statuses 200, 201, 202 and 204.
    static func isHTTPSuccess(_ code: ErrorCode) -> Bool {
        switch code {
        case .integer(200), .integer(201), .integer(202), .integer(204): true
        default: false
        }
    }
}

/// The signs of an object, in order of precedence. Most objects have one or two, which need no allocation.
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
