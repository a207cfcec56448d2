public import CatenaPlatform

extension RequestSteps {
    // MARK: Parameters

    /// Merges params: a param replaces an earlier one of the same name. A value that is `nil` changes nothing.
    ///
    /// ```swift
    /// API.tag(.forum).get("/users").params(["page": 1, "ids": [1, 2, 3], "q": optionalText])
    /// ```
    ///
    /// They are sent in the query with GET, HEAD and DELETE, and otherwise as a JSON body, unless ``encoding(_:)-(ParameterEncoding)`` sets another form.
    @_specialize(where Self == Request)
    public consuming func params(_ params: Params) -> Self {
        request.params.merge(params)
        return self
    }

    /// Sets one param. `nil` leaves it out, even if the tag or a common closure sets it. See ``params(_:)-(Params)`` for where it is sent.
    @_specialize(where Self == Request)
    public consuming func param(_ name: String, _ value: (any ParameterValue)?) -> Self {
        if value == nil {
            request.query.remove(name)
            request.removedParams.append(name)
        }
        request.params[name] = value
        return self
    }

    /// Merges params that are sent in the query, with every method.
    @_specialize(where Self == Request)
    public consuming func query(_ query: Params) -> Self {
        request.query.merge(query)
        return self
    }

    /// Sets one param that is sent in the query, with every method. `nil` leaves it out, even if the tag or a common closure sets it.
    @_specialize(where Self == Request)
    public consuming func query(_ name: String, _ value: (any ParameterValue)?) -> Self {
        if value == nil { request.removedParams.append(name) }
        request.query[name] = value
        return self
    }

    /// Sets the form in which the params are sent: in the query, as JSON, as a form or as a property list.
    @_specialize(where Self == Request)
    public consuming func encoding(_ encoding: ParameterEncoding) -> Self {
        request.options[\.encoding] = encoding
        return self
    }

    /// Sets how arrays, booleans, dates and other values are written in queries and forms, in place of the tag's style.
    @_specialize(where Self == Request)
    public consuming func encoding(style: ParameterStyle) -> Self {
        request.options[\.parameterStyle] = style
        request.options[\.styleChanges] = nil
        return self
    }

    /// Changes how arrays, booleans, dates and other values are written. The closure receives the style of the tag or of an earlier step.
    ///
    /// ```swift
    /// API.tag(.forum).get("/rooms").params(["ids": ids]).encoding { $0.arrays = .repeat }
    /// ```
    @_specialize(where Self == Request)
    public consuming func encoding(_ change: @escaping @Sendable (inout ParameterStyle) -> Void) -> Self {
        request.options[\.styleChanges, default: []].append(change)
        return self
    }

    /// Sets where the common params are sent: in the query, beside the call's own params, or not at all.
    @_specialize(where Self == Request)
    public consuming func commonParams(_ placement: CommonParams) -> Self {
        request.options[\.commonParams] = placement
        return self
    }

    // MARK: Headers

    /// Sets a header in place of earlier ones of the same name. `nil` leaves it out, even if the tag or a common closure sets it.
    ///
    /// Names are compared without regard to case. An invalid name or value, such as one with a line break, fails the call.
    @_specialize(where Self == Request)
    public consuming func header(_ name: String, _ value: String?) -> Self {
        request.headerChanges.set[name] = value
        request.headerChanges.added.remove(name)
        if value == nil {
            request.headerChanges.removed.append(name)
        } else {
            request.headerChanges.removed.removeAll { sameHeaderName($0, name) }
        }
        request.noteChange(ofHeader: name)
        return self
    }

    /// Sets a header to a whole number. See ``header(_:_:)-(String,String?)``.
    @_disfavoredOverload
    public consuming func header(_ name: String, _ value: some BinaryInteger) -> Self { header(name, String(value)) }

    /// Sets a header to `true` or `false`. See ``header(_:_:)-(String,String?)``.
    @_disfavoredOverload
    public consuming func header(_ name: String, _ value: Bool) -> Self { header(name, String(value)) }

    /// Sets a header to several values, each in a field of its own (RFC 9110 §5.3). An empty list leaves it out, as `nil` does.
    @_disfavoredOverload
    public consuming func header(_ name: String, _ values: [String]) -> Self {
        values.dropFirst().reduce(header(name, values.first)) { $0.header(name, adding: $1) }
    }

