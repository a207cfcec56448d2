/// The code of an error: what the backend said, an HTTP status or a transport's code.
///
/// Codes are typed: `"0"` is not `0`, and a word is never a number.
///
/// ```swift
/// if error.code == 10086 || error.code == "E01" { … }
/// ```
public enum ErrorCode: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, CustomStringConvertible {
    case integer(Int)
    case string(String)

    /// The code of a timeout, of whichever kind.
    public static let timeout: ErrorCode = 110

    public init(integerLiteral value: Int) {
        self = .integer(value)
    }

    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// The number, if the code is one or is text that spells one.
    public var integer: Int? {
        switch self {
        case .integer(let value): value
        case .string(let text): Int(text)
        }
    }

    public var description: String {
        switch self {
        case .integer(let value): String(value)
        case .string(let text): text
        }
    }
}
