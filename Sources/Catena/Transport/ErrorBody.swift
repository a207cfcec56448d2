/// The body of a response whose status says that the call has failed. What is to be known is the status: retries, sign-in and circuit
/// breakers go by it, so a body that is broken does not hide it.
enum ErrorBody {
    /// In bytes: what is read of one at most, however long other bodies may be. It is an envelope, or a page for nobody.
    static let limit = 8 * 1024 * 1024

    static func limit(_ limit: Int, status: Int) -> Int {
        (200..<300).contains(status) ? limit : min(limit, Self.limit)
    }

    /// Whether a response of this status is given although its body has failed like this, with what has arrived of it.
    static func isForgiven(_ error: any Error, status: Int) -> Bool {
        // An interim response (1xx) says nothing yet.
        guard status >= 300, let error = error as? APIError else { return false }
        return [.decompression, .connectionLost, .protocolViolation].contains(error.kind)
    }
}
