/// Where a call goes, seen from its tag: what the tag and the common closures give is bound to the origin of the tag's host.
enum Destination {
    /// The backend itself.
    case home
    /// A host of the call's own, of another origin. The call may say that what it gets otherwise goes there nevertheless.
    case otherHost
    /// A whole address of another origin.
    case otherAddress
    /// A whole address, and the tag has no host to compare it with.
    case unknown

    /// Whether params, headers and signatures of the tag go there.
    ///
    /// - Parameter isAskedFor: Whether the call itself says that they do.
    func takesCommon(isAskedFor: Bool = false) -> Bool {
        switch self {
        case .home, .unknown: true
        case .otherHost: isAskedFor
        case .otherAddress: false
        }
    }

    /// Whether credentials go there.
    func takesCredentials(isAskedFor: Bool) -> Bool {
        self == .home || (self == .otherHost && isAskedFor)
    }
}

extension Execution {
    var destination: Destination {
        if let absolute = request.location.absolute {
            let home = request.location.isHostOfRule ? Profile.parse(request.location.host) ?? backendAddress : backendAddress
            guard let home else { return .unknown }
            return isOrigin(of: home, absolute) ? .home : .otherAddress
        }
        // A host from a rule is where the backend is.
        guard let host = request.location.host, !request.location.isHostOfRule else { return .home }
        // Where there is no other one, the call's host is the backend's; a provider is not asked where it would be.
        guard let home = backendAddress, !profile.hasPlaceholderHost else { return profile.hasHostProvider ? .otherHost : .home }
        return isOrigin(of: home, host) ? .home : .otherHost
    }

    /// - Parameter text: An address, perhaps with names in its path that are not filled yet.
    private func isOrigin(of home: Result<HTTPAddress, HTTPAddress.Fault>, _ text: String) -> Bool {
        guard case .success(let home) = home else { return false }
        let origin = text.firstRange(of: "://").map {
            text[..<(text[$0.upperBound...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex)]
        }
        return (try? HTTPAddress(parsing: String(origin ?? text[...])))?.origin == home.origin
    }

    /// Whether the common params, and those of the profile, are part of the call.
    var takesCommonParams: Bool {
        settings.commonParams != .none
            && destination.takesCommon(isAskedFor: request.options.commonParams != nil)
    }

    /// Whether the common headers, and those of the profile, go there: they carry credentials, which are bound to the origin that
    /// they were made for.
    var takesCommonHeaders: Bool { destination.takesCommon(isAskedFor: request.options.commonHeaders == .merged) }

    /// What the call would have, went it to the host of its tag.
    var omittedForOrigin: [String] {
        guard destination != .home else { return [] }
        let options = request.options
        let hasParams = snapshot.settings.commonParams != nil || !profile.params.isEmpty
        let hasHeaders =
            snapshot.settings.commonHeaders != nil
            || profile.headers.fields.contains { !HeaderRules.portable.contains($0.name.lowercased()) }
        let isLeftOut: [(name: String, isLeftOut: Bool)] = [
            ("common params", hasParams && settings.commonParams != .none && !takesCommonParams),
            ("common headers", hasHeaders && options.commonHeaders != CommonHeaders.none && !takesCommonHeaders),
            ("credential", profile.authentication != nil && options.isAuthenticated != false && authentication == nil),
            ("signature", profile.signer != nil && signer == nil),
        ]
        return isLeftOut.filter(\.isLeftOut).map(\.name)
    }

    /// What signs the call's requests.
    var signer: (any RequestSigner)? {
        guard profile.hasSigner, let signer = profile.signer, destination.takesCommon(isAskedFor: isSignInAskedFor) else { return nil }
        return signer
    }

    /// The sign-in of the call's tag, unless the call goes without.
    var authentication: (any CallAuthentication)? {
        // A credential is for the backend that it was got from.
        guard profile.hasAuthentication, let authentication = profile.authentication, request.options.isAuthenticated != false,
            destination.takesCredentials(isAskedFor: isSignInAskedFor)
        else { return nil }
        return authentication
    }
}
