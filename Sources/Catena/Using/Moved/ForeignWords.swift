// Words of other libraries, so that the compiler says Catena's.
public import CatenaPlatform

extension RequestSteps {
    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `onProgress(.upload) { progress in … }`")
    @_alwaysEmitIntoClient
    public consuming func uploadProgress(_ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void) -> Self { self }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `onProgress(.download) { progress in … }`")
    @_alwaysEmitIntoClient
    public consuming func downloadProgress(_ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void) -> Self { self }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `id(\"search\", replacing: true).set(\\.debounce, .milliseconds(300))`")
    @_alwaysEmitIntoClient
    public consuming func debounce(_ time: Duration) -> Self { self }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `onProgress(.upload) { progress in … }`")
    @_alwaysEmitIntoClient
    public consuming func onUploadProgress(_ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void) -> Self { self }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `onProgress(.download) { progress in … }`")
    @_alwaysEmitIntoClient
    public consuming func onDownloadProgress(_ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void) -> Self { self }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `id(\"search\", replacing: true)`")
    @_alwaysEmitIntoClient
    public consuming func latest(_ id: String) -> Self { self }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `authenticated(false)`")
    @_alwaysEmitIntoClient
    public consuming func noAuth() -> Self { self }

    /// Explains the error of an option that is no step.
    @available(*, unavailable, message: "write `set(\\.idempotencyKey, …)`")
    @_alwaysEmitIntoClient
    public consuming func idempotencyKey(_ key: IdempotencyKey) -> Self { self }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `value()` to wait for the payload, or `execute()` for a promise")
    @discardableResult
    @_alwaysEmitIntoClient
    public func send() -> Promise<JSON> { Promise(value: nil) }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `authenticated()`; the credential is `authentication` of the tag's profile")
    @_alwaysEmitIntoClient
    public consuming func auth(_ credential: Any) -> Self { self }
}

extension RetryPolicy {
    /// Explains the error of a policy without waits.
    @available(*, unavailable, message: "write `.exponential(limit: 3)`")
    @_alwaysEmitIntoClient
    public init(limit: Int) { self = .never }
}

extension API {
    /// Explains the error of promises in a batch.
    @available(*, unavailable, message: "pass requests, such as `API.get(\"/rooms\")`, not promises: the batch sends them")
    @discardableResult
    @_alwaysEmitIntoClient
    public static func batch<Value>(_ promises: [Promise<Value>]) -> Promise<[Value]> { Promise(value: []) }

    /// Explains the error of a configuration without a tag.
    @available(*, unavailable, message: "write `configureDefaults { … }`, or name the tag: `configure(.forum) { … }`")
    @_alwaysEmitIntoClient
    public static func configure(_ change: (inout Profile) -> Void) {}

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `API.value(endpoint)` to wait for the response, or `API.call(endpoint)` for a promise")
    @discardableResult
    @_alwaysEmitIntoClient
    public static func send<Described: Endpoint>(_ endpoint: Described) -> Promise<Described.Response> { call(endpoint) }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `API.calls.cancelAll()`")
    @_alwaysEmitIntoClient
    public static func cancelAll() {}

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `API.log(.oneLine)`, or another detail")
    @_alwaysEmitIntoClient
    public static var logLevel: LogDetail {
        get { .oneLine }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `API.observe { event in … }`")
    @_alwaysEmitIntoClient
    public static var metrics: Registration { Client.shared.observe { _ in } }
}

extension Client {
    /// Explains the error of a configuration without a tag.
    @available(*, unavailable, message: "write `configureDefaults { … }`, or name the tag: `configure(.forum) { … }`")
    @_alwaysEmitIntoClient
    public func configure(_ change: (inout Profile) -> Void) {}

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `value(endpoint)` to wait for the response, or `call(endpoint)` for a promise")
    @discardableResult
    @_alwaysEmitIntoClient
    public func send<Described: Endpoint>(_ endpoint: Described) -> Promise<Described.Response> { call(endpoint) }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `calls.cancelAll()`")
    @_alwaysEmitIntoClient
    public func cancelAll() {}

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `client.shutdown()`, which refuses new calls, and then `await client.waitUntilIdle(for: …)`")
    @_alwaysEmitIntoClient
    public func shutdown(timeout: Duration) {}

    /// The rules, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    public var rules: Rules { Rules() }

    /// Starts a call that a rule describes, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    public func request(named name: String) -> Request { Request(client: nil) }

    /// Sends a call that a rule describes, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    @discardableResult public func request(named name: String, _ fill: (inout RuleContext) -> Void) -> RuleTask { RuleTask() }

