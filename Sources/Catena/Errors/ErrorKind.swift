extension APIError {
    /// The sort of a failure. More may come: a `switch` over it needs a `default`.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let name: String
        /// The code of such an error when neither the backend nor HTTP gave one.
        let code: ErrorCode

        private init(_ name: String, code: ErrorCode) {
            self.name = name
            self.code = code
        }

        /// A kind of an app's own.
        public init(_ name: String) {
            self.init(name, code: -1)
        }

        public var description: String { name }

        public static func == (left: Kind, right: Kind) -> Bool { left.name == right.name }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
}

extension APIError.Kind {
    // MARK: The response says so

    /// The backend answered that it did not do what was asked.
    public static let business = Self("business", code: -1)
    /// The HTTP status is not 2xx.
    public static let status = Self("status", code: -1)
    /// The response is not what the call was to be decoded as.
    public static let decoding = Self("decoding", code: -2)
    /// The response has no payload although the call needs one.
    public static let missingPayload = Self("missingPayload", code: -3)

    // MARK: There is no whole response

    /// The time for an attempt or for the whole call ran out.
    public static let timeout = Self("timeout", code: .timeout)
    /// There is no network.
    public static let offline = Self("offline", code: -1009)
    /// The host's name could not be resolved.
    public static let dns = Self("dns", code: -1003)
    /// No connection could be made.
    public static let connect = Self("connect", code: -1004)
    /// The secure connection failed.
    public static let tls = Self("tls", code: -1200)
    /// The connection ended before the response did.
    public static let connectionLost = Self("connectionLost", code: -1005)
    /// The response breaks the rules of HTTP.
    public static let protocolViolation = Self("protocolViolation", code: -1011)
    /// The body is longer than allowed.
    public static let bodyTooLarge = Self("bodyTooLarge", code: -1103)
    /// The body could not be decompressed.
    public static let decompression = Self("decompression", code: -1015)
    /// The response leads to where a request must not follow.
    public static let redirect = Self("redirect", code: -1010)
    /// More redirects than allowed.
    public static let tooManyRedirects = Self("tooManyRedirects", code: -1007)

    /// The body of the request could not be read, or is not what was announced.
    public static let requestBody = Self("requestBody", code: -1021)

    // MARK: The file

    /// A file could not be read or written; `underlying` is a `POSIXError` where the system said why.
    public static let file = Self("file", code: -3000)
    /// The bytes are not those that were expected.
    public static let checksum = Self("checksum", code: -3001)

    // MARK: Nothing was sent

    /// The request was described wrongly; the message names the step.
    public static let invalidRequest = Self("invalidRequest", code: -1000)
    /// The call was cancelled.
    public static let cancelled = Self("cancelled", code: -999)
    /// An error of somebody else's, to be found in `underlying`.
    public static let other = Self("other", code: -1)
}

extension APIError.Kind {
    /// Too many calls of this client wait for their turn already; nothing was sent.
    public static let overloaded = Self("overloaded")
    /// More calls than the rate limit of this client allows; nothing was sent.
    public static let rateLimited = Self("rateLimited")
    /// The backend has failed so often that it is left alone for a while; nothing was sent.
    public static let circuitOpen = Self("circuitOpen")
}

extension APIError {
    /// A call that a limit of this client's own turned away.
    static func rejection(_ kind: Kind, _ reason: String, retryAfter: Duration?) -> APIError {
        let advice = retryAfter.map { "; come back in \($0)" } ?? ""
        var error = APIError(kind, message: reason + advice + ".")
        error.retryAfter = retryAfter
        return error
    }
}

/// The code of an error: what the backend said, an HTTP status or a transport's code.
///
/// Codes are typed: `"0"` is not `0`, and a word is never a number.
///
/// ```swift
/// if error.code == 10086 || error.code == "E01" { … }
/// ```
public enum ErrorCode: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A number.
    case integer(Int)
    /// Text, also where it spells a number.
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

extension APIError {
    /// What an error asks for, as the ``Envelope`` of its backend says. More may come.
    public struct Category: Hashable, Sendable, CustomStringConvertible {
        /// The name of the category.
        public let name: String

        /// A category of an app's own.
        public init(_ name: String) {
            self.name = name
        }

        public var description: String { name }

        /// The caller has to sign in.
        public static let authentication = Category("authentication")
        /// Another attempt may help.
        public static let retryable = Category("retryable")
        /// The params are not valid.
        public static let validation = Category("validation")
        /// The backend is closed for a while.
        public static let maintenance = Category("maintenance")
    }
}

extension APIError.Kind {
    /// The call was told to fail, by ``Request/debugFail(_:)``.
    public static let simulated = Self("simulated")
}
