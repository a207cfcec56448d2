extension APIError {
    /// The kind of a failure. Later versions may add kinds, so a `switch` over it needs a `default`.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let name: String
        /// The code of an error of this kind, if neither the backend nor HTTP provides one.
        let code: ErrorCode

        private init(_ name: String, code: ErrorCode) {
            self.name = name
            self.code = code
        }

        /// Creates a custom kind.
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

    /// The response reports a failure, although its HTTP status means success.
    public static let business = Self("business", code: -1)
    /// The HTTP status is not 2xx.
    public static let status = Self("status", code: -1)
    /// The response cannot be decoded as the type of the call; the message names type, key path and first bytes.
    public static let decoding = Self("decoding", code: -2)
    /// The response has no payload although the call needs one.
    public static let missingPayload = Self("missingPayload", code: -3)
    /// The response is not as the envelope of its tag says: it has no code, or is no JSON. The message names the place that was read.
    public static let unrecognizedResponse = Self("unrecognizedResponse", code: -4)

    // MARK: There is no whole response

    /// An attempt or the whole call exceeded its time limit.
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
    /// The body of the response is longer than ``Profile/bodyLimit``.
    public static let bodyTooLarge = Self("bodyTooLarge", code: -1103)
    /// The body could not be decompressed.
    public static let decompression = Self("decompression", code: -1015)
    /// The response redirects to an address that must not be followed, such as from https to http.
    public static let redirect = Self("redirect", code: -1010)
    /// There were more redirects than ``Profile/redirectLimit`` allows.
    public static let tooManyRedirects = Self("tooManyRedirects", code: -1007)

    /// The body of the request could not be read, or does not have the announced length.
    public static let requestBody = Self("requestBody", code: -1021)

    // MARK: The file

    /// A file could not be read or written. `underlying` is a `POSIXError` if the system named a reason.
    public static let file = Self("file", code: -3000)
    /// A downloaded file does not have the expected checksum.
    public static let checksum = Self("checksum", code: -3001)

    // MARK: Nothing was sent

    /// A step of the request is wrong, and nothing was sent; the message names the step.
    public static let invalidRequest = Self("invalidRequest", code: -1000)
    /// The call was cancelled. Only a `catch(.cancelled)` receives such an error.
    public static let cancelled = Self("cancelled", code: -999)
    /// An error from outside the library, such as one thrown by a closure, which is the `underlying` error; or no transport.
    public static let other = Self("other", code: -1)
}

extension APIError.Kind {
    /// The queue of waiting calls of this client is full. The request was not sent.
    public static let overloaded = Self("overloaded")
    /// A rate limit of this client does not allow the call. The request was not sent.
    public static let rateLimited = Self("rateLimited")
    /// The circuit breaker of this client is open, because the backend has failed too often. The request was not sent.
    public static let circuitOpen = Self("circuitOpen")
}

extension APIError {
    /// Creates the error of a call that a limit of this client refused.
    package static func rejection(_ kind: Kind, _ reason: String, retryAfter: Duration?) -> APIError {
        let advice = retryAfter.map { "; come back in \($0.inWholeSeconds)" } ?? ""
        var error = APIError(kind, message: reason + advice + ".")
        error.retryAfter = retryAfter
        return error
    }
}

extension Duration {
    /// The time in text, rounded up, because a call that comes back earlier is refused again.
    var inWholeSeconds: String { "\(components.seconds + (components.attoseconds > 0 ? 1 : 0)) seconds" }
}

/// The code of an error: a business code, an HTTP status or the code of a transport.
///
/// Codes are typed: `"0"` is not `0`, and a word is never a number.
///
/// ```swift
/// if error.code == 10086 || error.code == "E01" { … }
/// ```
public enum ErrorCode: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A number.
    case integer(Int)
    /// A string, even if it spells a number.
    case string(String)

    /// The code of every timeout, 110.
    public static let timeout: ErrorCode = 110

    /// Makes a code of a number.
    public init(_ number: Int) {
        self = .integer(number)
    }

    /// Makes a code of a string, even if it spells a number.
    public init(_ text: String) {
        self = .string(text)
    }

    public init(integerLiteral value: Int) {
        self = .integer(value)
    }

    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// The number, if the code is a number or a string that spells one.
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
    /// A category of errors, which a backend's ``Envelope`` assigns to codes. Later versions may add categories.
    public struct Category: Hashable, Sendable, CustomStringConvertible {
        /// The name of the category.
        public let name: String

        /// Creates a custom category.
        public init(_ name: String) {
            self.name = name
        }

        public var description: String { name }

        /// The user has to sign in.
        public static let authentication = Category("authentication")
        /// Another attempt may help.
        public static let retryable = Category("retryable")
        /// The params are invalid.
        public static let validation = Category("validation")
        /// The backend is temporarily unavailable.
        public static let maintenance = Category("maintenance")
    }
}

extension APIError.Kind {
    /// `debugFail` of the product `CatenaRules` made the call fail.
    public static let simulated = Self("simulated")
}
