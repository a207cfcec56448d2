extension Execution {
    /// The request as it would go out, with the credential that there is.
    func preview() async throws -> HTTPRequest {
        var call = try await Call.prepare(self)
        if let authentication {
            var context = try call.authenticationContext
            context.mayRefresh = false
            (call, _) = try await call.authenticated(by: authentication, context)
        }
        if let signer { call = try await call.signed(by: signer) }
        return call.prepared.adding(profile.cookieJar)
    }

    /// The stages that the call would pass.
    var explanation: String {
        var lines = ["tag: \(request.tag?.name ?? "none")"]
        if let deadline = settings.deadline { lines.append("deadline: \(deadline)") }
        if !request.options.before.isEmpty { lines.append("before: \(request.options.before.count)") }
        let withheld = withheld
        if !withheld.isEmpty { lines.append("goes to another origin than its tag's host, so without " + withheld.joined(separator: ", ")) }
        let sources = [
            snapshot.settings.commonParams == nil || withheld.contains("common params") ? nil : "params",
            snapshot.settings.commonHeaders == nil || withheld.contains("common headers") ? nil : "headers",
        ].compactMap { $0 }
        if !sources.isEmpty { lines.append("common: " + sources.joined(separator: ", ") + ", for every attempt") }
        lines += Stages.all(for: self, bringing: WholeAnswer(needsPayload: false)).map(\.explanation)
        lines.append("timeout: \(settings.timeout) for each attempt")
        lines.append("redirects: up to \(profile.redirectLimit)")
        lines.append("body limit: \(profile.bodyLimit) bytes")
        lines.append("transport: \(type(of: client.transport))")
        return lines.enumerated().map { "\($0.offset + 1). \($0.element)" }.joined(separator: "\n")
    }
}
