/// The destination of a call relative to its tag. Values of the tag and of the common closures are bound to the origin of the tag's host.
enum Destination {
    /// The backend itself.
    case home
    /// A host set by the call, of another origin. The call may opt in to the tag's values.
    case otherHost
    /// An absolute URL of another origin.
    case otherAddress
    /// An absolute URL that cannot be compared, because the tag has no host.
    case unknown

    /// Returns whether params, headers and signatures of the tag are sent to this destination.
    ///
    /// - Parameter isAskedFor: Whether the call itself opts in.
    func takesCommon(isAskedFor: @autoclosure () -> Bool = false) -> Bool {
        switch self {
        case .home, .unknown: true
        case .otherHost: isAskedFor()
        case .otherAddress: false
        }
    }

    /// Returns whether credentials are sent to this destination.
    func takesCredentials(isAskedFor: Bool) -> Bool {
        self == .home || (self == .otherHost && isAskedFor)
    }
}

extension CallRun {
    /// The host to which the paths of the call belong: the call's own, or that of its tag; `nil` if there is none.
    var ownHome: Result<HTTPAddress, HTTPAddress.Fault>? { Profile.parse(request.location.host) ?? backendAddress }

    var destination: Destination {
        if let absolute = request.location.absolute {
            let home = request.location.isHostOfRule ? Profile.parse(request.location.host) ?? backendAddress : backendAddress
            guard let home else { return .unknown }
            return isOrigin(of: home, absolute) ? .home : .otherAddress
        }
        // A host set by a rule is the host of the backend.
        guard let host = request.location.host, !request.location.isHostOfRule else { return .home }
        // Without a host of the tag, the call's host is the backend's. With a provider it is foreign, because such a call asks no provider.
        guard let home = backendAddress, !profile.hasPlaceholderHost else { return profile.hasHostProvider ? .otherHost : .home }
        return isOrigin(of: home, host) ? .home : .otherHost
    }

    /// - Parameter text: An address whose path may contain names that are not filled yet.
    private func isOrigin(of home: Result<HTTPAddress, HTTPAddress.Fault>, _ text: String) -> Bool {
        guard case .success(let home) = home else { return false }
        let origin = text.firstRange(of: "://").map {
            text[..<(text[$0.upperBound...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex)]
        }
        return (try? HTTPAddress(parsing: String(origin ?? text[...])))?.origin == home.origin
    }

    /// Whether the call includes the common params and those of the profile.
    var takesCommonParams: Bool {
        configuration.commonParams != .none
            && destination.takesCommon(isAskedFor: request.options[\.commonParams] != nil)
    }

    /// Whether the call includes the common headers and those of the profile. They carry credentials, which are bound to an origin.
    var takesCommonHeaders: Bool { destination.takesCommon(isAskedFor: configuration.commonHeaders == .merged) }

    /// The names of the parts that the call omits because its destination is not the host of its tag.
    var omittedForOrigin: [String] {
        guard destination != .home else { return [] }
        let hasParams = snapshot.settings.commonParams != nil || !profile.params.isEmpty
        let hasHeaders =
            snapshot.settings.commonHeaders != nil
            || profile.headers.fields.contains { !HeaderRules.portable.contains($0.name.lowercased()) }
        let isLeftOut: [(name: String, isLeftOut: Bool)] = [
            ("common params", hasParams && configuration.commonParams != .none && !takesCommonParams),
            ("common headers", hasHeaders && configuration.commonHeaders != CommonHeaders.none && !takesCommonHeaders),
            ("credential", profile.authentication != nil && configuration.isAuthenticated && authentication == nil),
            ("signature", profile.signer != nil && signer == nil),
        ]
        return isLeftOut.filter(\.isLeftOut).map(\.name)
    }

    /// The signer of the call's requests, or `nil` if they are not signed.
    var signer: (any RequestSigner)? {
        guard profile.hasSigner, let signer = profile.signer, destination.takesCommon(isAskedFor: isSignInAskedFor),
            !isWithin(.signer(ObjectIdentifier(type(of: signer))))
        else { return nil }
        return signer
    }

    /// The sign-in of the call's tag, or `nil` if the call is sent without a credential.
    var authentication: (any CallAuthentication)? {
        // A credential is sent only to the backend that issued it.
        guard profile.hasAuthentication, let authentication = profile.authentication, configuration.isAuthenticated,
            destination.takesCredentials(isAskedFor: isSignInAskedFor)
        else { return nil }
        return authentication
    }
}

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
