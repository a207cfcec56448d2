extension APIError {
    /// The sort of a failure. More may come: a `switch` over it needs a `default`.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
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
    // MARK: The answer says so

    /// The backend answered that it did not do what was asked.
    public static let business = Self("business", code: -1)
    /// The HTTP status is not 2xx.
    public static let status = Self("status", code: -1)
    /// The answer is not what the call was to be decoded as.
    public static let decoding = Self("decoding", code: -2)
    /// The answer has no payload although the call needs one.
    public static let missingPayload = Self("missingPayload", code: -3)

    // MARK: There is no whole answer

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
    /// The connection ended before the answer did.
    public static let connectionLost = Self("connectionLost", code: -1005)
    /// The answer breaks the rules of HTTP.
    public static let protocolViolation = Self("protocolViolation", code: -1011)
    /// The body is longer than allowed.
    public static let bodyTooLarge = Self("bodyTooLarge", code: -1103)
    /// The body could not be decompressed.
    public static let decompression = Self("decompression", code: -1015)
    /// The answer leads to where a request must not follow.
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
