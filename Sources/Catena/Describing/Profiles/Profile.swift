public import CatenaPlatform

/// The settings that the calls to one backend share. Values that a profile does not set come from the defaults.
///
/// ```swift
/// API.configure(.forum) { forum in
///     forum.host = "https://forum.example.com/api"
///     forum.timeout = .seconds(10)
/// }
/// ```
public struct Profile: Sendable {
    /// The options that a call can have, too.
    private(set) var options = OptionLayer()
    /// The host, with or without a path: `"https://forum.example.com/api"`. Without a scheme it is https.
    public var host: String? {
        didSet { address = Self.parse(host) }
    }
    /// A host of tests that no backend has. If ``host`` equals it, hosts that calls set themselves are not foreign.
    package var placeholderHost: String?
    /// The hosts by environment, in place of ``host``. In an environment without an entry, calls fail.
    public var hosts: [API.Environment: String] = [:]
    /// The provider asked for the host when a call begins, in place of ``host`` and ``hosts``.
    public var hostProvider: (any HostProvider)?
    /// The params of every call. Common params and those of the call override them. They are sent where the common params are.
    public var params = Params()
    /// The headers of every call. Common headers and those of the call override them.
    public var headers = HTTPHeaders()
    /// The method of a call that has neither a verb nor a body.
    public var defaultMethod: HTTPMethod? {
        get { options[\.defaultMethod] }
        set { options[\.defaultMethod] = newValue }
    }
    /// How params are encoded where they do not go to the query.
    public var encoding: ParameterEncoding? {
        get { options[\.encoding] }
        set { options[\.encoding] = newValue }
    }
    /// How arrays, booleans, dates and other values are written in queries and forms.
    public var parameterStyle: ParameterStyle? {
        get { options[\.parameterStyle] }
        set { options[\.parameterStyle] = newValue }
    }
    /// The part of the request in which the common params are sent.
    public var commonParams: CommonParams {
        // Not optional, because assigning `.none` would then unset it.
        get { options[\.commonParams] ?? .query }
        set { options[\.commonParams] = newValue }
    }
    /// The time limit of one attempt: from connecting to the end of the response, redirects included. Without a value it is 60 seconds.
    ///
    /// It includes the time of the common closures, the host provider and the signer.
    public var timeout: Duration? {
        get { options[\.timeout] }
        set { options[\.timeout] = newValue }
    }
    /// The time limit from the last byte of the request to the first byte of the response. Without a value only ``timeout`` applies.
    public var firstByteTimeout: Duration? {
        get { options[\.firstByteTimeout] }
        set { options[\.firstByteTimeout] = newValue }
    }
    /// The time limit in which nothing is sent or received. Without a value only ``timeout`` applies.
    public var idleTimeout: Duration? {
        get { options[\.idleTimeout] }
        set { options[\.idleTimeout] = newValue }
    }
    /// The time limit of a whole call, all attempts and waits included. Without a value there is none.
    public var deadline: Duration? {
        get { options[\.deadline] }
        set { options[\.deadline] = newValue }
    }
    /// Which failures of a call are retried, and how often. Without a value nothing is retried.
    public var retry: RetryPolicy? {
        get { options[\.retry] }
        set { options[\.retry] = newValue }
    }
    /// How long an attempt of a call that only reads has for its response before a second one is started beside it. See
    /// ``CallOptions/hedgeDelay``. Calls with another method go without unless they have an idempotency key, and so do streams and downloads.
    public var hedgeDelay: Duration? {
        get { options[\.hedge]?.delay }
        set { options[\.hedge] = newValue.map { Hedge(delay: $0) } }
    }
    /// The way this backend wraps its responses; ``Envelope/standard`` without a value.
    public var envelope: Envelope? {
        get { options[\.envelope] }
        set { options[\.envelope] = newValue }
    }
    /// The media types that `Accept` requests, such as `["application/json"]`. A response of another type fails. See ``CallOptions/acceptedTypes``.
    public var acceptedTypes: [String]?
    /// The largest size of a response after decompression, in bytes; 50 MiB without a value.
    public var bodyLimit: Int? {
        get { options[\.bodyLimit] }
        set { options[\.bodyLimit] = newValue }
    }
    /// The largest size of a download, in bytes. Without a value a compressed body may become 50 MiB and 100 times the bytes received until then,
    /// and any other body has no limit. The `Content-Length` replaces these bytes where the transport does not count them.
    public var downloadLimit: Int64? {
        get { options[\.downloadLimit] }
        set { options[\.downloadLimit] = newValue }
    }
    /// The largest number of redirects that are followed; 20 without a value.
    public var redirectLimit: Int? {
        get { options[\.redirectLimit] }
        set { options[\.redirectLimit] = newValue }
    }
    /// The credential of every call that is not ``RequestSteps/authenticated(_:)`` `false`, such as an ``Authentication``.
    public var authentication: (any RequestAuthentication)?
    /// Signs every request, after everything else has been merged.
    public var signer: (any RequestSigner)?
    /// The cache in which responses are stored. Without a cache none are.
    public var cache: ResponseCache?
    /// When stored responses are used. It has an effect only with a ``cache``.
    public var cachePolicy: CachePolicy? {
        get { options[\.cachePolicy] }
        set { options[\.cachePolicy] = newValue }
    }
    /// Whether identical GET, HEAD and QUERY calls that are active at the same time share one response.
    public var dedupe: Bool? {
        get { options[\.dedupe] }
        set { options[\.dedupe] = newValue }
    }
    /// The differences between requests that ``cache`` and ``dedupe`` ignore.
    public var requestKeyRules: RequestKeyRules? {
        get { options[\.requestKeyRules] }
        set { options[\.requestKeyRules] = newValue }
    }
    /// The limits on how many calls may begin in a period. All limits apply; further calls wait.
    public var rateLimits: [RateLimit]?
    /// The number of calls that may be active at the same time. Further calls wait.
    public var maxConcurrentCalls: ConcurrencyLimit?
    /// The policy by which calls are refused while this backend keeps failing.
    public var circuitBreaker: CircuitBreakerPolicy?
    /// The fleet of machines that shares the ``rateLimits`` and the ``circuitBreaker`` of this tag. Without one, each machine has its own.
    package var limitFleet: (any LimitFleet)?
    /// Whether each attempt has a `traceparent` header (W3C Trace Context), which identifies its call.
    public var sendsTraceparent: Bool? {
        get { options[\.sendsTraceparent] }
        set { options[\.sendsTraceparent] = newValue }
    }
    /// The jar in which the cookies of this backend are stored. Without a jar they are neither stored nor sent.
    public var cookieJar: CookieJar?
    /// Receives every error of these calls once, before the handler of the client does. See ``Client/onError(_:)``.
    public var onError: ErrorHandler?
    /// Returns the text shown to users for an error, its `localizedDescription`. For `nil` or an empty text, the error keeps its own text.
    ///
    /// ```swift
    /// API.configureDefaults { $0.errorMessages = { error in error.status == 503 ? "Back at noon." : nil } }
    /// API.configureDefaults { $0.errorMessages = { error in error.words(in: [app.language]) } }
    /// ```
    public var errorMessages: (@Sendable (APIError) -> String?)?
    /// The decoder whose strategies apply to JSON payloads.
    public var decoder: JSONDecoder? {
        get { options[\.decoder] }
        set { options[\.decoder] = newValue }
    }
    /// How closely a payload has to match its type; ``Decoding/strict`` without a value.
    public var decoding: Decoding? {
        get { options[\.decoding] }
        set { options[\.decoding] = newValue }
    }
    /// The charset of responses that name none, such as `"gbk"`: a label of the WHATWG Encoding Standard. Without one they are UTF-8.
    public var charset: String? {
        get { options[\.charset] }
        set { options[\.charset] = newValue }
    }
    /// Decode payloads of other media types, by the media type in lower case. Property lists have one already where
    /// ``acceptedTypes`` or ``CallOptions/acceptedTypes`` names their type.
    public var decoders: PayloadDecoders = [:]
    /// Encodes the values of `Request.json(_:)`. The library applies common strategies itself.
    public var encoder: JSONEncoder? {
        get { options[\.encoder] }
        set { options[\.encoder] = newValue }
    }
    /// Changes the bytes of every body and its media type before the request is signed, for instance by encrypting it; `.gzip` compresses it. See ``BodyTransform``.
    public var transformBody: BodyTransform?