    /// Adds a value to a header, beside the values that the request, the tag or a common closure sets.
    @_specialize(where Self == Request)
    public consuming func header(_ name: String, adding value: String) -> Self {
        request.headerChanges.added.add(value, for: name)
        return self
    }

    /// Merges headers: a header replaces earlier ones of the same name.
    @_specialize(where Self == Request)
    public consuming func headers(_ headers: HTTPHeaders) -> Self {
        request.headerChanges.set.merge(headers)
        for field in headers.fields {
            request.headerChanges.added.remove(field.name)
            request.noteChange(ofHeader: field.name)
        }
        request.headerChanges.removed.removeAll { headers.contains($0) }
        return self
    }

    /// Merges headers of a dictionary, sorted by name: a header replaces earlier ones of the same name.
    @_disfavoredOverload
    public consuming func headers(_ headers: [String: String]) -> Self { self.headers(HTTPHeaders(headers)) }

    /// Sets whether the common headers are sent.
    @_specialize(where Self == Request)
    public consuming func commonHeaders(_ use: CommonHeaders) -> Self {
        request.options[\.commonHeaders] = use
        return self
    }

    // MARK: Bodies

    /// Sends params as a JSON object, with its members in this order.
    @_specialize(where Self == Request)
    public consuming func json(_ members: Params) -> Self {
        body(.json(.params(members)), step: "json")
    }

    /// Sends a value as JSON: an object, an array or a single value.
    ///
    /// ```swift
    /// API.tag(.forum).post("/rooms").json(Room(name: "lobby")).execute(.void)
    /// ```
    ///
    /// The value is encoded when the request is executed. An encoding error fails the call and names the key path.
    ///
    /// - Parameters:
    ///   - value: The root of the body.
    ///   - encoder: The encoder, in place of the tag's ``Profile/encoder``.
    @_disfavoredOverload
    public consuming func json(_ value: some Encodable & Sendable, encoder: JSONEncoder? = nil) -> Self {
        body(.json(.value(value, encoder)), step: "json")
    }

    /// Sends encoded JSON, without checking it.
    @_specialize(where Self == Request)
    public consuming func json(_ data: Data) -> Self {
        body(.json(.data(data)), step: "json")
    }

    /// Sends params as a form, `application/x-www-form-urlencoded`.
    @_specialize(where Self == Request)
    public consuming func form(_ fields: Params) -> Self {
        body(.form(fields), step: "form")
    }

    /// Sends params as an XML property list.
    @_specialize(where Self == Request)
    public consuming func body(propertyList members: Params) -> Self {
        body(.propertyList(.object(members)), step: "body(propertyList:)")
    }

    /// Sends bytes unchanged.
    @_specialize(where Self == Request)
    public consuming func body(_ data: Data, contentType: String) -> Self {
        body(.data(data, contentType: contentType), step: "body")
    }

    consuming func body(_ content: BodyDescription.Content, step: String) -> Self {
        request.body = BodyDescription(content: content, step: step)
        return self
    }

    // MARK: Behaviour

    /// Limits the time of one attempt: from connecting to the end of the response, redirects included.
    ///
    /// Without this step and the tag's ``Profile/timeout``, the limit is 60 seconds. An attempt that takes longer fails with
    /// ``APIError/Kind/timeout`` and may be retried. The time of the common closures is limited by ``deadline(_:)`` only.
    @_specialize(where Self == Request)
    public consuming func timeout(_ timeout: Duration) -> Self {
        request.options[\.timeout] = timeout
        return self
    }

    /// Limits the time of the whole call: `before` closures, common closures, all attempts and all waits.
    ///
    /// A call that takes longer fails with ``APIError/Kind/timeout`` and is not retried. Without a deadline there is no such limit.
    @_specialize(where Self == Request)
    public consuming func deadline(_ deadline: Duration) -> Self {
        request.options[\.deadline] = deadline
        return self
    }

