/// Profiles in order of precedence. A value that one does not set comes from the next.
@dynamicMemberLookup
struct ProfileLayers: Sendable {
    let layers: [Profile]
    private let environment: API.Environment

    init(_ layers: [Profile?], in environment: API.Environment) {
        self.layers = layers.compactMap { $0 }
        self.environment = environment
    }

    /// Returns these layers over weaker ones.
    func over(_ defaults: ProfileLayers) -> ProfileLayers { ProfileLayers(layers + defaults.layers, in: environment) }

    subscript<Value>(dynamicMember property: KeyPath<Profile, Value?>) -> Value? {
        for layer in layers {
            if let value = layer[keyPath: property] { return value }
        }
        return nil
    }

    /// The location of the backend, from the strongest layer that has one: a provider, or an address without one.
    var place: (provider: (any HostProvider)?, address: Result<HTTPAddress, HTTPAddress.Fault>?) {
        for layer in layers {
            if let provider = layer.hostProvider { return (provider, nil) }
            if let address = address(of: layer) { return (nil, address) }
        }
        return (nil, nil)
    }

    /// The address from the strongest layer that has one, whatever providers there are.
    var addressBesideProvider: Result<HTTPAddress, HTTPAddress.Fault>? { layers.lazy.compactMap(address).first }

    private func address(of layer: Profile) -> Result<HTTPAddress, HTTPAddress.Fault>? {
        layer.hosts.isEmpty ? layer.address?.mapError(Self.describe) : layer.address(in: environment)
    }

    static func describe(_ fault: HTTPAddress.Fault) -> HTTPAddress.Fault {
        HTTPAddress.Fault(reason: "the configured host is not an address: \(fault.reason)")
    }

    /// Sets the options of the layers in a configuration, the weakest layer first.
    func apply(to configuration: inout CallConfiguration) {
        for layer in layers.reversed() { layer.options.apply(to: &configuration) }
    }

    var params: Params { layers.reversed().reduce(Params()) { $0.merging($1.params) } }
    var headers: HTTPHeaders {
        layers.reversed().reduce(into: HTTPHeaders()) { $0.merge($1.headers) }
    }
    /// The names that the profiles declare secret or not secret.
    var secrets: Secrets { layers.reversed().reduce(Secrets()) { $0.merging($1.secrets) } }
    /// The names under which credentials and signatures are sent.
    var ownSecrets: Secrets { layers.reversed().reduce(Secrets()) { $0.merging($1.ownSecrets) } }
    /// The addresses of hosts that are not looked up.
    var addresses: [String: [String]] { layers.reversed().reduce([:]) { $0.merging($1.addresses) { _, strong in strong } } }
    var decoders: PayloadDecoders { layers.reduce([:]) { $0.merging($1.decoders) { strong, _ in strong } } }
}

extension Profile {
    /// The names under which credentials and signatures are sent.
    fileprivate var ownSecrets: Secrets {
        Secrets().merging(authentication?.credentialSource.authentication.secrets).merging(signer?.secrets)
    }
    /// The redaction for the description of the profile itself.
    var redaction: Redaction? {
        secrets.merging(ownSecrets).redaction(
            of: HeldSecrets.all(authentication?.credentialSource.authentication, signer))
    }

    /// Returns the entry of an environment in ``hosts``.
    fileprivate func address(in environment: API.Environment) -> Result<HTTPAddress, HTTPAddress.Fault> {
        guard let address = Self.parse(hosts[environment]) else {
            let names = hosts.keys.map(\.name).sorted().joined(separator: ", ")
            return .failure(HTTPAddress.Fault(reason: "there is none for the environment \"\(environment)\", only for: \(names)"))
        }
        return address.mapError(ProfileLayers.describe)
    }
}

extension HeldSecrets {
    /// The secrets that a sign-in and a signer know.
    static func all(_ authentication: (any CallAuthentication)?, _ signer: (any RequestSigner)?) -> [HeldSecrets] {
        let keys = (signer as? any SecretHolder)?.secretValues ?? []
        return [authentication?.held].compactMap { $0 } + (keys.isEmpty ? [] : [HeldSecrets(keys)])
    }
}
