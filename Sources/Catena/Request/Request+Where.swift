public import Foundation

extension Request {
    /// Sets the host, with or without a path of its own: `"https://forum.example.com/api"`. Without a scheme it is https.
    ///
    /// Where the tag has a host of another origin, nothing of the tag's goes along, no params, headers, sign-in or signature, unless the
    /// call asks for it: with `commonParams(_:)`, `commonHeaders(.merged)` and `authenticated()`.
    public consuming func host(_ host: String) -> Request {
        location.host = host
        location.hostKey = nil
        return self
    }

    /// Sets the path, which is appended to the host's own path.
    ///
    /// A query in it is kept. `{name}` is filled from the params of that name, which are then not sent elsewhere. A path can never
    /// lead to another host.
    public consuming func path(_ path: String) -> Request {
        location.path = path
        location.segments = []
        return self
    }

    /// Appends path segments, each percent-encoded as a whole: `segments("rooms", id)` is one room whatever the id contains.
    public consuming func segments(_ segments: any ParameterValue...) -> Request {
        location.segments.append(contentsOf: segments.map(\.parameterNode))
        return self
    }

    /// Selects the subsystem.
    public consuming func tag(_ tag: Tag?) -> Request {
        self.tag = tag
        return self
    }

    /// Sets the whole address, in place of host and path.
    ///
    /// The params and headers of the tag, the common ones and the signature go along only if the address has the origin of the tag's host, or if the tag has none.
    public consuming func absoluteURL(_ url: String) -> Request {
        location.absolute = url
        return self
    }

    /// Sets the whole address, in place of host and path.
    ///
    /// The params and headers of the tag, the common ones and the signature go along only if the address has the origin of the tag's host, or if the tag has none.
    public consuming func absoluteURL(_ url: URL) -> Request {
        location.absolute = url.absoluteString
        return self
    }
}

extension Request {
    /// Sets the method. Without one a request is a POST if it has a body, else a GET.
    public consuming func method(_ method: HTTPMethod) -> Request {
        chosenMethod = method
        return self
    }

    /// Sets GET and the path.
    public consuming func get(_ path: String) -> Request { verb(.get, path) }

    /// Sets POST and the path.
    public consuming func post(_ path: String) -> Request { verb(.post, path) }

    /// Sets PUT and the path.
    public consuming func put(_ path: String) -> Request { verb(.put, path) }

    /// Sets PATCH and the path.
    public consuming func patch(_ path: String) -> Request { verb(.patch, path) }

    /// Sets DELETE and the path.
    public consuming func delete(_ path: String) -> Request { verb(.delete, path) }

    /// Sets HEAD and the path.
    public consuming func head(_ path: String) -> Request { verb(.head, path) }

    /// Sets OPTIONS and the path.
    public consuming func options(_ path: String) -> Request { verb(.options, path) }

    private consuming func verb(_ method: HTTPMethod, _ path: String) -> Request {
        chosenMethod = method
        location.path = path
        location.segments = []
        return self
    }
}
