/// Adds the credential to each attempt, and sends once more after it has been refreshed.
struct AuthenticationStage: Stage {
    let authentication: any CallAuthentication

    var name: StageName { .authentication }
    var explanation: String { "sign-in" }

    func enter(_ call: inout Call) throws -> StageEntry {
        if call.isForAnother { return .passed }
        guard let authenticated = try call.authenticatedAtOnce(by: authentication, call.authenticationContext) else { return .waits }
        call = authenticated
        return .passed
    }

    func handles(_ error: any Error, of call: Call) -> Bool { call.pass != nil && (error as? APIError)?.status != nil }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        if call.isForAnother { return try await next(call) }
        let context = try call.authenticationContext
        let authenticated = hasEntered ? call : try await call.authenticated(by: authentication, context)
        do {
            return try await next(authenticated)
        } catch let refusal as APIError {
            guard let pass = authenticated.pass, authenticated.wasShownCredential(by: refusal),
                try await authentication.recover(from: refusal, pass, context)
            else { throw refusal }
            call.execution.trace?.decided("authentication", "the credential was refused and has been refreshed: the call is sent again")
            try Task.checkCancellation()
            guard call.prepared.isReplayable else {
                throw APIError.invalid("body", "it cannot be sent a second time after the credential was refreshed", underlying: refusal)
            }
        }
        return try await runAgain(call.withoutCredential.next(), context, next)
    }

    /// Common closures may have something to say about the new credential, and nothing is sent a third time: but with what another machine had got,
    /// which may be as old as what was refused first.
    private func runAgain(_ call: Call, isLast: Bool = false, _ context: AuthenticationContext, _ next: Next) async throws -> HTTPResponse {
        let again = try await call.authenticated(by: authentication, context)
        do {
            return try await next(again)
        } catch let refusal as APIError {
            guard let renewed = again.pass, again.wasShownCredential(by: refusal), again.credential?.isEmpty == false else { throw refusal }
            guard !isLast, authentication.hasTakenOver(renewed), try await authentication.recover(from: refusal, renewed, context) else {
                authentication.noteSecondFailure(refusal, renewed, context)
                throw refusal
            }
        }
        try Task.checkCancellation()
        return try await runAgain(call.next(), isLast: true, context, next)
    }
}

extension Call {
    /// What the sign-in has to know of the call.
    var authenticationContext: AuthenticationContext {
        get throws {
            AuthenticationContext(
                clock: client.clock, caller: try execution.identity(),
                route: "\(prepared.method) \(prepared.address.origin)\(prepared.address.path)", tokens: tokens,
                watch: client.diagnostics.sharedWatch
            ) { [client] error in
                client.diagnostics.report(.credentialStore, "The new credential could not be stored: \(APIError.wrapping(error)).")
            }
        }
    }

    /// The call with the credential in its request; what the call itself says about its headers goes before.
    func authenticated(
        by authentication: any CallAuthentication,
        _ context: AuthenticationContext
    ) async throws -> Call {
        var request = prepared
        let pass = try await authentication.authenticate(&request, context)
        return authenticated(request, pass, context)
    }

    /// The same where the credential need not be waited for; `nil` where it has to be.
    func authenticatedAtOnce(
        by authentication: any CallAuthentication,
        _ context: AuthenticationContext
    ) throws -> Call? {
        var request = prepared
        guard let pass = try authentication.authenticateAtOnce(&request, context) else { return nil }
        return authenticated(request, pass, context)
    }

    /// The call as it was before it had a credential, for another one.
    fileprivate var withoutCredential: Call {
        guard let credential, pass != nil else { return self }
        var call = self
        call.prepared = credential.before
        (call.credential, call.pass, call.sender) = (nil, nil, nil)
        return call
    }

    /// Whether an interceptor has moved the call to somebody else, who sees neither credential nor signature.
    var isForAnother: Bool { hasMoved && !execution.isSignInAskedFor }

    private func authenticated(_ request: HTTPRequest, _ pass: AuthenticationPass, _ context: AuthenticationContext) -> Call {
        var call = self
        call.prepared = request
        for name in execution.request.ownHeaders.names {
            let values = prepared.headers.values(for: name)
            if values != call.prepared.headers.values(for: name) { call.prepared.headers.replace(name, with: values) }
        }
        let credential = AddedFields(before: prepared, after: call.prepared)
        call.credential = credential
        call.pass = pass
        call.note(credential)
        call.sender = pass.caller
        execution.log.note(sender: pass.caller)
        // The place in a stream to which another token's events had come.
        if let header = execution.request.resumingHeader, pass.caller.token != context.caller?.token {
            call.prepared.headers.remove(header)
        }
        // What is kept or shared under a name is what was sent with that name's credential.
        if pass.caller.key != context.caller?.key { execution.log.note(.different) }
        return call
    }

    /// Whether a refusal is about the credential that this call was given.
    ///
    /// A redirect, or an interceptor, may have led to somebody who was not shown it. And a 401 is about `Authorization` (RFC 9110 §15.5.2): one of the call's own,
    /// or of an interceptor's, is not made better by another credential.
    fileprivate func wasShownCredential(by refusal: APIError) -> Bool {
        guard let sent = execution.log.request(of: self) else { return true }
        if let answerer = refusal.origin, answerer != sent.address.origin { return false }
        if sent.address.origin != assembled.address.origin, !execution.isSignInAskedFor { return false }
        let name = "Authorization"
        if execution.request.ownHeaders.names.contains(where: { sameHeaderName($0, name) }) { return false }
        guard let credential, credential.changes(name) else { return true }
        return sent.headers.values(for: name) == credential.after.headers.values(for: name)
    }
}

extension HeaderChanges {
    /// The names of all headers about which something is said.
    var names: [String] { self.set.fields.map(\.name) + added.fields.map(\.name) + removed }
}

extension Execution {
    /// What stands for the user of this call, and for the key that it is signed with, in keys of what is kept and shared.
    ///
    /// - Parameter sender: In whose name it goes out, if that is known better than from the call.
    func keyIdentity(of sender: CallIdentity? = nil) throws -> String? {
        let user = authentication == nil ? nil : try (sender ?? identity()).key
        guard let key = (signer as? any OwnSigner)?.keyIdentity else { return user }
        // Neither can pass for the other: a digest always has the same length.
        return "key \(MessageDigest.sha256(key).hex) \(user ?? "")"
    }
}
