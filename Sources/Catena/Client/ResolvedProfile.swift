import Foundation

/// The resolved settings of one tag: its profile over the client's defaults, and these over the library's defaults.
///
/// An optional property of ``Profile`` that has no stored copy here is looked up in the layers at each access, which is slower.
@dynamicMemberLookup
final class ResolvedProfile: Sendable {
    let address: Result<HTTPAddress, HTTPAddress.Fault>?
    /// Whether the host is only a placeholder without a backend.
    let hasPlaceholderHost: Bool
    /// The provider of the host, used in place of ``address``.
    let hostProvider: (any HostProvider)?
    // These flags are stored because reading an existential copies it, although the values are read often and rarely set.
    let hasHostProvider: Bool
    let hasAuthentication: Bool
    let hasSigner: Bool
    let hasCache: Bool
    /// The provider of the host for calls that set a key.
    let fallbackProvider: (any HostProvider)?
    let params: Params
    let headers: HTTPHeaders
    /// The options of calls without options of their own.
    let configuration: Box<CallConfiguration>
    let interceptors: [Interceptor]
    let authentication: (any CallAuthentication)?
    let signer: (any RequestSigner)?
    let cache: ResponseCache?
    let rateLimits: [RateLimit]
    let maxConcurrentCalls: ConcurrencyLimit?
    let circuitBreaker: CircuitBreakerPolicy?
    let cookieJar: CookieJar?
    let decoders: PayloadDecoders
    /// The version of HTTP and the addresses of hosts, or `nil` if the transport chooses both.
    let routing: RequestRouting?
    /// The redaction of these calls. Never `nil`, because a call may be made within a call of another tag that hides less.
    let redaction: Redaction
    private let layers: ProfileLayers
    /// The stages of calls without options of their own.
    let plan = OnceValue<[any Stage]>()

    init(_ profile: ProfileLayers, over defaults: ProfileLayers, hiding secrets: Secrets) {
        layers = profile.over(defaults)
        let place = profile.place ?? defaults.place
        address = place?.address
        hasPlaceholderHost = (try? Profile.parse(defaults.placeholderHost)?.get()).map { $0 == (try? place?.address?.get()) } ?? false
        hostProvider = place?.provider
        hasHostProvider = hostProvider != nil
        fallbackProvider = profile.hostProvider ?? defaults.hostProvider
        params = defaults.params.merging(profile.params)
        let named = profile.acceptedTypes ?? defaults.acceptedTypes
        let types = named?.isEmpty == true ? nil : named
        var headers: HTTPHeaders = ["Accept": types?.joined(separator: ", ") ?? "*/*", "User-Agent": "Catena"]
        headers.merge(defaults.headers)
        headers.merge(profile.headers)
        self.headers = headers
        var configuration = CallConfiguration()
        layers.apply(to: &configuration)
        configuration.acceptedTypes = types.map { AcceptedTypes($0) }
        self.configuration = Box(configuration)
        interceptors = defaults.interceptors + profile.interceptors
        authentication = (profile.authentication ?? defaults.authentication)?.credentialSource.authentication
        hasAuthentication = authentication != nil
        signer = profile.signer ?? defaults.signer
        hasSigner = signer != nil
        cache = profile.cache ?? defaults.cache
        hasCache = cache != nil
        rateLimits = profile.rateLimits ?? defaults.rateLimits ?? []
        maxConcurrentCalls = profile.maxConcurrentCalls ?? defaults.maxConcurrentCalls
        circuitBreaker = profile.circuitBreaker ?? defaults.circuitBreaker
        cookieJar = profile.cookieJar ?? defaults.cookieJar
        decoders = defaults.decoders.merging(profile.decoders) { $1 }
        let addresses = defaults.addresses.merging(profile.addresses) { _, own in own }.filter { !$0.value.isEmpty }
        routing = RequestRouting(version: profile.httpVersion ?? defaults.httpVersion ?? .automatic, addresses: addresses)
        // Names under which credentials are sent are hidden even if the configuration declares them not secret.
        let names = defaults.secrets.merging(profile.secrets).merging(secrets)
        redaction = names.merging(defaults.ownSecrets).merging(profile.ownSecrets).redaction ?? .standard
    }

    subscript<Value>(dynamicMember property: KeyPath<Profile, Value?>) -> Value? { layers[dynamicMember: property] }

    /// Returns the options of a call: its own and its rule's over those of the tag.
    func configuration(of request: Request) -> Box<CallConfiguration> {
        let setsAccept = !request.headerChanges.set.isEmpty && request.headerChanges.set.contains("Accept")
        guard request.hasOptions || setsAccept else { return configuration }
        var own = configuration.value
        if setsAccept { own.acceptedTypes = nil }
        return Box(own.changed(by: request.options))
    }
}
