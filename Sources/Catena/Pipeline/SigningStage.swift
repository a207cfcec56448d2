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
    func signed(by signer: any RequestSigner) async throws -> Call {
        var call = self
        do {
            try await signer.sign(&call.prepared, params: params)
        } catch {
            throw Call.failure(of: "signer", error)
        }
        return call.noting(hasBeenIntercepted: true)
    }
}
