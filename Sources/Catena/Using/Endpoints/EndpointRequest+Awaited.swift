public import CatenaPlatform

// The terminals of `Request` whose result is not the endpoint's response.
extension EndpointRequest {
    /// Sends the request and returns a promise of the result that a ``CallResult`` names. See ``Request/execute(_:file:line:)``.
    @discardableResult
    public func execute<Value>(_ result: CallResult<Value>, file: StaticString = #fileID, line: UInt = #line) -> Promise<Value> {
        request.execute(result, file: file, line: line)
    }

    /// Sends the request and awaits the decoded payload together with status, headers, code and message.
    @discardableResult
    public func response<Value: Decodable & Sendable>(as type: Value.Type) async throws -> Response<Value> {
        try await request.response(as: type)
    }

    /// Sends the request and awaits the whole body.
    @discardableResult
    public func data() async throws -> Data {
        try await request.data()
    }

    /// Sends the request and awaits the whole body as text.
    @discardableResult
    public func string() async throws -> String {
        try await request.string()
    }

    /// Sends the request and awaits its success.
    public func void() async throws {
        try await request.void()
    }

    /// Sends the request and awaits the response as a file. See ``Request/download(to:ifExists:sha256:resumes:limit:)``.
    @discardableResult
    public func download(
        to target: URL,
        ifExists existing: ExistingFile = .replace,
        sha256: String? = nil,
        resumes: Bool = true,
        limit: Int64? = nil
    ) async throws -> Download {
        try await request.download(to: target, ifExists: existing, sha256: sha256, resumes: resumes, limit: limit)
    }
}

extension EndpointRequest {
    /// Sends the request repeatedly until a closure accepts the endpoint's response. See ``Request/poll(every:upTo:isolation:until:)->JSON``.
    @discardableResult
    public func poll(
        every interval: Duration,
        upTo longest: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        until isDone: (Described.Response) throws -> Bool
    ) async throws -> Described.Response {
        try await request.poll(Described.format.target, PollPace(every: interval, upTo: longest), isolation: isolation, isDone)
    }
}

// Sequences, and methods that send nothing.
extension EndpointRequest {
    /// Returns the body as it arrives. See ``Request/stream()``.
    public func stream() -> ByteStream { request.stream() }

    /// Returns the lines of the body as they arrive. See ``Request/lines(limit:)``.
    public func lines(limit: Int = LineStream.usualLimit) -> LineStream { request.lines(limit: limit) }

    /// Returns the JSON values of the body, one per line. See ``Request/lines(as:limit:)``.
    public func lines<Value: Decodable & Sendable>(as type: Value.Type, limit: Int = LineStream.usualLimit) -> JSONLineStream<Value> {
        request.lines(as: type, limit: limit)
    }

    /// Has moved to ``lines(as:limit:)``.
    @available(*, deprecated, renamed: "lines(as:limit:)")
    public func jsonLines<Value: Decodable & Sendable>(as type: Value.Type, limit: Int = LineStream.usualLimit) -> JSONLineStream<Value> {
        request.lines(as: type, limit: limit)
    }

    /// Returns the events of the server. See ``Request/events(unfinished:reconnecting:limit:)``.
    public func events(
        unfinished: UnfinishedEvent = .discard,
        reconnecting reconnection: Reconnection = .standard,
        limit: Int = LineStream.usualLimit
    ) -> EventStream {
        request.events(unfinished: unfinished, reconnecting: reconnection, limit: limit)
    }

    /// Returns the decoded events of the server. See ``Request/events(as:named:until:unfinished:reconnecting:limit:)``.
    public func events<Value: Decodable & Sendable>(
        as type: Value.Type,
        named name: String? = nil,
        until sentinel: String? = nil,
        unfinished: UnfinishedEvent = .fail,
        reconnecting reconnection: Reconnection = .standard,
        limit: Int = LineStream.usualLimit
    ) -> EventValues<Value> {
        request.events(as: type, named: name, until: sentinel, unfinished: unfinished, reconnecting: reconnection, limit: limit)
    }

    /// Returns the decoded events of the server, each as the type of its name. See ``Request/events(named:until:unfinished:reconnecting:limit:)``.
    public func events(
        named types: [String: any (Decodable & Sendable).Type],
        until sentinel: String? = nil,
        unfinished: UnfinishedEvent = .fail,
        reconnecting reconnection: Reconnection = .standard,
        limit: Int = LineStream.usualLimit
    ) -> EventValues<any Decodable & Sendable> {
        request.events(named: types, until: sentinel, unfinished: unfinished, reconnecting: reconnection, limit: limit)
    }

    /// Returns the cached response of the endpoint at once, and then the server's. See ``Request/values(of:)``.
    public func values() -> CachedValues<Described.Response> {
        CachedValues(request: request, target: Described.format.target)
    }

    /// Returns the cached value at once, and then the server's, as another type than the endpoint's response. See ``Request/values(of:)``.
    public func values<Value: Decodable & Sendable>(of type: Value.Type) -> CachedValues<Value> {
        request.values(of: type)
    }

    /// Returns the pages of a list, in order. See ``Request/pages(of:by:)-(_,Paging)``.
    public func pages<Item: Decodable & Sendable>(of type: Item.Type, by paging: Paging = .number()) -> Pages<Item> {
        request.pages(of: type, by: paging)
    }

    /// Returns the pages of a list whose cursor a closure makes of the page before. See ``Request/pages(of:by:)-(_,Paging)``.
    public func pages<Item: Decodable & Sendable>(of type: Item.Type, by paging: CursorPaging<Item>) -> Pages<Item> {
        request.pages(of: type, by: paging)
    }

    /// Returns the items of a list whose cursor a closure makes of the page before. See ``Request/items(of:by:)-(_,Paging)``.
    public func items<Item: Decodable & Sendable>(of type: Item.Type, by paging: CursorPaging<Item>) -> Items<Item> {
        request.items(of: type, by: paging)
    }

    /// Returns the items of a list, page by page. See ``Request/items(of:by:)-(_,Paging)``.
    public func items<Item: Decodable & Sendable>(of type: Item.Type, by paging: Paging = .number()) -> Items<Item> {
        request.items(of: type, by: paging)
    }

    /// Sends the request and awaits the value that a format creates from the response. See ``Request/value(format:)``.
    @discardableResult
    public func value<Value>(format: ResponseFormat<Value>) async throws -> Value { try await request.value(format: format) }

    /// Returns the request as it would be sent now. See ``Request/preview()``.
    public func preview() async throws -> HTTPRequest { try await request.preview() }

    /// Returns a command for a POSIX shell that sends the request with curl. See ``Request/curl(showingSecrets:)``.
    public func curl(showingSecrets: Bool = false) async throws -> String { try await request.curl(showingSecrets: showingSecrets) }

    /// Returns the stages that the request would pass. See ``Request/explain()``.
    public func explain() -> String { request.explain() }
}
