// A response may be cached or shared under a key only if the sent request matches the request from which the key was computed. Additions of
// Catena's own stages, such as the credential, are also made to the keyed request, because the key contains their user. Additions of other code
// are not.
extension Call {
    /// Returns the call with its current request as the one from which the key is computed.
    func keyed() -> Call {
        if keyedRequest != nil { return self }
        var call = self
        call.keyedRequest = prepared.adding(profile.cookieJar)
        return call
    }

    /// Returns the call with a conditional request about the response cached under its key.
    func asking(_ conditional: HTTPRequest) -> Call {
        var call = self
        call.prepared = conditional
        call.keyedRequest = keyedRequest?.reapplyingChanges(from: prepared, to: conditional)
        return call
    }

    /// Makes the additions of a stage to the keyed request as well.
    mutating func note(_ added: AddedFields) {
        guard var keyed = keyedRequest else { return }
        added.add(to: &keyed)
        keyedRequest = keyed
    }

    /// Adds a header of one of Catena's own stages to both requests.
    mutating func add(_ value: String, for header: String) {
        prepared.headers[header] = value
        keyedRequest?.headers[header] = value
    }

    /// Records whether the request that is sent, with its cookies, matches the keyed request.
    func noteSending(_ request: HTTPRequest) {
        guard let keyed = keyedRequest else { return }
        let rules = keyRules
        // The requests are mostly equal, which is cheaper to check than their keys.
        let isSame =
            request == keyed
            || RequestKey.sharing(request.withComparableBody, tag: nil, identity: nil, rules: rules)
                == RequestKey.sharing(keyed.withComparableBody, tag: nil, identity: nil, rules: rules)
        run.history.note(isSame ? .same : .different)
    }
}

extension Call {
    /// The rules by which keys compare the requests of this call.
    ///
    /// A param or an idempotency key that the call itself sets counts, because a call with another value asks for something else. Names that the app has
    /// added to the usual ones are left out of any call.
    var keyRules: RequestKeyRules {
        var rules = configuration.requestKeyRules
        if prepared.address.query != nil {
            for name in RequestKeyRules.usualParams where run.request.ownParam(name) != nil { rules.volatileParams.remove(name) }
        }
        let isOwnKey = configuration.idempotencyKey?.text != nil || run.request.headerChanges.set.contains(IdempotencyKey.header)
        if isOwnKey { rules.volatileHeaders.remove(IdempotencyKey.header.lowercased()) }
        return rules
    }
}

extension Call {
    /// Reports params and headers of common closures and interceptors that differ with each call, so that nothing is found under its key.
    func noteUnfound(_ key: RequestKey) {
        let settings = run.snapshot.settings
        guard settings.commonParams != nil || settings.commonHeaders != nil || !run.interceptors.isEmpty else { return }
        let (rules, own) = (keyRules, run.request.headerChanges)
        let headers = prepared.headers.fields.filter { field in
            !rules.volatileHeaders.contains(field.name.lowercased()) && !own.set.contains(field.name) && !own.added.contains(field.name)
        }
        let (params, place) = addedParams(rules) ?? ([], key.place)
        let fields = run.tagState.changingFields
        let changing = (params: fields.note(params, of: "?\(place)"), headers: fields.note(headers.map { ($0.name, $0.value) }, of: place))
        if !changing.params.isEmpty || !changing.headers.isEmpty { client.report(.changing(changing.params, changing.headers), in: run) }
    }

    /// Returns the params that are not the call's own and not volatile, and the place of the call without them. Returns `nil` if there are none.
    private func addedParams(_ rules: RequestKeyRules) -> (params: [(name: String, value: String)], place: String)? {
        guard let query = prepared.address.query, run.snapshot.settings.commonParams != nil || query != assembled.address.query,
            let own = try? RequestAssembly.ownAddress(of: run)
        else { return nil }
        let ownPairs = Set((own.query ?? "").split(separator: "&"))
        let params = query.split(separator: "&").filter { !ownPairs.contains($0) }
            .map { (name: PercentDecoding.decode($0.prefix { $0 != "=" }, plusIsSpace: true), value: String($0)) }
            .filter { !rules.volatileParams.contains($0.name) }
        return params.isEmpty ? nil : (params, RequestKey.place(own, rules))
    }
}

extension HTTPRequest {
    /// Returns this request with the changes by which `changed` differs from `original`.
    func reapplyingChanges(from original: HTTPRequest, to changed: HTTPRequest) -> HTTPRequest {
        var request = self
        if changed.method != original.method { request.method = changed.method }
        if changed.address != original.address { request.address.change(as: changed.address, was: original.address) }
        if changed.body != original.body || changed.bodySource != original.bodySource {
            request.body = changed.body
            request.bodySource = changed.bodySource
        }
        request.headers.change(as: changed.headers, was: original.headers)
        return request
    }
}

// If an interceptor changes the origin, the request loses what is bound to the backend, as after a cross-origin redirect.
extension Call {
    /// Whether an interceptor has changed the origin of the request.
    var hasMoved: Bool { hasBeenIntercepted && prepared.address.origin != assembled.address.origin }

    /// Whether an interceptor has moved the call to another origin, which must receive neither credential nor signature.
    var isForAnother: Bool { hasMoved && !run.isSignInAskedFor }

    /// Returns a moved call without the additions of the tag, the common closures and the sign-in. Headers that the call itself or an
    /// interceptor has set stay, as they do for another host.
    func withoutWhatStays() -> Call {
        guard hasMoved else { return self }
        var call = self
        if isForAnother {
            credential?.remove(from: &call.prepared)
            if let signature {
                signature.remove(from: &call.prepared)
                if call.prepared.body == signature.after.body { call.prepared.body = signature.before.body }
            }
        }
        if let trace, call.prepared.headers[TraceContext.header] == trace { call.prepared.headers.remove(TraceContext.header) }
        guard run.configuration.commonHeaders != .merged else { return call }
        let own = Set(run.request.ownHeaders.names.map { $0.lowercased() })
        for name in Set(assembled.headers.fields.map { $0.name.lowercased() }).subtracting(own) {
            if HeaderRules.portable.contains(name) || name.hasPrefix("content-") || sameHeaderName(name, IdempotencyKey.header) {
                continue
            }
            if call.prepared.headers.values(for: name) == assembled.headers.values(for: name) { call.prepared.headers.remove(name) }
        }
        return call
    }
}
