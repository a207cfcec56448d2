/// The options of a call that have no step of their own. ``RequestSteps/set(_:_:)-(_,Value)`` sets one of them.
///
/// ```swift
/// API.tag(.files).get("/report").set(\.idleTimeout, .seconds(20)).set(\.priority, .high).execute(.download(to: file))
/// ```
///
/// An option that is not set has the value of the tag. Options that a tag has too have the same names in ``Profile``.
public struct CallOptions: Sendable {
    package var request: Request
}

extension RequestSteps {
    /// Sets an option that has no step of its own: `set(\.priority, .high)`. Completion after `\.` lists the options.
    public consuming func set<Value>(_ option: WritableKeyPath<CallOptions, Value>, _ value: Value) -> Self {
        var options = CallOptions(request: request)
        options[keyPath: option] = value
        request = options.request
        return self
    }
}

extension CallOptions {
    /// The time limit from the last byte of the request to the first byte of the response. Without it only ``RequestSteps/timeout(_:)`` applies.
    public var firstByteTimeout: Duration? {
        get { request.options[\.firstByteTimeout] }
        set { request.options[\.firstByteTimeout] = newValue }
    }

    /// The time limit of each interval in which nothing is sent or received. Without it only ``RequestSteps/timeout(_:)`` applies; the bodies of
    /// streams and downloads have 60 seconds.
    public var idleTimeout: Duration? {
        get { request.options[\.idleTimeout] }
        set { request.options[\.idleTimeout] = newValue }
    }

    /// The time after which a second attempt starts beside the first if there is no response. The call uses whichever response arrives first.
    ///
    /// ```swift
    /// API.tag(.search).get("/suggestions").param("q", text).set(\.hedgeDelay, .milliseconds(80)).execute(as: [String].self)
    /// ```
    ///
    /// Catena cancels the other attempt. A second attempt uses the retry budget of the tag, and does not start if the budget is empty.
    ///
    /// A call that must not be sent twice fails with ``APIError/Kind/invalidRequest`` and is not sent. Such calls are streams, downloads, calls
    /// whose body can be read only once, and calls with a method that is not idempotent and without ``idempotencyKey``.
    ///
    /// The time includes the sign-in of the first attempt. Choose one that is longer than most responses take. `nil` turns off the second attempt,
    /// also if the tag has one.
    public var hedgeDelay: Duration? {
        get { request.options[\.hedge]?.delay }
        set { request.options[\.hedge] = Hedge(delay: newValue, isOwn: true) }
    }

    /// Whether the call shares the response of an identical active call. Only GET, HEAD and QUERY calls do; see ``RequestSteps/once(_:)`` for the others.
    public var dedupe: Bool? {
        get { request.options[\.dedupe] }
        set { request.options[\.dedupe] = newValue }
    }

    /// The paths whose responses are stale once the call has succeeded, on its host. `*` stands for one segment and `**` for any number.
    ///
    /// ```swift
    /// API.tag(.forum).post("/rooms/\(id)/rename").json(name).set(\.invalidates, ["/rooms", "/rooms/*"]).execute(.void)
    /// ```
    ///
    /// A path stands for all of its queries and all users. The cache forgets its responses, no call joins one that began before, and a loop over
    /// ``Request/values(of:)`` asks the server again. An error status or a failing code changes nothing. If the outcome is unknown, as after a
    /// timeout, the responses are stale, too.
    public var invalidates: [Path]? {
        get { request.options[\.invalidates] }
        set { request.options[\.invalidates] = newValue }
    }

    /// The `Idempotency-Key` of the call, by which the server recognizes a repeated request. The call can then be retried with any method.
    ///
    /// ```swift
    /// API.tag(.shop).post("/orders").json(order).set(\.idempotencyKey, .random).retry(.exponential(limit: 2)).execute(.void)
    /// ```
    ///
    /// All attempts of a call have the same key.
    public var idempotencyKey: IdempotencyKey? {
        get { request.options[\.idempotencyKey] }
        set { request.options[\.idempotencyKey] = newValue }
    }

    /// The time that the call waits at its beginning. A newer call with the same id that begins meanwhile replaces it, and it sends nothing.
    ///
    /// ```swift
    /// API.tag(.forum).get("/search").query("q", text).id("search", replacing: true).set(\.debounce, .milliseconds(300)).execute(as: [Hit].self)
    /// ```
    ///
    /// The deadline includes the wait. Of a loop, such as the pages of a list, only the first call waits. Without
    /// ``RequestSteps/id(_:replacing:)`` the call fails with ``APIError/Kind/invalidRequest``, because no call would replace it.
    public var debounce: Duration? {
        get { request.options[\.debounce] }
        set { request.options[\.debounce] = newValue }
    }

    /// The order in which calls start that wait for a limit.
    public var priority: CallPriority? {
        get { request.options[\.priority] }
        set { request.options[\.priority] = newValue }
    }

    /// The media types that the call accepts, in the order of preference; an empty list accepts all. A successful response of another type fails the
    /// call with ``APIError/Kind/decoding``.
    ///
    /// ```swift
    /// API.get("/report").set(\.acceptedTypes, ["application/pdf", "image/*"]).execute(.download(to: file))
    /// ```
    ///
    /// A response without a body, or with an error status, may have any type.
    public var acceptedTypes: [String]? {
        get { request.options[\.acceptedTypes]?.types }
        set {
            let types = newValue?.isEmpty == true ? ["*/*"] : newValue
            if let types {
                // The step of the header, because the later one of both replaces the earlier one.
                request = request.header("Accept", types.joined(separator: ", "))
            } else {
                request.headerChanges.set.remove("Accept")
            }
            request.options[\.acceptedTypes] = types.map { AcceptedTypes($0) }
        }
    }

    /// How closely the payload has to match its type.
    ///
    /// ```swift
    /// API.tag(.forum).get("/rooms/1").set(\.decoding, .lenient).execute(as: Room.self)
    /// ```
    public var decoding: Decoding? {
        get { request.options[\.decoding] }
        set { request.options[\.decoding] = newValue }
    }

    /// The part of the response that is decoded: the payload of its envelope, the whole body, or the value at a path.
    ///
    /// ```swift
    /// API.tag(.forum).get("/users").set(\.unwrap, .path("data.list")).execute(as: [User].self)
    /// ```
    public var unwrap: Unwrap? {
        get { request.options[\.unwrap] }
        set { request.options[\.unwrap] = newValue }
    }

    /// A handle that suspends and resumes the call.
    public var control: TransferControl? {
        get { request.options[\.control] }
        set { request.options[\.control] = newValue }
    }
}
