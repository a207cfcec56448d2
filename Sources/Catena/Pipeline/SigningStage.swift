/// Signs each attempt, after everything else has been merged.
struct SigningStage: Stage {
    let signer: any RequestSigner

    var name: StageName { .signing }
    var explanation: String { "signature: \(type(of: signer))" }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        // An interceptor has moved the call to somebody who has no business with the signature.
        if call.hasMoved, !call.execution.isSignInAskedFor { return try await next(call) }
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
        var call = self
        do {
            try await signer.sign(&call.prepared, params: signedParams)
        } catch {
            throw Call.failure(of: "signer", error)
        }
        let signature = AddedFields(before: prepared, after: call.prepared)
        call.signature = signature
        // What others put in is theirs, and may be about this one call.
        if signer is any OwnSigner { call.note(signature) }
        return call.noting(hasBeenIntercepted: true)
    }
}
