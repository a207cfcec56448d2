/// Signs each attempt, after everything else has been merged.
struct SigningStage: Stage {
    let signer: any RequestSigner

    var name: StageName { .signing }
    var explanation: String { "signature: \(type(of: signer))" }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        try await next(try await call.signed(by: signer))
    }
}

extension Call {
    /// The params, with what has come into the query since the request was made: by the sign-in, by an interceptor.
    private var signedParams: Params {
        guard let query = prepared.address.query, query != assembled.address.query else { return params }
        let known = Set((assembled.address.query ?? "").split(separator: "&"))
        return params.merging(Params(query: query.split(separator: "&").filter { !known.contains($0) }))
    }

    func signed(by signer: any RequestSigner) async throws -> Call {
        var call = self
        do {
            try await signer.sign(&call.prepared, params: signedParams)
        } catch {
            throw Call.failure(of: "signer", error)
        }
        return call.noting(hasBeenIntercepted: true)
    }
}
