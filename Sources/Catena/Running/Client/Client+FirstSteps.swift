public import CatenaPlatform

// MARK: Starting a sentence

extension Client {
    /// Begins a request to a backend. The other first steps are those of ``API``.
    public func tag(_ tag: Tag?) -> Request { request.tag(tag) }
    /// Begins a request to a host, without a tag.
    public func host(_ host: String) -> Request { request.host(host) }

    /// Begins a request to a host, without a tag.
    public func host(_ host: URL) -> Request { request.host(host) }
    /// Begins a request with a path on the default host.
    public func path(_ path: Path) -> Request { request.path(path) }
    /// Begins a request with a method, on the default host.
    public func method(_ method: HTTPMethod) -> Request { request.method(method) }
    /// Starts a GET on the default host.
    public func get(_ path: Path) -> Request { request.get(path) }
    /// Starts a POST on the default host.
    public func post(_ path: Path) -> Request { request.post(path) }
    /// Starts a PUT on the default host.
    public func put(_ path: Path) -> Request { request.put(path) }
    /// Starts a PATCH on the default host.
    public func patch(_ path: Path) -> Request { request.patch(path) }
    /// Starts a DELETE on the default host.
    public func delete(_ path: Path) -> Request { request.delete(path) }
    /// Starts a HEAD on the default host.
    public func head(_ path: Path) -> Request { request.head(path) }
    /// Starts an OPTIONS on the default host.
    public func options(_ path: Path) -> Request { request.options(path) }
    /// Begins a request to a whole URL.
    public func absoluteURL(_ url: String) -> Request { request.absoluteURL(url) }
    /// Begins a request to a whole URL.
    public func absoluteURL(_ url: URL) -> Request { request.absoluteURL(url) }
}

// Paths from a `String`, such as a variable, in which `/` and `?` are delimiters and not encoded.
extension Client {
    /// Creates a request with a path on the default host, from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public func path(_ path: String) -> Request { self.path(Path(path)) }

    /// Starts a GET on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public func get(_ path: String) -> Request { get(Path(path)) }

    /// Starts a POST on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public func post(_ path: String) -> Request { post(Path(path)) }

    /// Starts a PUT on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public func put(_ path: String) -> Request { put(Path(path)) }

    /// Starts a PATCH on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public func patch(_ path: String) -> Request { patch(Path(path)) }

    /// Starts a DELETE on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public func delete(_ path: String) -> Request { delete(Path(path)) }

    /// Starts a HEAD on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public func head(_ path: String) -> Request { head(Path(path)) }

    /// Starts an OPTIONS on the default host from a `String` whose `/` and `?` are not encoded. See ``Path``.
    @_disfavoredOverload
    public func options(_ path: String) -> Request { options(Path(path)) }
}
