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
