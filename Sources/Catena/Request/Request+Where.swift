public import Foundation

extension Request {
    /// Sets the host, with or without a path of its own: `"https://forum.example.com/api"`. Without a scheme it is https.
    ///
    /// It replaces the host of the tag. If the tag's host has another origin, the call goes without the tag's params, headers, credential
    /// and signature, unless it asks for them: with `commonParams(_:)`, `commonHeaders(.merged)` and `authenticated()`.
    public consuming func host(_ host: String) -> Request {
        location.host = host
        location.hostKey = nil
        return self
    }

    /// Sets the path, which is appended to the host's own path.
    ///
    /// ```swift
    /// API.tag(.forum).path("/rooms/{room}/users").params(["room": "a/b", "page": 1])   // /rooms/a%2Fb/users?page=1
    /// ```
    ///
    /// A query in the path is kept. The param with the same name fills `{name}` and is not sent anywhere else; its value becomes one
    /// segment. A path never changes the host: a whole URL fails the call.
    public consuming func path(_ path: String) -> Request {
        location.path = path
        location.segments = []
        return self
    }

    /// Appends path segments, each percent-encoded as a whole: `segments("rooms", id)` names one room, whatever the id contains.
    public consuming func segments(_ segments: any ParameterValue...) -> Request {
        location.segments.append(contentsOf: segments.map(\.parameterNode))
        return self
    }

    /// Sets the backend, with its host, params, headers, limits and envelope.
    ///
    /// - Parameter tag: The backend; `nil` is none, so that only the defaults apply.
    public consuming func tag(_ tag: Tag?) -> Request {
        self.tag = tag
        return self
    }

    /// Sets the whole URL, in place of host and path.
    ///
    /// The tag's params, headers and signature and the common ones are sent only if the URL has the origin of the tag's host, or if the tag
    /// has no host.
    public consuming func absoluteURL(_ url: String) -> Request {
        location.absolute = url
        return self
    }

    /// Sets the whole URL, in place of host and path.
    ///
    /// The tag's params, headers and signature and the common ones are sent only if the URL has the origin of the tag's host, or if the tag
    /// has no host.
    public consuming func absoluteURL(_ url: URL) -> Request {
        location.absolute = url.absoluteString
        return self
    }
}

extension Request {
    /// Sets the method, also a custom one: `method("PURGE")`.
    ///
    /// Without a method, a request whose body is set by a step of its own, such as `json`, is a POST; any other has the tag's
    /// ``Profile/defaultMethod``, or else is a GET.
    public consuming func method(_ method: HTTPMethod) -> Request {
        chosenMethod = method
        return self
    }

    /// Sets the method GET and the path. See ``path(_:)``.
    public consuming func get(_ path: String) -> Request { verb(.get, path) }

    /// Sets the method POST and the path. See ``path(_:)``.
    public consuming func post(_ path: String) -> Request { verb(.post, path) }

    /// Sets the method PUT and the path. See ``path(_:)``.
    public consuming func put(_ path: String) -> Request { verb(.put, path) }

    /// Sets the method PATCH and the path. See ``path(_:)``.
    public consuming func patch(_ path: String) -> Request { verb(.patch, path) }

    /// Sets the method DELETE and the path. See ``path(_:)``.
    public consuming func delete(_ path: String) -> Request { verb(.delete, path) }

    /// Sets the method HEAD and the path. See ``path(_:)``.
    public consuming func head(_ path: String) -> Request { verb(.head, path) }

    /// Sets the method OPTIONS and the path. See ``path(_:)``.
    public consuming func options(_ path: String) -> Request { verb(.options, path) }

    private consuming func verb(_ method: HTTPMethod, _ path: String) -> Request {
        chosenMethod = method
        location.path = path
        location.segments = []
        return self
    }
}
