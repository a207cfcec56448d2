// What an interceptor moves to another origin goes there as what a redirect would lead there: without what is bound to the backend.
extension Call {
    /// Whether code from outside has changed to whom the call goes.
    var hasMoved: Bool { hasBeenIntercepted && prepared.address.origin != assembled.address.origin }

    /// Leaves behind what the tag, the common closures and the sign-in have put in. What the call itself says goes along, as it does to
    /// another host, and so does what an interceptor has set.
    func withoutWhatStays() -> Call {
        guard hasMoved else { return self }
        var call = self
        if !execution.isSignInAskedFor { credential?.remove(from: &call.prepared) }
        guard execution.request.options.commonHeaders != .merged else { return call }
        let own = Set(execution.request.ownHeaders.names.map { $0.lowercased() })
        for name in Set(assembled.headers.fields.map { $0.name.lowercased() }).subtracting(own) {
            if RedirectRules.portable.contains(name) || name.hasPrefix("content-") || sameHeaderName(name, IdempotencyKey.header) {
                continue
            }
            if call.prepared.headers.values(for: name) == assembled.headers.values(for: name) { call.prepared.headers.remove(name) }
        }
        return call
    }
}