    /// The version of HTTP to use; ``HTTPVersion/automatic`` without a value.
    public var httpVersion: HTTPVersion?
    /// The addresses at which hosts are reached, by host name.
    private(set) var addresses: [String: [String]] = [:]

    /// Connects to a host at these addresses instead of looking up its name.
    ///
    /// The URL, the `Host` header, the name in TLS and the check of the certificate stay those of the host.
    ///
    /// ```swift
    /// forum.resolve("forum.example.com", to: ["203.0.113.7"])
    /// ```
    ///
    /// Only the libcurl transport supports this. With other transports, calls to that host fail with ``APIError/Kind/invalidRequest``.
    ///
    /// - Parameters:
    ///   - host: The name of the host.
    ///   - addresses: IPv4 or IPv6 addresses, tried in this order. An empty array removes those set before.
    public mutating func resolve(_ host: String, to addresses: [String]) {
        self.addresses[host.lowercased()] = addresses
    }

    /// The names and values that are hidden wherever these calls are shown, in addition to names such as `token`.
    public var secrets = Secrets()

    /// The values that upper layers have added, such as interceptors.
    var values = OptionValues()

    /// The host, parsed once when it is set and not for every call.
    package private(set) var address: Result<HTTPAddress, HTTPAddress.Fault>?

    /// Creates a profile that sets nothing.
    public init() {}

    init(host: String) {
        self.host = host
        address = Self.parse(host)
    }

    package static func parse(_ host: String?) -> Result<HTTPAddress, HTTPAddress.Fault>? {
        host.map { host in
            do throws(HTTPAddress.Fault) {
                return .success(try HTTPAddress(parsing: host))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension Profile: CustomStringConvertible {
    /// The host, and the headers and params without secrets.
    public var description: String {
        Redaction.$ofCall.withValue(redaction) {
            "\(host.map(Redaction.current.redact(text:)) ?? "no host") \(headers) \(params)"
        }
    }
}

extension Profile: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
