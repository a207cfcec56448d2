/// A row of the table of signs: what the values at some keys say of the call.
struct SignRow: Sendable {
    /// The reading of a value as a sign. A value that cannot be read so is none.
    enum Value: Sendable {
        /// `true`, `false`, or a number up to 1, also as text.
        case flag
        /// `true` or `false`; as text; turned round.
        case bool, textOfTruth, reverse
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

    init(_ kind: EnvelopeSign.Kind, _ keys: VocabularyWords, _ value: Value, beside: Beside) {
        self.kind = kind
        self.keys = keys
        self.value = value
        self.beside = beside
    }
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
        SignRow(.flag, .flags, .flag, beside: .partsOfBit),
        SignRow(.flag, .status, .bool, beside: .parts),
        SignRow(.flag, .status, .textOfTruth, beside: .nothing),
        SignRow(.flag, .error, .reverse, beside: .parts),
    ])

    /// Codes, of which each counts: a failing error code first, then `errcode` in this spelling, then `code`.
    static let codes = SignGroup([
        SignRow(.code, .errorCodes, .errorCode, beside: .anything),
        SignRow(.code, .resultCodes.subtracting(.statusCode), .resultCode, beside: .anything),
        SignRow(.code, .statusCode, .statusNumber, beside: .anything),
        SignRow(.code, .statusCode, .text, beside: .message),
        SignRow(.code, .code, .number, beside: .parts),
        SignRow(.code, .code, .text, beside: .messageText),
    ])

    /// Codes at keys that usually have another value.
    static let integers = SignGroup([
        SignRow(.code, .error, .integer, beside: .parts),
        SignRow(.code, .ret, .loneInteger, beside: .parts),
    ])

    /// Numbers and words, of which the first one counts.
    static let words = SignGroup([
        SignRow(.status, .status, .statusOfHTTP, beside: .messageOrPayload),
        SignRow(.word, .status, .statusWord, beside: .errorOrMessage),
        SignRow(.word, .result, .word, beside: .failureOnly),
        SignRow(.word, VocabularyWords([.message]), .word, beside: .error),
        SignRow(.word, VocabularyWords([.msg]), .word, beside: .error),
    ])

    /// The last sign of success.
    static let zero = SignGroup([SignRow(.status, .status, .zero, beside: .messageOrPayload)])
}

/// A row of the table of decisions: the signs that count in an object.
struct DecisionRow: Sendable {
    /// The members that an object contains besides the parts of an envelope.
    enum Company: UInt8, Sendable {
        /// Nothing.
        case alone
        /// Other members.
        case mixed
        /// So much that it is a thing, whose codes and errors are its own; with an id.
        case thing, identified
    }

    /// The members that must stand beside a sign.
    enum Neighbor: Sendable {
        case anything
        /// A message, remark or error.
        case words
        /// A message and `sub_code` or `sub_msg`.
        case subMessage
        /// A message and a payload without a value.
        case emptyPayload
    }

    private let isGood: Bool
    /// The companies and kinds of sign, with one bit for each.
    private let companies, kinds: UInt8
    /// Whether a weak sign counts, too.
    private let takesWeak: Bool
    let beside: Neighbor

    private init(
        _ isGood: Bool, _ companies: [Company], _ kinds: [EnvelopeSign.Kind] = EnvelopeSign.Kind.allCases, takesWeak: Bool = false,
        beside: Neighbor = .anything
    ) {
        (self.isGood, self.takesWeak, self.beside) = (isGood, takesWeak, beside)
        self.companies = companies.reduce(0) { $0 | 1 << $1.rawValue }
        self.kinds = kinds.reduce(0) { $0 | 1 << $1.rawValue }
    }

    @inline(__always)
    func applies(to sign: EnvelopeSign, in company: Company) -> Bool {
        isGood == sign.isGood && (takesWeak || sign.weight == .clear) && companies >> company.rawValue & 1 != 0
            && kinds >> sign.kind.rawValue & 1 != 0
    }

    static let table = [
        DecisionRow(true, [.alone], takesWeak: true),
        DecisionRow(true, [.mixed]),
        DecisionRow(true, [.thing, .identified], [.flag, .code]),
        DecisionRow(false, [.alone], takesWeak: true),
        DecisionRow(false, [.mixed]),
        DecisionRow(false, [.thing], [.flag], beside: .words),
        DecisionRow(false, [.thing], [.code], beside: .subMessage),
        DecisionRow(false, [.thing], [.flag, .code], beside: .emptyPayload),
    ]
}
