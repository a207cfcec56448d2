import CatenaPlatform

// The description of a request: what its steps say, without secrets. No closure of the app runs for it.

extension Request: CustomStringConvertible {
    /// The method and the address, and below them the settings of the steps, one on each line, without secrets.
    ///
    /// ```
    /// POST https://forum.example.com/v1/rooms
    ///   tag: forum
    ///   params: [name: "lobby"]
    ///   timeout: 10.0 seconds
    /// ```
    ///
    /// Values of the tag and of the common closures are left out; ``preview()`` returns the request with them. A body is described by its kind
    /// and size. Later versions may change the text.
    public var description: String {
        let profile = (client ?? .current).profile(for: tag)
        return Redaction.$ofCall.withValue(profile.redaction) {
            let summary = described(by: profile, at: profile.address)
            let head = summary.url.isEmpty ? summary.method.name : "\(summary)"
            let lines = [head] + steps.map { "  " + Self.shortened($0) }
            // Names and values may contain line breaks, which must not look like further lines.
            return lines.map { Redaction.unbroken($0) }.joined(separator: "\n")
        }
    }

    private static func shortened(_ line: String) -> String {
        let shown = line.prefix(Redaction.longestLine)
        return shown.endIndex < line.endIndex ? shown + "…" : line
    }
}

extension Request: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension Request {
    /// The lines that describe the steps.
    fileprivate var steps: [String] {
        let changes = ownHeaders
        let headers = changes.merged
        var lines: [String] = []
        if let tag { lines.append("tag: \(tag)") }
        if let name { lines.append("rule: " + redacted(name)) }
        if let key = location.hostKey { lines.append("host key: " + redacted(key)) }
        if !params.isEmpty { lines.append("params: \(params)") }
        if !query.isEmpty { lines.append("query: \(query)") }
        if !removedParams.isEmpty { lines.append("without params: " + removedParams.joined(separator: ", ")) }
        if !headers.isEmpty { lines.append("headers: \(headers)") }
        if !changes.removed.isEmpty { lines.append("without headers: " + changes.removed.joined(separator: ", ")) }
        if let body { lines.append("body: " + body.content.summary) }
        lines += options.lines
        if !interceptors.isEmpty { lines.append("interceptors: \(interceptors.count)") }
        if !indicators.isEmpty { lines.append("loading indicators: \(indicators.count)") }
        if !ownValues.isEmpty { lines.append("own values: " + ownValues.names.joined(separator: ", ")) }
        if let fault { lines.append("fault: " + redacted(APIError.wrapping(fault).message)) }
        return lines
    }
}

private func redacted(_ text: String) -> String { Redaction.current.redact(text: text) }

extension BodyDescription.Content {
    /// The kind and the size of the body, without its content.
    fileprivate var summary: String {
        switch self {
        case .form(let fields): "a form, \(count(fields.count, of: "field"))"
        case .json(.params(let members)): "a JSON object, \(count(members.count, of: "member"))"
        case .json(.value(let value, _)): "JSON of a \(type(of: value))"
        case .json(.data(let data)): "JSON, \(data.count) bytes"
        case .propertyList: "a property list"
        case .data(let data, let contentType): "\(data.count) bytes, " + redacted(contentType)
        case .file(let file, let contentType): "the file \"\(redacted(file.lastPathComponent))\", " + redacted(contentType)
        case .source(let source, let contentType): "\(source), " + redacted(contentType)
        case .multipart(let form, _): "a multipart form, \(count(form.parts.count, of: "part"))"
        }
    }
}

private func count(_ count: Int, of name: String) -> String { "\(count) \(name)" + (count == 1 ? "" : "s") }

extension ParameterEncoding {
    fileprivate var summary: String {
        switch self {
        case .json: "JSON"
        case .form: "a form"
        case .propertyList: "a property list"
        case .query: "the query"
        case .custom(let encoder): "\(type(of: encoder))"
        }
    }
}

