extension CallRun {
    /// The address of the backend: the configured one or, with a provider, the one that it returned when the call began.
    var backendAddress: Result<HTTPAddress, HTTPAddress.Fault>? {
        if asksForHost { return hostFromProvider.withLock { $0 } }
        return isWithinClosure && isWithinProvider ? profile.addressBesideProvider : profile.address
    }

    var asksForHost: Bool { (request.location.hostKey != nil || profile.hasHostProvider) && !isWithinProvider }

    private var hostProvider: (any HostProvider)? { profile.hostProvider ?? profile.fallbackProvider }

    /// Whether the call began in the provider that it would ask.
    private var isWithinProvider: Bool {
        guard isWithinClosure, let hostProvider else { return false }
        return isWithin(.host(ObjectIdentifier(type(of: hostProvider))))
    }

    /// Whether the call has to ask a provider, because it has no host or has an absolute URL to compare with the host.
    var waitsForHost: Bool { asksForHost && (request.location.host == nil || request.location.absolute != nil) }

    /// Asks the provider for the host.
    ///
    /// - Returns: The time that it has taken, which is part of the first attempt.
    func findHost() async throws -> Duration {
        let key = HostKey(
            request.location.hostKey ?? request.tag?.name ?? "default", tag: request.tag, environment: snapshot.settings.environment)
        guard let provider = hostProvider else {
            throw APIError.invalid("hostKey", "there is no host provider to ask for the key \(key)")
        }
        var time = Duration.zero
        let text: String
        do {
            text = try await wait(for: "the host provider", adding: &time) { [self] in
                try await run(.host(ObjectIdentifier(type(of: provider)))) { try await provider.host(for: key) }
            }
        } catch {
            if stopper.isStopped { throw CancellationError() }
            guard request.location.absolute != nil else { throw APIError.failure(of: "host", error) }
            // A call with an absolute URL can be sent without the host. Its URL is then foreign, so that the backend's secrets are not sent.
            hostFromProvider.withLock { $0 = .failure(HTTPAddress.Fault(reason: "the provider does not know it")) }
            return time
        }
        let address = Profile.parse(text)?.mapError { fault in
            HTTPAddress.Fault(reason: "what the provider says for the key \(key) is not an address: \(fault.reason)")
        }
        hostFromProvider.withLock { $0 = address }
        return time
    }
}
