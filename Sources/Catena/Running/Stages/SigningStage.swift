/// Signs each attempt, after everything else has been merged.
struct SigningStage: Stage {
    let signer: any RequestSigner

    var name: StageName { .signing }
    var explanation: String { "signature: \(type(of: signer))" }

    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        if call.isForAnother { return try await next(call) }
        return try await next(try await call.signed(by: signer))
    }
}

extension Call {
    /// The params to sign: those of the call with all changes to the query since the request was assembled, by sign-in or interceptors.
    private var signedParams: Params {
        guard prepared.address.query != assembled.address.query else { return params }
        let former = (assembled.address.query ?? "").split(separator: "&")
        let present = (prepared.address.query ?? "").split(separator: "&")
        // A name may occur several times. That of an array or object has brackets in the query, and all of its pairs belong together.
        let differing = Params(query: former.filter { !present.contains($0) } + present.filter { !former.contains($0) })
        let changed = Set(differing.keys.map(Self.outer))
        var params = params
        for name in params.keys where changed.contains(Self.outer(name)) { params.remove(name) }
        return params.merging(Params(query: present) { changed.contains(Self.outer($0)) })
    }

    /// Returns the name without brackets.
    private static func outer(_ name: String) -> String { String(name.prefix { $0 != "[" }) }

    func signed(by signer: any RequestSigner) async throws -> Call {
        let params = signedParams
        let own = signer as? any OwnSigner
        let request: HTTPRequest
        var time = closureTime
        do {
            if let own {
                request = try own.signed(prepared, params)
            } else {
                request = try await run.wait(for: "the signer", until: stopper, adding: &time) { [run, prepared] in
                    try await run.run(.signer(ObjectIdentifier(type(of: signer)))) {
                        var request = prepared
                        try await signer.sign(&request, params: params)
                        return request
                    }
                }
            }
        } catch {
            if error.isCancellation { try throwIfStopped() }
            throw APIError.failure(of: "signer", error)
        }
        var call = try signed(request)
        if time > .zero { call.closureTime = time }
        // Additions of other signers may concern this call only, so the keyed request does not receive them.
        if own != nil, let signature = call.signature { call.note(signature) }
        return call
    }

    private func signed(_ request: HTTPRequest) throws -> Call {
        var call = self
        let signature = AddedFields(before: prepared, after: request)
        if pass?.caller.isSignedIn == true, profile.authentication?.isPerRequest == true, signature.changes("Authorization") {
            throw APIError.invalid(
                "signer",
                "the signature goes to the header Authorization, and so does the answer of authentication = .digest(…); use one of them")
        }
        call.signature = signature
        call.prepared = request
        call.hasBeenIntercepted = true
        return call
    }
}

extension OwnSigner {
    /// Returns the signed request. A synchronous function, in which the compiler chooses the synchronous `sign`.
    fileprivate func signed(_ request: HTTPRequest, _ params: Params) throws -> HTTPRequest {
        var request = request
        try sign(&request, params: params)
        return request
    }
}
