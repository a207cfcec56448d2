/// A row of the table of signs: what the values at some keys say of the call.
struct SignRow: Sendable {
    /// The reading of a value as a sign. A value that cannot be read so is none.
    enum Value: Sendable {
        /// `true`, `false`, or a number up to 1, also as text.
        case flag
        /// `true` or `false`; as text; turned round.
        case bool, textOfTruth, reverse
        /// A number that says nothing of the HTTP status.
        case kin
        /// A number or text. Of an error code some texts say nothing. Of a result code, text counts only as a known word, or beside a message.
        case errorCode, resultCode, number, text
        /// A number of HTTP.
        case statusNumber
        /// A whole number; one that counts only if there is no other code.
        case integer, loneInteger
        /// A number other than 0 and 1; 0.
        case statusOfHTTP, zero
        /// A word of success or failure, such as `failed`; at `status`, also one such as `auth_failure`.
        case word, statusWord

        /// Whether a value has the JSON type of the sign. Spares most values that are none the reading.
        @inline(__always)
        func isPossible(_ member: JSONMember) -> Bool {
            let isText = member.span.kind == .string && member.span.range.count > 2
            return switch self {
            case .word, .statusWord: isText
            case .integer, .loneInteger: member.span.kind == .number
            // A number beyond any integer, such as `1e400`, is a code by its text.
            case .text: isText || member.span.kind == .number && member.integer == nil
            default: true
            }
        }
    }

    /// The members beside which a sign is clear.
    enum Beside: Sendable {
        case anything, nothing
        /// A message, here or one level down, a code, an error or a payload.
        case parts
        /// A part or a remark beside 0 and 1, anything beside other flags.
        case partsOfBit
        /// A message; one with a text.
        case message, messageText
        /// A message or payload beside a success, a message here or one level down beside a failure.
        case messageOrPayload
        /// Anything beside a success, an error or message beside a failure; an error alone.
        case errorOrMessage, error
        /// Nothing beside a success, an error or message beside a failure.
        case failureOnly
    }

    let kind: EnvelopeSign.Kind
    let keys: VocabularyWords
    let value: Value
    let beside: Beside
}

/// Rows of the table that are read together.
struct SignGroup: Sendable {
    let keys: VocabularyWords
    let rows: [SignRow]

    private init(_ rows: [SignRow]) {
        self.rows = rows
        keys = rows.reduce(VocabularyWords()) { $0.union($1.keys) }
    }

    // The groups are in the order in which their signs decide. What is made to judge comes before what suggests.

    /// Flags, of which the first one counts.
    static let flags = SignGroup([
        SignRow(kind: .flag, keys: .flags, value: .flag, beside: .partsOfBit),
        SignRow(kind: .flag, keys: .status, value: .bool, beside: .parts),
        SignRow(kind: .flag, keys: .status, value: .textOfTruth, beside: .nothing),
        SignRow(kind: .flag, keys: .error, value: .reverse, beside: .parts),
    ])

    /// Codes, of which each counts: a failing error code first, then `errcode` in this spelling, then `code`.
    static let codes = SignGroup([
        SignRow(kind: .code, keys: .errorCodes, value: .errorCode, beside: .anything),
        SignRow(kind: .code, keys: .resultCodes.subtracting(.statusCode), value: .resultCode, beside: .anything),
        SignRow(kind: .code, keys: .statusCode, value: .statusNumber, beside: .anything),
        SignRow(kind: .code, keys: .statusCode, value: .text, beside: .message),
        SignRow(kind: .code, keys: .code, value: .number, beside: .parts),
        SignRow(kind: .code, keys: .code, value: .text, beside: .messageText),
    ])

    /// A code at another key that ends in `code`.
    static let kin = SignRow(kind: .code, keys: VocabularyWords(), value: .kin, beside: .anything)

    /// Codes at keys that usually have another value.
    static let integers = SignGroup([
        SignRow(kind: .code, keys: .error, value: .integer, beside: .parts),
        SignRow(kind: .code, keys: .ret, value: .loneInteger, beside: .parts),
    ])

    /// A flag at `result`, which decides after codes.
    static let result = SignGroup([SignRow(kind: .flag, keys: .result, value: .bool, beside: .anything)])

    /// Numbers and words, of which the first one counts.
    static let words = SignGroup([
        SignRow(kind: .status, keys: .status, value: .statusOfHTTP, beside: .messageOrPayload),
        SignRow(kind: .word, keys: .status, value: .statusWord, beside: .errorOrMessage),
        SignRow(kind: .word, keys: .result, value: .word, beside: .failureOnly),
        SignRow(kind: .word, keys: VocabularyWords([.message]), value: .word, beside: .error),
        SignRow(kind: .word, keys: VocabularyWords([.msg]), value: .word, beside: .error),
    ])

    /// The last sign of success.
    static let zero = SignGroup([SignRow(kind: .status, keys: .status, value: .zero, beside: .messageOrPayload)])
}
