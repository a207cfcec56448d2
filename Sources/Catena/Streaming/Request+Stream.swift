extension Request {
    /// The body of the answer as it arrives, in pieces of any size.
    public func stream() -> ByteStream {
        ByteStream(request: self)
    }

    /// The lines of the answer as they arrive, without their line breaks.
    ///
    /// - Parameter limit: How many bytes a line may have; a longer one throws.
    public func lines(limit: Int = LineStream.usualLimit) -> LineStream {
        LineStream(bytes: stream(), limit: limit)
    }

    /// The values of an answer in which each line is JSON (NDJSON, JSON Lines), decoded as they arrive. Blank lines are skipped.
    ///
    /// ```swift
    /// for try await user in API.get("/users.ndjson").jsonLines(as: User.self) { show(user) }
    /// ```
    ///
    /// - Parameter limit: How many bytes a line may have; a longer one throws.
    public func jsonLines<Value: Decodable & Sendable>(
        as type: Value.Type,
        limit: Int = LineStream.usualLimit
    ) -> JSONLineStream<Value> {
        JSONLineStream(request: self, limit: limit)
    }

    /// The server-sent events of the answer as they arrive.
    ///
    /// ```swift
    /// for try await event in API.get("/feed").events() { show(event.data) }
    /// ```
    ///
    /// - Parameters:
    ///   - reconnection: What follows when the connection ends. A method that is not idempotent is sent once in any case.
    ///   - limit: How many bytes an event may have; a longer one throws.
    public func events(
        reconnecting reconnection: Reconnection = .standard,
        limit: Int = LineStream.usualLimit
    ) -> EventStream {
        EventStream(request: self, reconnection: reconnection, limit: limit)
    }
}
