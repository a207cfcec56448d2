/// Adds the credential to each attempt, and sends once more after it has been refreshed.
struct AuthenticationStage: Stage {
    let authentication: any RequestAuthentication

    var name: StageName { .authentication }
    var explanation: String { "sign-in" }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        let context = call.execution.authenticationContext
        let (authenticated, pass) = try await call.authenticated(by: authentication, context)
        do {
            return try await next(authenticated)
        } catch let refusal as APIError {
            // A redirect may have led to somebody who was not shown the credential.
            if let answerer = refusal.origin, let sent = call.execution.log.request, answerer != sent.address.origin { throw refusal }
            guard try await authentication.recover(from: refusal, pass, context) else { throw refusal }
            try Task.checkCancellation()
            guard call.prepared.isReplayable else {
                throw APIError.invalid("body", "it cannot be sent a second time after the credential was refreshed", underlying: refusal)
            }
        }
        // Common closures may have something to say about the new credential, and nothing is sent a third time.
        let (again, _) = try await call.next().authenticated(by: authentication, context)
        return try await next(again)
    }
}

extension Call {
    /// The call with the credential in its request; what the call itself says about its headers goes before.
    func authenticated(
        by authentication: any RequestAuthentication,
        _ context: AuthenticationContext
    ) async throws -> (Call, AuthenticationPass) {
        var call = self
        let pass = try await authentication.authenticate(&call.prepared, context)
        let own = execution.request.ownHeaders
        for name in own.set.fields.map(\.name) + own.added.fields.map(\.name) + own.removed {
            let values = prepared.headers.values(for: name)
            if values != call.prepared.headers.values(for: name) { call.prepared.headers.replace(name, with: values) }
        }
        return (call, pass)
    }
}

extension Execution {
    /// The sign-in of the call's tag, unless the call goes without.
    var authentication: (any RequestAuthentication)? {
        // A credential is for the backend that it was got from.
        guard let authentication = profile.authentication, request.options.isAuthenticated != false,
            destination.takesCredentials(isAskedFor: isSignInAskedFor)
        else { return nil }
        return authentication
    }

    /// What tells the user of this call from others.
    func identity() throws -> String? { try authentication?.identity() }

    var authenticationContext: AuthenticationContext {
        AuthenticationContext(clock: client.clock) { [client] error in
            client.diagnostics.report(.credentialStore, "The new credential could not be stored: \(APIError.wrapping(error)).")
        }
    }
}
