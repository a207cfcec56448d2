import Foundation

/// What holds for the calls of one tag after the tag's profile, the client's defaults and the library's own have been laid over
/// each other: per tag beats default.
final class ResolvedProfile: Sendable {
    let address: Result<HTTPAddress, HTTPAddress.Fault>?
    /// Whether the host is only a name, where no backend is.
    let hasPlaceholderHost: Bool
    /// Who is asked for the host, in place of ``address``.
    let hostProvider: (any HostProvider)?
    // Of what is looked at often, and hardly ever there, it is known whether it is there: to look at a value of any type is to copy it.
    let hasHostProvider: Bool
    let hasAuthentication: Bool
    let hasSigner: Bool
    let hasCache: Bool
    /// Who is asked for the host of a call that names a key.
    let fallbackProvider: (any HostProvider)?
    let params: Params
    let headers: HTTPHeaders
    let defaultMethod: HTTPMethod?
    /// How calls go that do not say otherwise.
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
    /// The charset of responses that name none.
    let charset: String?
    let encoder: JSONEncoder
    let transformBody: BodyTransform?
    /// How the requests reach their servers; `nil` if that is left to the transport.
    let routing: RequestRouting?
    /// Hides the secrets of these calls. It is never `nil`, since a call may be made within another one, of a tag that hides less.
    let redaction: Redaction
    /// The stages of its calls that say nothing themselves of how they go.
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
        // What is sent as a credential is one, whatever is allowed.
        let names = defaults.secrets.merging(profile.secrets).merging(secrets)
        redaction = names.merging(defaults.ownSecrets).merging(profile.ownSecrets).redaction ?? .standard
    }
}
