/// Signs each attempt, after everything else has been merged.
struct SigningStage: Stage {
    let signer: any RequestSigner

    var name: StageName { .signing }
    var explanation: String { "signature: \(type(of: signer))" }

    func enter(_ call: inout Call) throws -> StageEntry {
        if call.isForAnother { return .passed }
        guard let signer = signer as? any OwnSigner else { return .waits }
        call = try call.signed(byOwn: signer)
        return .passed
    }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        if hasEntered || call.isForAnother { return try await next(call) }
        return try await next(try await call.signed(by: signer))
    }
}

extension Call {
    /// The params, with what has come into the query since the request was made and without what has gone: by the sign-in, by an interceptor.
    private var signedParams: Params {
        guard prepared.address.query != assembled.address.query else { return params }
        let former = (assembled.address.query ?? "").split(separator: "&")
        let present = (prepared.address.query ?? "").split(separator: "&")
        // A name may come several times, and an array's name has its brackets there.
        let changed = Set(Params(query: former.filter { !present.contains($0) } + present.filter { !former.contains($0) }).keys)
        var params = params
        for name in changed {
            params.remove(name)
            params.remove(String(name.prefix { $0 != "[" }))
        }
        return params.merging(Params(query: present) { changed.contains($0) })
    }

    func signed(by signer: any RequestSigner) async throws -> Call {
        if let signer = signer as? any OwnSigner { return try signed(byOwn: signer) }
        var request = prepared
        do {
            try await signer.sign(&request, params: signedParams)
        } catch {
            throw Call.failure(of: "signer", error)
        }
        return signed(request)
    }

    /// The call with a signature of Catena's own, of which the request for keys gets its copy: what others put in may be about this one call.
    fileprivate func signed(byOwn signer: any OwnSigner) throws -> Call {
        var request = prepared
        do {
            try signer.sign(&request, params: signedParams)
        } catch {
            throw Call.failure(of: "signer", error)
        }
        var call = signed(request)
        if let signature = call.signature { call.note(signature) }
        return call
    }

    private func signed(_ request: HTTPRequest) -> Call {
        var call = self
        call.signature = AddedFields(before: prepared, after: request)
        call.prepared = request
        call.hasBeenIntercepted = true
        return call
    }
}
