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
