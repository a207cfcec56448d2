public import Foundation

extension Request {
    // MARK: Parameters

    /// Merges params: those of the same name are replaced, `nil` values are left out.
    ///
    /// They go to the query with GET, HEAD and DELETE, and to a JSON body otherwise, unless ``encoding(_:)`` says something else.
    public consuming func params(_ params: Params) -> Request {
        self.params.merge(params)
        return self
    }

    /// Sets one param; `nil` leaves out what earlier steps set.
    public consuming func param(_ name: String, _ value: (any ParameterValue)?) -> Request {
        params[name] = value
        return self
    }

    /// Leaves a param out, also a common one and one that the tag sets.
    public consuming func removeParam(_ name: String) -> Request {
        params.remove(name)
        query.remove(name)
        removedParams.append(name)
        return self
    }

    /// Merges params that go to the query string, with every method.
    public consuming func query(_ query: Params) -> Request {
        self.query.merge(query)
        return self
    }

    /// Sets one param that goes to the query string, with every method; `nil` leaves out what earlier steps set.
    public consuming func query(_ name: String, _ value: (any ParameterValue)?) -> Request {
        query[name] = value
        return self
    }

    /// Says how the params are encoded.
    public consuming func encoding(_ encoding: ParameterEncoding) -> Request {
        options.encoding = encoding
        return self
    }

    /// Says how arrays, booleans, dates and the like are written in queries and forms, in place of what the tag says.
    public consuming func parameterStyle(_ style: ParameterStyle) -> Request {
        options.parameterStyle = style
        options.styleChanges = []
        return self
    }

    /// Changes how arrays, booleans, dates and the like are written; what the closure leaves alone stays as the tag has it.
    ///
    /// ```swift
    /// API.tag(.forum).get("/rooms").params(["ids": ids]).parameterStyle { $0.arrays = .repeat }
    /// ```
    public consuming func parameterStyle(_ change: @escaping @Sendable (inout ParameterStyle) -> Void) -> Request {
        options.styleChanges.append(change)
        return self
    }

    /// Says where the common params go.
    public consuming func commonParams(_ placement: CommonParams) -> Request {
        options.commonParams = placement
        return self
    }

    // MARK: Headers

    /// Sets a header; `nil` leaves out what earlier steps set and added.
    public consuming func header(_ name: String, _ value: String?) -> Request {
        headerChanges.set[name] = value
        headerChanges.added.remove(name)
        headerChanges.removed.removeAll { value != nil && sameHeaderName($0, name) }
        return self
    }

    /// Merges headers: those of the same name are replaced.
    public consuming func headers(_ headers: HTTPHeaders) -> Request {
        headerChanges.set.merge(headers)
        for field in headers.fields { headerChanges.added.remove(field.name) }
        headerChanges.removed.removeAll { headers.contains($0) }
        return self
    }

    /// Adds a value to a header, beside those that are set or inherited.
    public consuming func addHeader(_ name: String, _ value: String) -> Request {
        headerChanges.added.add(value, for: name)
        return self
    }

    /// Leaves a header out, also a common one and one that the tag sets.
    public consuming func removeHeader(_ name: String) -> Request {
        headerChanges.set.remove(name)
        headerChanges.added.remove(name)
        headerChanges.removed.append(name)
        return self
    }

    /// Says whether the common headers are sent.
    public consuming func commonHeaders(_ use: CommonHeaders) -> Request {
        options.commonHeaders = use
        return self
    }

    // MARK: Bodies

    /// Sends params as a JSON object, in their order.
    public consuming func json(_ members: Params) -> Request {
        body(.json(.params(members)), step: "json")
    }

    /// Sends a value as JSON: an object, an array or any other root.
    ///
    /// It is encoded when the request is executed; an encoding error rejects the call and names the key path.
    ///
    /// - Parameters:
    ///   - value: The value that becomes the root of the body.
    ///   - encoder: What encodes it, in place of the tag's ``Profile/encoder``.
    @_disfavoredOverload
    public consuming func json(_ value: some Encodable & Sendable, encoder: JSONEncoder? = nil) -> Request {
        body(.json(.value(value, encoder)), step: "json")
    }

    /// Sends bytes that are JSON already, as they are.
    public consuming func json(_ data: Data) -> Request {
        body(.json(.data(data)), step: "json")
    }

    /// Sends params as a form (`application/x-www-form-urlencoded`).
    public consuming func form(_ fields: Params) -> Request {
        body(.form(fields), step: "form")
    }

    /// Sends params as an XML property list.
    public consuming func propertyList(_ members: Params) -> Request {
        body(.propertyList(.object(members)), step: "propertyList")
    }

    /// Sends bytes as they are.
    public consuming func body(_ data: Data, contentType: String) -> Request {
        body(.data(data, contentType: contentType), step: "body")
    }

    consuming func body(_ content: BodyDescription.Content, step: String) -> Request {
        body = BodyDescription(content: content, step: step)
        return self
    }

    // MARK: Behaviour

    /// Limits the time of one attempt: from connecting to the end of the response, redirects included. What the common closures take is
    /// limited by ``deadline(_:)`` only.
    public consuming func timeout(_ timeout: Duration) -> Request {
        options.timeout = timeout
        return self
    }

    /// Limits the time from the last byte that was sent to the first one of the response.
    public consuming func firstByteTimeout(_ timeout: Duration) -> Request {
        options.firstByteTimeout = timeout
        return self
    }

    /// Limits the time in which nothing is sent or received.
    public consuming func idleTimeout(_ timeout: Duration) -> Request {
        options.idleTimeout = timeout
        return self
    }

    /// Limits the time of the whole call: `before`, common closures, all attempts and waits.
    public consuming func deadline(_ deadline: Duration) -> Request {
        options.deadline = deadline
        return self
    }

    /// Says when and how often the call is tried again.
    public consuming func retry(_ policy: RetryPolicy) -> Request {
        options.retry = policy
        return self
    }

    /// Says how the response is wrapped, in place of what the tag says.
    public consuming func envelope(_ envelope: Envelope) -> Request {
        options.envelope = envelope
        return self
    }

    /// Says how closely the payload has to match its type, in place of what the tag says.
    ///
    /// ```swift
    /// API.tag(.forum).get("/rooms/1").decoding(.lenient).execute(as: Room.self)
    /// ```
    public consuming func decoding(_ decoding: Decoding) -> Request {
        options.decoding = decoding
        return self
    }

    /// Says which part of the response the call gives.
    ///
    /// ```swift
    /// API.tag(.forum).get("/users").unwrap(.path("data.list")).execute(as: [User].self)
    /// ```
    public consuming func unwrap(_ part: Unwrap) -> Request {
        options.unwrap = part
        return self
    }

    /// Runs before anything else of the call, once: it may wait, and rejects the call by throwing. Several run in order.
    ///
    /// Cancelling the call cancels the task in which it runs.
    public consuming func before(_ body: @escaping @Sendable () async throws -> Void) -> Request {
        options.before.append(body)
        return self
    }
}
