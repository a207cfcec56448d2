public import CatenaPlatform

extension RequestSteps {
    /// Reports on the main actor how much of a body has been transferred. It reports at most ten times per second, never a smaller value,
    /// and 1 at the end of a success. After a failure or a cancellation it reports nothing.
    ///
    /// ```swift
    /// .onProgress { progress in self.bar.value = progress.fraction ?? 0 }
    /// .onProgress(bar.show)
    /// ```
    ///
    /// - Parameter handler: Receives the progress of uploads and downloads, each with its ``TransferProgress/direction``.
    public consuming func onProgress(_ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void) -> Self {
        onProgress(nil, handler)
    }

    /// Reports on the main actor how much of a body has been transferred in one direction; see ``onProgress(_:)``.
    ///
    /// ```swift
    /// .onProgress(.upload) { progress in self.bar.value = progress.fraction ?? 0 }
    /// ```
    ///
    /// - Parameters:
    ///   - direction: Upload or download; `nil` reports both.
    ///   - handler: Receives the progress.
    public consuming func onProgress(
        _ direction: TransferProgress.Direction?,
        _ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void
    ) -> Self {
        request.options[\.progressObservers, default: []].append(ProgressObserver(direction: direction, notify: handler))
        return self
    }
}

extension Request {
    /// Returns the body of the response as it arrives, in pieces of any size. Each loop over it sends the request.
    public func stream() -> ByteStream {
        ByteStream(request: self)
    }

    /// Returns the lines of the response as they arrive, without their line breaks. Each loop over them sends the request.
    ///
    /// - Parameter limit: The longest line that is accepted, in bytes; a longer one throws.
    public func lines(limit: Int = LineStream.usualLimit) -> LineStream {
        LineStream(bytes: stream(), limit: limit)
    }

    /// Returns the values of a response in which each line is JSON (NDJSON, JSON Lines), decoded as they arrive. Blank lines are skipped.
    ///
    /// ```swift
    /// for try await user in API.get("/users.ndjson").lines(as: User.self) { show(user) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - limit: The longest line that is accepted, in bytes; a longer one throws.
    public func lines<Value: Decodable & Sendable>(
        as type: Value.Type,
        limit: Int = LineStream.usualLimit
    ) -> JSONLineStream<Value> {
        JSONLineStream(request: self, limit: limit)
    }

    /// Has moved to ``lines(as:limit:)``.
    @available(*, deprecated, renamed: "lines(as:limit:)")
    public func jsonLines<Value: Decodable & Sendable>(
        as type: Value.Type,
        limit: Int = LineStream.usualLimit
    ) -> JSONLineStream<Value> {
        lines(as: type, limit: limit)
    }

    /// Returns the server-sent events of the response as they arrive. Each loop over them sends the request.
    ///
    /// ```swift
    /// for try await event in API.get("/feed").events() { show(event.data) }
    /// ```
    ///
    /// - Parameters:
    ///   - unfinished: The treatment of an event that a connection ends before its empty line.
    ///   - reconnection: The rules for reconnecting. A request with a non-idempotent method is sent only once.
    ///   - limit: The longest event that is accepted, in bytes; a longer one throws.
    public func events(
        unfinished: UnfinishedEvent = .discard,
        reconnecting reconnection: Reconnection = .standard,
        limit: Int = LineStream.usualLimit
    ) -> EventStream {
        EventStream(request: self, reconnection: reconnection, limit: limit, unfinished: unfinished)
    }

    /// Returns the values decoded from the data of the server-sent events, as they arrive.
    ///
    /// ```swift
    /// for try await chunk in API.post("/chat/completions").json(question).events(as: Chunk.self, until: "[DONE]") {
    ///     show(chunk.text)
    /// }
    /// ```
    ///
    /// The tag's envelope reads each event, whatever its name, as it reads a response. A failure such as `{"error": {…}}` ends the stream with
    /// the ``APIError`` that a response with this body would cause. A type is decoded from the payload or from the whole event, whichever it
    /// fits. `JSON.self` is the whole event. Events without data are skipped. If an event cannot be decoded, the error names it. The
    /// ``APIError/body`` of both errors is the data of the event.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - name: The name of the events that are decoded, such as `"delta"`; others, such as pings, are skipped unless they are failures. The name of
    ///     an event without one is `"message"`. If `nil`, all events are decoded.
    ///   - sentinel: The data of the event with which the server ends the stream. It is not decoded, and the stream does not reconnect
    ///     after it. If the stream ends without it, an error of kind ``APIError/Kind/connectionLost`` is thrown. If `nil`, an event `[DONE]`
    ///     ends the stream, which otherwise ends like that of ``events(unfinished:reconnecting:limit:)``.
    ///   - unfinished: The treatment of an event that a connection ends before its empty line. By default it is an error if the stream ends
    ///     there.
    ///   - reconnection: The rules for reconnecting. A request with a non-idempotent method is sent only once.
    ///   - limit: The longest event that is accepted, in bytes; a longer one throws.
    public func events<Value: Decodable & Sendable>(
        as type: Value.Type,
        named name: String? = nil,
        until sentinel: String? = nil,
        unfinished: UnfinishedEvent = .fail,
        reconnecting reconnection: Reconnection = .standard,
        limit: Int = LineStream.usualLimit
    ) -> EventValues<Value> {
        let stream = EventStream(
            request: asking(for: ResultDecoder<Value>.decodable(type)), reconnection: reconnection, limit: limit, unfinished: unfinished,
            sentinel: .given(sentinel))
        return EventValues(events: stream) { run in
            let decoder = run.eventDecoder(of: type) { $0 }
            return name.map { EventDecoders(run, named: [$0: decoder]) } ?? EventDecoders(run, all: decoder)
        }
    }

