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

    let kind: Kind
    /// The place of the member in the list of its object's members.
    let place: Int
    let word: VocabularyWord?
    /// Whether the sign says that the call succeeded.
    let isGood: Bool
    let weight: Weight
    /// Whether there is a code at the key, and the number if it is an integer. A code that is text is read where it is asked for.
    private(set) var hasCode = false
    private(set) var integer: Int?

    init(kind: Kind, place: Int, word: VocabularyWord?, isGood: Bool, weight: Weight, code: ErrorCode? = nil) {
        self.kind = kind
        self.place = place
        self.word = word
        self.isGood = isGood
        self.weight = weight
        hasCode = code != nil
        if case .integer(let value) = code { integer = value }
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

    var startIndex: Int { 0 }
    var endIndex: Int { (strongest == nil ? 0 : 1) + (next == nil ? 0 : 1) + others.count }

    subscript(place: Int) -> EnvelopeSign {
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
