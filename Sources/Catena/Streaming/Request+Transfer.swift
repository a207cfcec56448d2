public import Foundation

extension Request {
    /// Tells, on the main actor, how far the transfer of a body is: at most ten times per second, never backwards, and 1 at the end of a
    /// success. Of a call that fails or is cancelled nothing is told any more.
    ///
    /// ```swift
    /// .onProgress { progress in self.bar.value = progress.fraction ?? 0 }
    /// ```
    ///
    /// - Parameters:
    ///   - direction: Which way; without it both are reported, each with its ``TransferProgress/direction``.
    ///   - handler: Receives the progress.
    public consuming func onProgress(
        _ direction: TransferProgress.Direction? = nil,
        _ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void
    ) -> Request {
        options.progressObservers.append(ProgressObserver(direction: direction, notify: handler))
        return self
    }

    /// Keeps a Foundation `Progress` up to date, on the main actor: its unit is the byte, and it is indeterminate while the total is not
    /// known.
    public consuming func reporting(to progress: Progress, _ direction: TransferProgress.Direction = .download) -> Request {
        onProgress(direction) { transfer in
            progress.totalUnitCount = transfer.total ?? -1
            progress.completedUnitCount = transfer.completed
        }
    }

    /// Lets a handle hold up the request and let it go on.
    public consuming func control(_ control: TransferControl) -> Request {
        options.control = control
        return self
    }
}

extension Request {
    /// The body of the response as it arrives, in pieces of any size.
    public func stream() -> ByteStream {
        ByteStream(request: self)
    }

    /// The lines of the response as they arrive, without their line breaks.
    ///
    /// - Parameter limit: How many bytes a line may have; a longer one throws.
    public func lines(limit: Int = LineStream.usualLimit) -> LineStream {
        LineStream(bytes: stream(), limit: limit)
    }

    /// The values of a response in which each line is JSON (NDJSON, JSON Lines), decoded as they arrive. Blank lines are skipped.
    ///
    /// ```swift
    /// for try await user in API.get("/users.ndjson").jsonLines(as: User.self) { show(user) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - limit: How many bytes a line may have; a longer one throws.
    public func jsonLines<Value: Decodable & Sendable>(
        as type: Value.Type,
        limit: Int = LineStream.usualLimit
    ) -> JSONLineStream<Value> {
        JSONLineStream(request: self, limit: limit)
    }

    /// The server-sent events of the response as they arrive.
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

    /// The values that the data of the server-sent events are decoded to, as they arrive.
    ///
    /// ```swift
    /// for try await chunk in API.post("/chat/completions").json(question).events(as: Chunk.self, until: "[DONE]") {
    ///     show(chunk.text)
    /// }
    /// ```
    ///
    /// Each event is decoded whatever its name is; one without data is skipped. The error of an event that cannot be decoded says which
    /// one it is, and has its data as ``APIError/body``.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - sentinel: The data of the event with which the server ends the events; it is not decoded, and no connection is made after it.
    ///     Events that end without it throw an error of kind ``APIError/Kind/connectionLost``. Without one they end as those of
    ///     ``events(reconnecting:limit:)`` do.
    ///   - reconnection: What follows when the connection ends. A method that is not idempotent is sent once in any case.
    ///   - limit: How many bytes an event may have; a longer one throws.
    public func events<Value: Decodable & Sendable>(
        as type: Value.Type,
        until sentinel: String? = nil,
        reconnecting reconnection: Reconnection = .standard,
        limit: Int = LineStream.usualLimit
    ) -> EventValues<Value> {
        EventValues(events: EventStream(request: self, reconnection: reconnection, limit: limit, sentinel: sentinel))
    }
}