    /// Records calls, in the product CatenaArchive.
    @available(*, unavailable, message: "Add the product CatenaArchive to the target, and `import CatenaArchive`.")
    @_alwaysEmitIntoClient
    @discardableResult public func record(into recorder: HARRecorder) -> Registration { Registration {} }
}

extension RateLimit {
    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `RateLimit(50, per: .seconds(1))`")
    @_alwaysEmitIntoClient
    public static func perSecond(_ count: Int) -> RateLimit { RateLimit(count, per: .seconds(1)) }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `RateLimit(50, per: .seconds(60))`")
    @_alwaysEmitIntoClient
    public static func perMinute(_ count: Int) -> RateLimit { RateLimit(count, per: .seconds(60)) }
}

extension CachePolicy {
    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `for try await value in request.values(of: …)`, which gives the cached value first")
    @_alwaysEmitIntoClient
    public static var cachedFirst: CachePolicy { .never }
}

extension ServerSentEvent {
    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "event")
    @_alwaysEmitIntoClient
    public var name: String { event }
}

@available(*, unavailable, message: "write `params = […]`; `commonParams` says where they are sent")
extension CommonParams: ExpressibleByDictionaryLiteral {
    /// Explains the error of params in place of their destination.
    @_alwaysEmitIntoClient
    public init(dictionaryLiteral elements: (String, Any)...) { self = .query }
}

extension Profile {
    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `headers = […]`, or `API.commonHeaders { tag in […] }` for those of each attempt")
    @_alwaysEmitIntoClient
    public var commonHeaders: HTTPHeaders {
        get { headers }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "rateLimits")
    @_alwaysEmitIntoClient
    public var rateLimit: RateLimit? {
        get { nil }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "host")
    @_alwaysEmitIntoClient
    public var baseURL: URL? {
        get { nil }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `API.log(.oneLine)`, or another detail")
    @_alwaysEmitIntoClient
    public var logging: LogDetail {
        get { .oneLine }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "maxConcurrentCalls")
    @_alwaysEmitIntoClient
    public var maxConcurrentRequests: Int? {
        get { nil }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "authentication")
    @_alwaysEmitIntoClient
    public var auth: (any RequestAuthentication)? {
        get { nil }
        set {}
    }
}

extension APIError {
    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "status")
    @_alwaysEmitIntoClient
    public var statusCode: Int? { status }

    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "localizedDescription")
    @_alwaysEmitIntoClient
    public var userMessage: String { localizedDescription }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `error.kind == .offline`")
    @_alwaysEmitIntoClient
    public var isOffline: Bool { kind == .offline }
}

extension Response {
    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "status")
    @_alwaysEmitIntoClient
    public var statusCode: Int { status }
}

extension Envelope {
    /// Explains the error of another name for problem details.
    @available(*, unavailable, renamed: "problemDetails")
    @_alwaysEmitIntoClient
    public static var problemJSON: Envelope { problemDetails }
}

extension RequestAuthentication where Self == TokenAuthentication {
    /// Explains the error of a fixed token with a refresh.
    @available(
        *, unavailable,
        message: "write `.bearer { … }`, whose closure gives a valid token, or `Authentication(…)`, which keeps and refreshes a token"
    )
    @_alwaysEmitIntoClient
    public static func bearer(token: Any, refresh: Any) -> Self { .bearer { nil } }
}

extension HTTPHeaders.Name {
    /// Explains the error of a name that is rare.
    @available(*, unavailable, message: "write the name as text: \"Accept-Ranges\"")
    @_alwaysEmitIntoClient
    public static var acceptRanges: Self { Self("Accept-Ranges") }

    /// Explains the error of a name that is rare.
    @available(*, unavailable, message: "write the name as text: \"Authentication-Info\"")
    @_alwaysEmitIntoClient
    public static var authenticationInfo: Self { Self("Authentication-Info") }

    /// Explains the error of a name that is rare.
    @available(*, unavailable, message: "write the name as text: \"Content-Language\"")
    @_alwaysEmitIntoClient
    public static var contentLanguage: Self { Self("Content-Language") }

    /// Explains the error of a name that is rare.
    @available(*, unavailable, message: "write the name as text: \"Content-Location\"")
    @_alwaysEmitIntoClient
    public static var contentLocation: Self { Self("Content-Location") }

    /// Explains the error of a name that is rare.
    @available(*, unavailable, message: "write the name as text: \"If-Unmodified-Since\"")
    @_alwaysEmitIntoClient
    public static var ifUnmodifiedSince: Self { Self("If-Unmodified-Since") }

    /// Explains the error of a name that is rare.
    @available(*, unavailable, message: "write the name as text: \"Referer\"")
    @_alwaysEmitIntoClient
    public static var referer: Self { Self("Referer") }
}

extension ErrorMatcher {
    /// Explains the error of the word for a sequence or a range.
    @available(*, unavailable, renamed: "code(_:)")
    @_alwaysEmitIntoClient
    public static func codes(_ codes: ErrorCode...) -> ErrorMatcher { code() }
}

extension Paging {
    /// Explains the error of a word that one tries first.
    @available(*, unavailable, renamed: "number(_:from:)")
    @_alwaysEmitIntoClient
    public static func page(_ name: String = "page") -> Paging { .number(name) }
}
