/// Adds the credential to each attempt, and sends the request again after the credential has been refreshed.
struct AuthenticationStage: Stage {
    let authentication: any CallAuthentication

    var name: StageName { .authentication }
    var explanation: String { "sign-in" }

    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        if call.isForAnother { return try await next(call) }
        let context = try call.authenticationContext
        let authenticated = try await call.authenticated(by: authentication, context)
        do {
            return try await next(authenticated)
        } catch let refusal as APIError {
            guard let pass = authenticated.pass, authenticated.wasShownCredential(by: refusal),
                try await call.wait(for: { try await authentication.recover(from: refusal, pass, context) })
            else { throw refusal }
            let isAsked = authentication.isPerRequest
            call.run.inspected?.decided(
                "authentication",
                isAsked
                    ? "the server asks for a digest: the call is sent again"
                    : "the credential was refused and has been refreshed: the call is sent again")
            try call.throwIfStopped()
            guard call.prepared.isReplayable else {
                let reason = isAsked ? "with the digest that the server asks for" : "after the credential was refreshed"
                throw APIError.invalid("body", "it cannot be sent a second time \(reason)", underlying: refusal)
            }
        }
        return try await runAgain(call.withoutCredential.next(), context, next)
    }

    /// Sends the call a second time, after the common closures have run again. Sends it a third time only if the credential came from another
    /// machine and may be as old as the refused one.
    private func runAgain(_ call: Call, isLast: Bool = false, _ context: AuthenticationContext, _ next: Next) async throws -> HTTPResponse {
        let again = try await call.authenticated(by: authentication, context)
        do {
            return try await next(again)
        } catch let refusal as APIError {
            guard let renewed = again.pass, again.wasShownCredential(by: refusal), again.hasCredential else { throw refusal }
            guard !isLast, authentication.hasTakenOver(renewed),
                try await call.wait(for: { try await authentication.recover(from: refusal, renewed, context) })
            else {
                authentication.noteSecondFailure(refusal, renewed, context)
                throw refusal
            }
        }
        try call.throwIfStopped()
        return try await runAgain(call.next(), isLast: true, context, next)
    }
}

extension Call {
    /// The context in which the sign-in authenticates the call.
    var authenticationContext: AuthenticationContext {
        get throws {
            AuthenticationContext(
                clock: client.clock, caller: try run.identity(),
                route: "\(prepared.method) \(prepared.address.origin)\(prepared.address.path)", tokens: tokens,
                outageHandler: client.diagnostics.outageHandler
            ) { [client] error in
                client.diagnostics.report(.credentialStore, "The new credential could not be stored: \(APIError.wrapping(error)).")
            }
        }
    }

    /// Returns the call with the credential in its request, for which it waits if necessary. Headers that the call itself sets take precedence.
    func authenticated(by authentication: any CallAuthentication, _ context: AuthenticationContext) async throws -> Call {
        while true {
            var request = prepared
            if let pass = try authentication.authenticate(&request, context) { return authenticated(request, pass, context) }
            // A sign-out or another refresh during the wait takes the credential away again.
            try throwIfStopped()
            try await wait { try await authentication.awaitCredential(context) }
        }
    }

    /// The call before its credential was added, ready for another credential.
    fileprivate var withoutCredential: Call {
        guard let credential, pass != nil else { return self }
        var call = self
        call.prepared = credential.before
        (call.credential, call.pass, call.sender) = (nil, nil, nil)
        return call
    }

    /// Whether the attempt is sent with a credential.
    fileprivate var hasCredential: Bool { credential?.isEmpty == false || profile.authentication?.isPerRequest == true }

    /// Adds the credential that depends on the finished request, such as a digest of its address.
    func finish(_ request: inout HTTPRequest) {
        guard let pass, let authentication = profile.authentication, authentication.isPerRequest, !isForAnother else { return }
        authentication.finish(&request, pass)
    }

    /// Reads what a response says about the credential of the next requests.
    func noteAuthentication(_ response: HTTPResponse, to request: HTTPRequest) {
        guard pass != nil, let authentication = profile.authentication, authentication.isPerRequest else { return }
        authentication.note(response.headers, to: request)
    }

    private func authenticated(_ request: HTTPRequest, _ pass: AuthenticationPass, _ context: AuthenticationContext) -> Call {
        var call = self
        call.prepared = request
        for name in run.request.ownHeaders.names {
            let values = prepared.headers.values(for: name)
            if values != call.prepared.headers.values(for: name) { call.prepared.headers.replace(name, with: values) }
        }
        let credential = AddedFields(before: prepared, after: call.prepared)
        call.credential = credential
        call.pass = pass
        call.note(credential)
        call.sender = pass.caller
        run.history.note(sender: pass.caller)
        // The header is a position in a stream of another token's events.
        if let header = run.request.resumingHeader, pass.caller.token != context.caller?.token {
            call.prepared.headers.remove(header)
        }
        // A response may be cached and shared under an identity only if it was requested with the credential of that identity.
        if pass.caller.key != context.caller?.key { run.history.note(.different) }
        return call
    }

    /// Returns whether a refusal is about the credential of this call, which may then be sent again.
    ///
    /// A redirect or an interceptor may have led to another origin, which did not receive the credential. A 401 is about `Authorization`
    /// (RFC 9110 §15.5.2). If the call itself or an interceptor has set that header, another credential does not help.
    fileprivate func wasShownCredential(by refusal: APIError) -> Bool {
        if isDone(before: refusal) { return false }
        guard let sent = run.history.request(of: self) else { return true }
        if let answerer = refusal.contents.origin, answerer != sent.address.origin { return false }
        if sent.address.origin != assembled.address.origin, !run.isSignInAskedFor { return false }
        let name = "Authorization"
        if run.request.ownHeaders.names.contains(where: { sameHeaderName($0, name) }) { return false }
        guard let credential, credential.changes(name) else { return true }
        return sent.headers.values(for: name) == credential.after.headers.values(for: name)
    }
}

extension HeaderChanges {
    /// The names of all headers that are set, added or removed.
    var names: [String] { self.set.fields.map(\.name) + added.fields.map(\.name) + removed }
}

extension CallRun {
    /// Returns the part of cache and sharing keys that identifies the user of this call and the key with which it is signed.
    ///
    /// - Parameter sender: The identity under which the call was sent, if it differs from that of the call.
    func keyIdentity(of sender: CallIdentity? = nil) throws -> String? {
        let user = authentication == nil ? nil : try (sender ?? identity()).key
        guard let key = (signer as? any OwnSigner)?.keyIdentity else { return user }
        // Neither can be mistaken for the other, because a digest always has the same length.
        return "key \(MessageDigest.sha256(key).hex) \(user ?? "")"
    }
}
