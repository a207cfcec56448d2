// What is kept or shared under a key must have been asked for by the request that the key is made of. What stages of Catena's own add to a
// request, such as the credential, whose user is a part of the key, is added to a second copy; what anybody else puts in is not.
extension Call {
    /// The call whose response may be kept or shared under a key that is made of its request as it is now.
    func keyed() -> Call {
        if keyedRequest != nil { return self }
        var call = self
        call.keyedRequest = prepared.adding(profile.cookieJar)
        return call
    }

    /// The call with conditions in its request, about a response that is kept under its key.
    func asking(_ conditional: HTTPRequest) -> Call {
        var call = self
        call.prepared = conditional
        call.keyedRequest = keyedRequest?.reapplyingChanges(from: prepared, to: conditional)
        return call
    }

    /// Adds to the keyed request what a stage has added to the other one.
    mutating func note(_ added: AddedFields) {
        guard var keyed = keyedRequest else { return }
        added.add(to: &keyed)
        keyedRequest = keyed
    }

    /// Adds a header that a stage of Catena's own has made.
    mutating func add(_ value: String, for header: String) {
        prepared.headers[header] = value
        keyedRequest?.headers[header] = value
    }

    /// Notes what really goes out, cookies included.
    func noteSending(_ request: HTTPRequest) {
        guard let keyed = keyedRequest else { return }
        let rules = profile.requestKeyRules
        // Mostly they are equal, which is cheaper to see.
        let isSame =
            request == keyed
            || RequestKey.sharing(request, tag: nil, identity: nil, rules: rules)
                == RequestKey.sharing(keyed, tag: nil, identity: nil, rules: rules)
        execution.log.note(isSame ? .same : .different)
    }
}

extension HTTPRequest {
    /// Changes this request in the same way in which `changed` was made of `original`.
    func reapplyingChanges(from original: HTTPRequest, to changed: HTTPRequest) -> HTTPRequest {
        var request = self
        if changed.method != original.method { request.method = changed.method }
        if changed.address != original.address { request.address = changed.address }
        if changed.body != original.body || changed.bodySource != original.bodySource {
            request.body = changed.body
            request.bodySource = changed.bodySource
        }
        request.headers.change(as: changed.headers, was: original.headers)
        return request
    }
}

// What an interceptor moves to another origin goes there as what a redirect would lead there: without what is bound to the backend.
extension Call {
    /// Whether code from outside has changed to whom the call goes.
    var hasMoved: Bool { hasBeenIntercepted && prepared.address.origin != assembled.address.origin }

    /// Leaves behind what the tag, the common closures and the sign-in have put in. What the call itself says goes along, as it does to
    /// another host, and so does what an interceptor has set.
    func withoutWhatStays() -> Call {
        guard hasMoved else { return self }
        var call = self
        if !execution.isSignInAskedFor {
            credential?.remove(from: &call.prepared)
            if let signature {
                signature.remove(from: &call.prepared)
                if call.prepared.body == signature.after.body { call.prepared.body = signature.before.body }
            }
        }
        if let trace, call.prepared.headers[TraceContext.header] == trace { call.prepared.headers.remove(TraceContext.header) }
        guard execution.request.options.commonHeaders != .merged else { return call }
        let own = Set(execution.request.ownHeaders.names.map { $0.lowercased() })
        for name in Set(assembled.headers.fields.map { $0.name.lowercased() }).subtracting(own) {
            if HeaderRules.portable.contains(name) || name.hasPrefix("content-") || sameHeaderName(name, IdempotencyKey.header) {
                continue
            }
            if call.prepared.headers.values(for: name) == assembled.headers.values(for: name) { call.prepared.headers.remove(name) }
        }
        return call
    }
}