extension OptionLayer {
    /// The options that this layer sets, each with its value or its kind.
    fileprivate var lines: [String] {
        var lines: [String] = []
        func add(_ name: String, _ text: String?) {
            if let text { lines.append("\(name): \(text)") }
        }
        add("encoding", self[\.encoding]?.summary)
        add("common params", self[\.commonParams].map { "\($0)" })
        add("common headers", self[\.commonHeaders].map { "\($0)" })
        add("sign-in", self[\.isAuthenticated].map { $0 ? "with the credential" : "without a credential" })
        add("idempotency key", self[\.idempotencyKey].map { _ in "sent" })
        add("timeout", self[\.timeout].map { "\($0)" })
        add("first byte", self[\.firstByteTimeout].map { "\($0)" })
        add("idle", self[\.idleTimeout].map { "\($0)" })
        add("deadline", self[\.deadline].map { "\($0)" })
        add("retry", self[\.retry].map { $0.limit > 0 ? "up to \($0.limit) more attempts" : "never" })
        add("hedge", self[\.hedge].map { $0.delay.map { "after \($0)" } ?? "never" })
        add("cache", self[\.cachePolicy]?.name)
        add("once", self[\.isOnce].flatMap { $0 ? "joins an identical call" : nil })
        add("dedupe", self[\.dedupe].map { $0 ? "joins identical calls" : "never" })
        add("priority", self[\.priority].map { "\($0)" })
        add("envelope", self[\.envelope].map { _ in "its own" })
        add("unwrap", self[\.unwrap].map { "\($0)" })
        add("accepted types", self[\.acceptedTypes].map { _ in "those of the Accept header" })
        add(
            "id",
            self[\.id].map { Redaction.current.redact(text: $0) + (self[\.replacement] == nil ? "" : ", replaces older calls") })
        add("debounce", self[\.debounce].map { "\($0)" })
        add("group", self[\.group].map { Redaction.current.redact(text: $0) })
        add("before", self[\.before].map { count($0.count, of: "closure") })
        add("progress", self[\.progressObservers].map { count($0.count, of: "observer") })
        add("transport", self[\.carrier].map { "\(type(of: $0.transport))" })
        return lines
    }
}

// Public descriptions of a request. They hide secrets as an error's request does; `preview()` returns the request with secrets.
extension Request {
    /// The method of the call: that of its verb, or POST if there is a body, or the tag's default, or GET.
    public var method: HTTPMethod { summary.method }

    /// The address of the call. After a failure it is the requested address with its query; before, it is that of the steps and the tag's
    /// host, without params. The values of secret params are replaced by `***`.
    ///
    /// ```swift
    /// API.onError { error, request in
    ///     report("\(request.method) \(request.absoluteURL)", error.code)
    ///     return .proceed
    /// }
    /// ```
    public var absoluteURL: String { summary.url }

    /// Has moved to ``absoluteURL``.
    @available(*, unavailable, renamed: "absoluteURL")
    public var url: String { summary.url }

    /// The headers of the call. After a failure they are those that were sent, common headers included; before, those that its steps have
    /// set. Secret values are replaced by `***`.
    public var headers: HTTPHeaders { summary.headers }

    /// A summary of the prepared request, or of the steps before it is prepared.
    private var summary: RequestSummary {
        if let prepared { return prepared.value }
        let profile = (client ?? .current).profile(for: tag)
        return described(by: profile, at: profile.address)
    }

    /// Returns a summary of the steps, completed by the profile.
    ///
    /// - Parameter home: The host of the tag.
    func described(by profile: ResolvedProfile, at home: Result<HTTPAddress, HTTPAddress.Fault>?) -> RequestSummary {
        let host = location.host ?? (try? home?.get())?.text ?? ""
        return RequestSummary(
            method(by: profile), place(on: host),
            hasHost: !host.isEmpty || location.absolute != nil,
            ownHeaders.merged, tag: tag, hiding: profile.redaction)
    }

    /// Returns the method with which the request is sent.
    func method(by profile: ResolvedProfile) -> HTTPMethod {
        chosenMethod ?? (body == nil ? profile.configuration.value.defaultMethod ?? .get : .post)
    }

    /// Joins host, path and the query of the path. Names in the path are not filled.
    private func place(on host: String) -> String {
        if let absolute = location.absolute { return absolute }
        let path = (location.shownPath ?? "").prefix { $0 != "#" }
        let head = path.prefix { $0 != "?" }
        let whole: String =
            switch (host.last == "/", head.first == "/") {
            case (true, true): host + head.dropFirst()
            case (false, false) where !host.isEmpty && !head.isEmpty: host + "/" + head
            default: host + head
            }
        return whole + path.dropFirst(head.count)
    }
}
