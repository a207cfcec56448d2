import CatenaPlatform

/// The resolved settings of one tag: its profile over the client's defaults, and these over the library's defaults.
///
/// An optional property of ``Profile`` that has no stored copy here is looked up in the layers at each access, which is slower.
@dynamicMemberLookup
package final class ResolvedProfile: Sendable {
    let address: Result<HTTPAddress, HTTPAddress.Fault>?
    /// Whether the host is only a placeholder without a backend.
    let hasPlaceholderHost: Bool
    /// The provider of the host, used in place of ``address``.
    let hostProvider: (any HostProvider)?
    // These flags are stored because reading an existential copies it, although the values are read often and rarely set.
    package let hasHostProvider: Bool
    let hasAuthentication: Bool
    /// Whether calls have a user, whose credential or cookies may have to be read first.
    let hasUser: Bool
    let hasSigner: Bool
    let hasCache: Bool
    /// Whether the tag itself has a cache policy that changes something, and there is no cache.
    let hasIdleCachePolicy: Bool
    /// The provider of the host for calls that set a key.
    let fallbackProvider: (any HostProvider)?
    let params: Params
    let headers: HTTPHeaders
    /// The options of calls without options of their own.
    package let configuration: Box<CallConfiguration>
    let interceptors: [Interceptor]
    let authentication: (any CallAuthentication)?
    let signer: (any RequestSigner)?
    let transformBody: BodyTransform?
    let cache: ResponseCache?
    /// The settings of the limits that the tag's calls share.
    let policies: Box<TagState.Policies>
    let cookieJar: CookieJar?
    let decoders: PayloadDecoders
    /// The version of HTTP and the addresses of hosts, or `nil` if the transport chooses both.
    let routing: RequestRouting?
    /// The redaction of these calls. Never `nil`, because a call may be made within a call of another tag that hides less.
    let redaction: Redaction
    private let layers: ProfileLayers
    /// The stages of calls without options of their own.
    let plan = OnceValue<[any Stage]>()
    /// The state that the tag's calls share, if the profile belongs to one tag. Each call would otherwise look it up by the tag.
    let tagState = OnceValue<TagState>()

    init(_ profile: ProfileLayers, over defaults: ProfileLayers, hiding secrets: Secrets) {
        layers = profile.over(defaults)
        let place = layers.place
        address = place.address
        hasPlaceholderHost = (try? Profile.parse(defaults.placeholderHost)?.get()).map { $0 == (try? place.address?.get()) } ?? false
        hostProvider = place.provider
        hasHostProvider = hostProvider != nil
        fallbackProvider = layers.hostProvider
        params = layers.params
        let types = layers.acceptedTypes.flatMap { $0.isEmpty ? nil : $0 }
        var headers: HTTPHeaders = ["Accept": types?.joined(separator: ", ") ?? "*/*", "User-Agent": "Catena"]
        headers.merge(layers.headers)
        self.headers = headers
        var configuration = CallConfiguration()
        layers.apply(to: &configuration)
        configuration.acceptedTypes = types.map { AcceptedTypes($0) }
        self.configuration = Box(configuration)
        interceptors = layers.interceptors
        authentication = layers.authentication?.credentialSource.authentication
        hasAuthentication = authentication != nil
        signer = layers.signer
        transformBody = layers.transformBody
        hasSigner = signer != nil
        cache = layers.cache
        hasCache = cache != nil
        hasIdleCachePolicy = cache == nil && ![nil, .never, .protocol].contains(profile[dynamicMember: \.cachePolicy])
        policies = Box(TagState.Policies(layers))
        cookieJar = layers.cookieJar
        hasUser = hasAuthentication || cookieJar != nil
        decoders = layers.decoders
        routing = RequestRouting(version: layers.httpVersion ?? .automatic, addresses: layers.addresses.filter { !$0.value.isEmpty })
        // Names under which credentials are sent are hidden even if the configuration declares them not secret.
        let hidden = layers.secrets.merging(secrets).merging(layers.ownSecrets)
        redaction = hidden.redaction(of: HeldSecrets.all(authentication, signer)) ?? .standard
    }

    /// The host of a call that the host provider makes itself.
    var addressBesideProvider: Result<HTTPAddress, HTTPAddress.Fault>? {
        layers.addressBesideProvider
            ?? .failure(HTTPAddress.Fault(reason: "the host provider makes the call itself, so that it needs a host of its own"))
    }

    var rateLimits: [RateLimit] { policies.value.rateLimits }
    var maxConcurrentCalls: ConcurrencyLimit? { policies.value.maxConcurrentCalls }
    var circuitBreaker: CircuitBreakerPolicy? { policies.value.circuitBreaker }

    package subscript<Value>(dynamicMember property: KeyPath<Profile, Value?>) -> Value? { layers[dynamicMember: property] }

    /// Returns the options of a call: its own and its rule's over those of the tag.
    func configuration(of request: Request) -> Box<CallConfiguration> {
        // A call that changes the header accepts what it asks for, and not what its tag does.
        let setsAccept = !request.headerChanges.set.isEmpty && request.headerChanges.set.contains("Accept")
        let changesAccept = setsAccept || request.headerChanges.removes("Accept")
        guard request.hasOptions || changesAccept else { return configuration }
        var own = configuration.value
        if changesAccept { own.acceptedTypes = nil }
        return Box(own.changed(by: request.options))
    }
}
