import Foundation

/// The resolved settings of one tag: its profile over the client's defaults, and these over the library's defaults.
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
    let defaultMethod: HTTPMethod?
    /// The settings of calls without options of their own.
    let settings: CallSettings
    let bodyLimit: Int
    let downloadLimit: Int64?
    let redirectLimit: Int
    let interceptors: [Interceptor]
    let authentication: (any CallAuthentication)?
    let signer: (any RequestSigner)?
    let cache: ResponseCache?
    let requestKeyRules: RequestKeyRules
    let rateLimits: [RateLimit]
    let maxConcurrentCalls: ConcurrencyLimit?
    let circuitBreaker: CircuitBreakerPolicy?
    let sharedLimits: (any SharedStore)?
    let sendsTraceparent: Bool
    let cookieJar: CookieJar?
    let onError: ErrorHandler?
    let decoder: JSONDecoder
    let decoders: PayloadDecoders
    /// The charset of responses that specify none.
    let charset: String?
    let encoder: JSONEncoder
    let transformBody: BodyTransform?
    /// The version of HTTP and the addresses of hosts, or `nil` if the transport chooses both.
    let routing: RequestRouting?
    /// The redaction of these calls. Never `nil`, because a call may be made within a call of another tag that hides less.
    let redaction: Redaction
    /// The stages of calls without options of their own.
    let plan = OnceValue<[any Stage]>()

    init(_ profile: ProfileLayers, over defaults: ProfileLayers, hiding secrets: Secrets) {
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
        defaultMethod = profile.defaultMethod ?? defaults.defaultMethod
        settings = CallSettings(profile, over: defaults)
        downloadLimit = profile.downloadLimit ?? defaults.downloadLimit
        bodyLimit = profile.bodyLimit ?? defaults.bodyLimit ?? 50 * 1024 * 1024
        redirectLimit = profile.redirectLimit ?? defaults.redirectLimit ?? 20
        interceptors = defaults.interceptors + profile.interceptors
        authentication = (profile.authentication ?? defaults.authentication)?.credentialSource.authentication
        hasAuthentication = authentication != nil
        signer = profile.signer ?? defaults.signer
        hasSigner = signer != nil
        cache = profile.cache ?? defaults.cache
        hasCache = cache != nil
        requestKeyRules = profile.requestKeyRules ?? defaults.requestKeyRules ?? RequestKeyRules()
        rateLimits = profile.rateLimits ?? defaults.rateLimits ?? []
        maxConcurrentCalls = profile.maxConcurrentCalls ?? defaults.maxConcurrentCalls
        circuitBreaker = profile.circuitBreaker ?? defaults.circuitBreaker
        sharedLimits = profile.sharedLimits ?? defaults.sharedLimits
        sendsTraceparent = profile.sendsTraceparent ?? defaults.sendsTraceparent ?? false
        cookieJar = profile.cookieJar ?? defaults.cookieJar
        onError = profile.onError ?? defaults.onError
        decoder = profile.decoder ?? defaults.decoder ?? JSONDecoder()
        charset = profile.charset ?? defaults.charset
        decoders = defaults.decoders.merging(profile.decoders) { $1 }
        encoder = profile.encoder ?? defaults.encoder ?? JSONEncoder()
        transformBody = profile.transformBody ?? defaults.transformBody
        let addresses = defaults.addresses.merging(profile.addresses) { _, own in own }.filter { !$0.value.isEmpty }
        routing = RequestRouting(version: profile.httpVersion ?? defaults.httpVersion ?? .automatic, addresses: addresses)
        // Names under which credentials are sent are hidden even if the configuration declares them not secret.
        let names = defaults.secrets.merging(profile.secrets).merging(secrets)
        redaction = names.merging(defaults.ownSecrets).merging(profile.ownSecrets).redaction ?? .standard
    }
}