    /// Sets which failures of the call are retried and how often, in place of the tag's policy.
    ///
    /// ```swift
    /// API.tag(.forum).get("/rooms").retry(.exponential(limit: 2)).execute(as: [Room].self)
    /// ```
    ///
    /// Without a policy nothing is retried. Unless the policy names other methods, only idempotent methods are retried, and any method with
    /// ``CallOptions/idempotencyKey``.
    @_specialize(where Self == Request)
    public consuming func retry(_ policy: RetryPolicy) -> Self {
        request.options[\.retry] = policy
        return self
    }

    /// Sets how the response is wrapped, in place of the tag's envelope: `envelope(.raw)` if the whole body is the payload.
    @_specialize(where Self == Request)
    public consuming func envelope(_ envelope: Envelope) -> Self {
        request.options[\.envelope] = envelope
        return self
    }

    /// Runs a closure once, before everything else in the call. Several closures run in the order of their steps.
    ///
    /// The closure is nonisolated and may await. An error that it throws fails the call. Cancelling the call cancels the task in which it runs.
    @_specialize(where Self == Request)
    public consuming func before(_ body: @escaping @Sendable () async throws -> Void) -> Self {
        request.options[\.before, default: []].append(Box(body))
        return self
    }
}

// Disfavored, so that the compiler tries text first and does not consider these where text fits.
extension RequestSteps {
    /// Sets a header in place of earlier ones of the same name. `nil` leaves it out, even if the tag or a common closure sets it.
    ///
    /// ```swift
    /// API.tag(.forum).put("/rooms.csv").header(.contentType, "text/csv; header=present")
    /// ```
    @_disfavoredOverload
    public consuming func header(_ name: HTTPHeaders.Name, _ value: String?) -> Self { header(name.text, value) }

    /// Sets a header to several values. See ``header(_:_:)-(String,[String])``.
    @_disfavoredOverload
    public consuming func header(_ name: HTTPHeaders.Name, _ values: [String]) -> Self { header(name.text, values) }

    /// Adds a value to a header, beside the values that the request, the tag or a common closure sets.
    @_disfavoredOverload
    public consuming func header(_ name: HTTPHeaders.Name, adding value: String) -> Self { header(name.text, adding: value) }
}

extension RequestSteps {
    /// Sets a value of your own, which interceptors, signers, observers, logs and stubs of the call can read. See ``OptionKey``.
    ///
    /// ```swift
    /// enum ScreenName: OptionKey { static let initial: String? = nil }
    ///
    /// API.tag(.forum).get("/rooms").set(ScreenName.self, "rooms").execute(as: [Room].self)
    /// ```
    public consuming func set<Key: OptionKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
        request.ownValues[key] = value
        return self
    }

    /// The value of your own that ``set(_:_:)-(Key.Type,_)`` has set, or the key's initial value.
    public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value { request.ownValues[key] }
}

extension RequestSteps {
    /// Sets whether the call sends the tag's credential. Without this step it does, if the tag has ``Profile/authentication``.
    ///
    /// A call that signs a user in needs `authenticated(false)`.
    @_specialize(where Self == Request)
    public consuming func authenticated(_ isAuthenticated: Bool = true) -> Self {
        request.options[\.isAuthenticated] = isAuthenticated
        return self
    }

    /// Sets when the call uses a stored response, in place of the tag's policy. It has an effect only if the tag has a ``Profile/cache``.
    @_specialize(where Self == Request)
    public consuming func cache(_ policy: CachePolicy) -> Self {
        request.options[\.cachePolicy] = policy
        return self
    }

    /// Lets this call join an identical active one, whatever its method, so that a button that is tapped twice sends one request.
    ///
    /// ```swift
    /// API.tag(.forum).post("/orders").json(["room": 7]).once().execute(as: Order.self)
    /// ```
    ///
    /// Calls are identical if they agree in method, address, headers, body, tag, user and cookies, as far as ``Profile/requestKeyRules`` compare
    /// them. A call that joins receives the response or the failure of the first one. A call that begins afterwards is sent.
    ///
    /// The call fails with ``APIError/Kind/invalidRequest`` if it cannot be joined. Such calls are streams, downloads, and calls whose body is
    /// read while it is sent.
    ///
    /// - Parameter isOnce: Whether the call joins; `false` removes the step.
    @_specialize(where Self == Request)
    public consuming func once(_ isOnce: Bool = true) -> Self {
        request.options[\.isOnce] = isOnce
        return self
    }
}
