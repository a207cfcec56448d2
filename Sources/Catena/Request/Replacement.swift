/// The age by which a call replaces the older calls with its id.
struct Replacement: Sendable {
    /// The number of the first call of a sequence, such as its first page, or `nil` for the number of the call itself.
    var first: UInt64?
}

extension Request {
    /// Returns the request for a further call of a sequence. The call is as old as the first one, so that it replaces no newer call.
    ///
    /// - Parameter first: The number of the first call, or `nil` for the first call itself.
    func continuing(_ first: UInt64?) -> Request {
        guard let first, options[\.replacement] != nil else { return self }
        var request = self
        request.options[\.replacement] = Replacement(first: first)
        return request
    }
}
