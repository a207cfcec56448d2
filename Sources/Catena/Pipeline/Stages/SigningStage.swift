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
        if let signer = signer as? any OwnSigner { return try signed(byOwn: signer) }
        var request = prepared
        do {
            try await signer.sign(&request, params: signedParams)
        } catch {
            throw Call.failure(of: "signer", error)
        }
        return try signed(request)
    }

    /// Signs with a signer of Catena, whose additions the keyed request receives too. Additions of other signers may concern this call only.
    fileprivate func signed(byOwn signer: any OwnSigner) throws -> Call {
        var request = prepared
        do {
            try signer.sign(&request, params: signedParams)
        } catch {
            throw Call.failure(of: "signer", error)
        }
        var call = try signed(request)
        if let signature = call.signature { call.note(signature) }
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
