/// A member that says how a call went.
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
    /// The code at the key, of signs that are codes.
    var code: ErrorCode?
}

/// The part of a user's rules that holds for the signs of an object.
struct SignRules {
    let rules: EnvelopeRules
    /// The HTTP status; 0 for an object within another one.
    let status: Int

    func meansSuccess(_ code: ErrorCode) -> Bool { rules.meansSuccess(code) }

    func isStatus(_ code: ErrorCode) -> Bool { status != 0 && code == .integer(status) }

    /// 200, 201, 202, 204.
    static func isHTTPSuccess(_ code: ErrorCode) -> Bool {
        switch code {
        case .integer(200), .integer(201), .integer(202), .integer(204): true
        default: false
        }
    }
}

extension ErrorCode {
    var isInteger: Bool {
        if case .integer = self { true } else { false }
    }
}
