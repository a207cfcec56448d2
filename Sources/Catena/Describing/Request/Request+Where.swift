public import CatenaPlatform

// Each step is specialized for `Request`, because the generic version is several times slower.
extension RequestSteps {
    /// Sets the host, with or without a path of its own: `"https://forum.example.com/api"`. Without a scheme it is https.
    ///
    /// It replaces the host of the tag. If the tag's host has another origin, the tag's params, headers, credential and signature are not
    /// sent, unless the call sets `commonParams(_:)`, `commonHeaders(.merged)` and `authenticated()`.
    @_specialize(where Self == Request)
    public consuming func host(_ host: String) -> Self {
        request.location.host = host
        request.location.hostKey = nil
        return self
    }

    /// Sets the host from a URL. See ``host(_:)-(String)``.
    public consuming func host(_ host: URL) -> Self { self.host(host.absoluteString) }

    /// Sets the path, which is appended to the host's own path.
    ///
    /// ```swift
    /// API.tag(.forum).path("/rooms/{room}/users").params(["room": "a/b", "page": 1])   // /rooms/a%2Fb/users?page=1
    /// ```
    ///
    /// Each value interpolated into a literal is percent-encoded as one segment: see ``Path``. A query in the path is kept. The value of the
    /// param with the same name replaces `{name}`, as one segment, and is not sent anywhere else. A path never changes the host: a whole URL
    /// fails the call.
    @_specialize(where Self == Request)
    public consuming func path(_ path: Path) -> Self {
        request.location.set(path)
        return self
    }

    /// Sets the path from a text, in which `/`, `?` and `{name}` have their meaning. See ``path(_:)-(Path)``.
    @_disfavoredOverload
    @_specialize(where Self == Request)
    public consuming func path(_ path: String) -> Self { self.path(Path(path)) }

    /// Sets the backend, with its host, params, headers, limits and envelope.
    ///
    /// - Parameter tag: The backend, or `nil` for none, so that only the defaults apply.
    @_specialize(where Self == Request)
    public consuming func tag(_ tag: Tag?) -> Self {
        request.tag = tag
        return self
    }

    /// Sets the whole URL, in place of host and path.
    ///
    /// The tag's params, headers and signature and the common ones are sent only if the URL has the origin of the tag's host, or if the tag
    /// has no host.
    @_specialize(where Self == Request)
    public consuming func absoluteURL(_ url: String) -> Self {
        request.location.absolute = url
        return self
    }

    /// Sets the whole URL, in place of host and path.
    ///
    /// The tag's params, headers and signature and the common ones are sent only if the URL has the origin of the tag's host, or if the tag
    /// has no host.
    @_specialize(where Self == Request)
    public consuming func absoluteURL(_ url: URL) -> Self {
        request.location.absolute = url.absoluteString
        return self
    }
}

extension RequestSteps {
    /// Sets the method, which can be a custom one: `method("PURGE")`.
    ///
    /// Without a method, a request is a POST if a step such as `json` sets its body. Any other request has the tag's
    /// ``Profile/defaultMethod``, or else is a GET.
    @_specialize(where Self == Request)
    public consuming func method(_ method: HTTPMethod) -> Self {
        request.chosenMethod = method
        return self
    }

    /// Sets the method GET and the path. See ``path(_:)-(Path)``.
    @_specialize(where Self == Request)
    public consuming func get(_ path: Path) -> Self { verb(.get, path) }

    /// Sets the method GET and the path, from a text. See ``path(_:)-(String)``.
    @_disfavoredOverload
    @_specialize(where Self == Request)
    public consuming func get(_ path: String) -> Self { verb(.get, Path(path)) }

    /// Sets the method POST and the path. See ``path(_:)-(Path)``.
    @_specialize(where Self == Request)
    public consuming func post(_ path: Path) -> Self { verb(.post, path) }

    /// Sets the method POST and the path, from a text. See ``path(_:)-(String)``.
    @_disfavoredOverload
    @_specialize(where Self == Request)
    public consuming func post(_ path: String) -> Self { verb(.post, Path(path)) }

    /// Sets the method PUT and the path. See ``path(_:)-(Path)``.
    @_specialize(where Self == Request)
    public consuming func put(_ path: Path) -> Self { verb(.put, path) }

    /// Sets the method PUT and the path, from a text. See ``path(_:)-(String)``.
    @_disfavoredOverload
    @_specialize(where Self == Request)
    public consuming func put(_ path: String) -> Self { verb(.put, Path(path)) }

    /// Sets the method PATCH and the path. See ``path(_:)-(Path)``.
    @_specialize(where Self == Request)
    public consuming func patch(_ path: Path) -> Self { verb(.patch, path) }

    /// Sets the method PATCH and the path, from a text. See ``path(_:)-(String)``.
    @_disfavoredOverload
    @_specialize(where Self == Request)
    public consuming func patch(_ path: String) -> Self { verb(.patch, Path(path)) }

    /// Sets the method DELETE and the path. See ``path(_:)-(Path)``.
    @_specialize(where Self == Request)
    public consuming func delete(_ path: Path) -> Self { verb(.delete, path) }

    /// Sets the method DELETE and the path, from a text. See ``path(_:)-(String)``.
    @_disfavoredOverload
    @_specialize(where Self == Request)
    public consuming func delete(_ path: String) -> Self { verb(.delete, Path(path)) }

    /// Sets the method HEAD and the path. See ``path(_:)-(Path)``.
    @_specialize(where Self == Request)
    public consuming func head(_ path: Path) -> Self { verb(.head, path) }

    /// Sets the method HEAD and the path, from a text. See ``path(_:)-(String)``.
    @_disfavoredOverload
    @_specialize(where Self == Request)
    public consuming func head(_ path: String) -> Self { verb(.head, Path(path)) }

    /// Sets the method OPTIONS and the path. See ``path(_:)-(Path)``.
    @_specialize(where Self == Request)
    public consuming func options(_ path: Path) -> Self { verb(.options, path) }

    /// Sets the method OPTIONS and the path, from a text. See ``path(_:)-(String)``.
    @_disfavoredOverload
    @_specialize(where Self == Request)
    public consuming func options(_ path: String) -> Self { verb(.options, Path(path)) }

    private consuming func verb(_ method: HTTPMethod, _ path: Path) -> Self {
        request.chosenMethod = method
        request.location.set(path)
        return self
    }
}