    /// Returns the values decoded from the data of the server-sent events, each as the type that the name of its event has.
    ///
    /// ```swift
    /// for try await event in API.post("/messages").json(question).events(named: ["delta": Delta.self, "usage": Usage.self]) {
    ///     switch event {
    ///     case let delta as Delta: show(delta.text)
    ///     case let usage as Usage: show(usage.tokens)
    ///     default: break
    ///     }
    /// }
    /// ```
    ///
    /// Events of other names, such as pings, are skipped unless they are failures. Otherwise this behaves like
    /// ``events(as:named:until:unfinished:reconnecting:limit:)``.
    ///
    /// - Parameters:
    ///   - types: The types of the values, by the names of the events. The name of an event without one is `"message"`.
    ///   - sentinel: The data of the event with which the server ends the stream.
    ///   - unfinished: The treatment of an event that a connection ends before its empty line.
    ///   - reconnection: The rules for reconnecting. A request with a non-idempotent method is sent only once.
    ///   - limit: The longest event that is accepted, in bytes; a longer one throws.
    public func events(
        named types: [String: any (Decodable & Sendable).Type],
        until sentinel: String? = nil,
        unfinished: UnfinishedEvent = .fail,
        reconnecting reconnection: Reconnection = .standard,
        limit: Int = LineStream.usualLimit
    ) -> EventValues<any Decodable & Sendable> {
        // Sorted, so that the errors of the types are always searched in the same order.
        let request = types.valuesInOrder().reduce(self) { $0.asking(forEventsAs: $1) }
        let stream = EventStream(
            request: request, reconnection: reconnection, limit: limit, unfinished: unfinished, sentinel: .given(sentinel))
        return EventValues(events: stream) { run in
            EventDecoders(run, named: types.mapValues { type in run.anyEventDecoder(of: type) })
        }
    }

    private func asking<Value: Decodable & Sendable>(forEventsAs type: Value.Type) -> Request {
        asking(for: ResultDecoder<Value>.decodable(type))
    }

    /// Sends the request and awaits the response as a file.
    ///
    /// ```swift
    /// let download = try await API.get("/reports/7.pdf").download(to: file)
    /// ```
    ///
    /// The bytes go to a hidden file beside the target, which replaces the target when it is complete. Missing folders are created. If a
    /// download fails or is cancelled, its bytes are kept, provided that the server identifies the version of the file. The next attempt or
    /// download to the same target, even by another process, then requests only the rest. Bytes that cannot be resumed are removed. An
    /// error status produces an ``APIError`` and no file. Cancelling the task stops the download.
    ///
    /// - Parameters:
    ///   - target: The file; its folder need not exist.
    ///   - existing: The handling of an existing file.
    ///   - sha256: The SHA-256 of the file in hexadecimal digits. A file with another digest is removed, and the call fails.
    ///   - resumes: Whether to resume an earlier download, and to keep the bytes for a later one.
    ///   - limit: The maximum size of the file in bytes, or `nil` for ``Profile/downloadLimit``. A larger file fails with
    ///     ``APIError/Kind/bodyTooLarge``.
    /// - Throws: An ``APIError`` if the call fails, a `CancellationError` if the task is cancelled.
    @discardableResult
    public func download(
        to target: URL,
        ifExists existing: ExistingFile = .replace,
        sha256: String? = nil,
        resumes: Bool = true,
        limit: Int64? = nil
    ) async throws -> Download {
        try await execute(.download(to: target, ifExists: existing, sha256: sha256, resumes: resumes, limit: limit)).value
    }
}

extension CallRun {
    fileprivate func anyEventDecoder<Value: Decodable & Sendable>(of type: Value.Type) -> EventDecoders<any Decodable & Sendable>.Decoder {
        eventDecoder(of: type) { $0 }
    }
}
