public import CatenaPlatform

extension API {
    /// The request from which every call starts.
    private static var request: Request { Request(client: nil) }
}

// MARK: Configuration, once at start-up

extension API {
    /// Configures the profile of a tag: what its calls have in common. What the closure does not set stays as it was.
    public static func configure(_ tag: Tag, _ change: (inout Profile) -> Void) {
        Client.current.configure(tag, change)
    }

    /// Configures the defaults, which apply to all calls whose tag does not set something else.
    public static func configureDefaults(_ change: (inout Profile) -> Void) {
        Client.current.configureDefaults(change)
    }

    /// Sets a closure that gives the params of all calls, for every attempt. See `Client.commonParams(_:)`.
    @_disfavoredOverload
    public static func commonParams(_ source: @escaping @Sendable (Tag?) async throws -> Params) {
        Client.current.commonParams(source)
    }

    /// Sets a closure that gives the params of all calls and awaits nothing. See `Client.commonParams(_:)`.
    public static func commonParams(_ source: @escaping @Sendable (Tag?) throws -> Params) {
        Client.current.commonParams(source)
    }

    /// Sets a closure that gives the headers of all calls, for every attempt. See `Client.commonHeaders(_:)`.
    @_disfavoredOverload
    public static func commonHeaders(_ source: @escaping @Sendable (Tag?) async throws -> HTTPHeaders) {
        Client.current.commonHeaders(source)
    }

    /// Sets a closure that gives the headers of all calls and awaits nothing. See `Client.commonHeaders(_:)`.
    public static func commonHeaders(_ source: @escaping @Sendable (Tag?) throws -> HTTPHeaders) {
        Client.current.commonHeaders(source)
    }

    /// Sets a handler that receives the error of every failed call once, and decides how the call ends. See ``Client/onError(_:)``.
    public static func onError(_ handler: @escaping ErrorHandler) {
        Client.current.onError(handler)
    }

    /// Has moved to ``Profile/errorMessages`` of the defaults.
    @available(*, deprecated, message: "write `API.configureDefaults { $0.errorMessages = { error in … } }`")
    public static func errorMessages(_ text: @escaping @Sendable (APIError) -> String?) {
        Client.current.configureDefaults { $0.errorMessages = text }
    }

    /// Has moved to ``Profile/errorMessages`` of the defaults.
    @available(*, deprecated, message: "write `API.configureDefaults { $0.errorMessages = { error in texts[error.kind] } }`")
    public static func errorMessages(_ texts: [APIError.Kind: String]) {
        Client.current.configureDefaults { $0.errorMessages = { texts[$0.kind] } }
    }

    /// Adds an interceptor to every call, in place of one of the same name. See ``Client/intercept(_:_:with:)``.
    @discardableResult
    public static func intercept(
        _ name: String,
        _ position: Interceptor.Position = .after(.retry),
        with body: @escaping Interceptor.Body
    ) -> Registration {
        Client.current.intercept(name, position, with: body)
    }

    /// Tells of every point in the life of every call, until it is ended. See ``Client/observe(_:)``.
    @discardableResult
    public static func observe(_ handler: @escaping @Sendable (CallEvent) -> Void) -> Registration {
        Client.current.observe(handler)
    }

    /// Logs every attempt of every call, without secrets, until it is ended. See ``Client/log(_:to:)``.
    @discardableResult
    public static func log(_ detail: LogDetail = .oneLine, to sink: LogSink = .system) -> Registration {
        Client.current.log(detail, to: sink)
    }

    /// Has moved to ``Profile/host`` of the defaults.
    @available(*, deprecated, message: "write `API.configureDefaults { $0.host = … }`")
    public static var defaultHost: String? {
        get { Client.current.defaultHost }
        set { Client.current.defaultHost = newValue }
    }

    /// Has moved to ``Profile/defaultMethod`` of the defaults.
    @available(*, deprecated, message: "write `API.configureDefaults { $0.defaultMethod = … }`")
    public static var defaultMethod: HTTPMethod? {
        get { Client.current.defaultMethod }
        set { Client.current.defaultMethod = newValue }
    }

    /// Sets a handler for events that deserve attention but fail no call. Without it they are written to standard error.
    public static func onDiagnostic(_ handler: @escaping @Sendable (DiagnosticEvent) -> Void) {
        Client.current.onDiagnostic(handler)
    }
}

// MARK: Starting a sentence

extension API {
    /// Begins a request to a backend, which uses the profile of its tag.
    public static func tag(_ tag: Tag?) -> Request { request.tag(tag) }

    /// Begins a request to a host, without a tag.
    public static func host(_ host: String) -> Request { request.host(host) }

    /// Begins a request to a host, without a tag.
    public static func host(_ host: URL) -> Request { request.host(host) }

    /// Begins a request with a path on the default host.
    public static func path(_ path: Path) -> Request { request.path(path) }

    /// Begins a request with a method, on the default host.
    public static func method(_ method: HTTPMethod) -> Request { request.method(method) }

    /// Starts a GET on the default host.
    public static func get(_ path: Path) -> Request { request.get(path) }

    /// Starts a POST on the default host.
    public static func post(_ path: Path) -> Request { request.post(path) }

    /// Starts a PUT on the default host.
    public static func put(_ path: Path) -> Request { request.put(path) }

    /// Starts a PATCH on the default host.
    public static func patch(_ path: Path) -> Request { request.patch(path) }

    /// Starts a DELETE on the default host.
    public static func delete(_ path: Path) -> Request { request.delete(path) }

    /// Starts a HEAD on the default host.
    public static func head(_ path: Path) -> Request { request.head(path) }

    /// Starts an OPTIONS on the default host.
    public static func options(_ path: Path) -> Request { request.options(path) }

    /// Begins a request to a whole URL.
    public static func absoluteURL(_ url: String) -> Request { request.absoluteURL(url) }

    /// Begins a request to a whole URL.
    public static func absoluteURL(_ url: URL) -> Request { request.absoluteURL(url) }
}

// Paths from a `String`, such as a variable, in which `/` and `?` are delimiters and not encoded.
extension API {
    /// Creates a request with a path on the default host, from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public static func path(_ path: String) -> Request { self.path(Path(path)) }

    /// Starts a GET on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public static func get(_ path: String) -> Request { get(Path(path)) }

    /// Starts a POST on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public static func post(_ path: String) -> Request { post(Path(path)) }

    /// Starts a PUT on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public static func put(_ path: String) -> Request { put(Path(path)) }

    /// Starts a PATCH on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public static func patch(_ path: String) -> Request { patch(Path(path)) }

    /// Starts a DELETE on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public static func delete(_ path: String) -> Request { delete(Path(path)) }

    /// Starts a HEAD on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public static func head(_ path: String) -> Request { head(Path(path)) }

    /// Starts an OPTIONS on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public static func options(_ path: String) -> Request { options(Path(path)) }
}
