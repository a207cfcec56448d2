import CatenaPlatform

/// Numbers of seconds in headers. Pure.
enum HeaderSeconds {
    /// Returns the duration of decimal digits, optionally with a fraction. Rejects everything else that `Double` accepts.
    static func parse(_ text: String) -> Duration? {
        let text = text.trimmed()
        guard !text.isEmpty, text.utf8.count <= 20, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let value = Double(text)
        else { return nil }
        return .seconds(min(value, 1e15))
    }
}

extension HTTPHeaders {
    /// Returns whether a 403 means that a rate limit is exhausted, as GitHub sends it, and not that the call is forbidden.
    func sayUsedUp(status: Int) -> Bool {
        status == 403 && self["X-RateLimit-Remaining"].flatMap(HeaderSeconds.parse) == .zero
            && self["X-RateLimit-Reset"].flatMap(HeaderSeconds.parse) != nil
    }
}
