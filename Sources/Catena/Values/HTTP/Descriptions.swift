// Descriptions of values that hold secrets: the value of a secret name is shown as `***`.

/// The secrets to hide when a value is shown. It does not affect equality.
struct RedactionContext: Sendable, Hashable {
    /// The redaction of the tag to whose call the value belongs, or `nil` if the tag is unknown.
    var redaction: Redaction?
    /// The percent-encoded values of params with secret names that fill a path or its query.
    var secretParts: [String] = []

    var current: Redaction { redaction ?? .current }

    /// Takes over what another part of the same request hides.
    @inline(__always)
    mutating func take(_ other: RedactionContext) {
        // Mostly equal, and then no reference is counted.
        if redaction !== other.redaction, let redaction = other.redaction { self.redaction = redaction }
        // Nearly every request has no such parts, and then this costs only the comparison.
        if !other.secretParts.isEmpty { takeParts(other.secretParts) }
    }

    @inline(never)
    private mutating func takeParts(_ parts: [String]) {
        for part in parts where !secretParts.contains(part) { secretParts.append(part) }
    }

    static func == (left: RedactionContext, right: RedactionContext) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

extension HTTPHeaders: CustomStringConvertible {
    /// The fields, without secrets.
    public var description: String {
        let shown = shown.current.redact(self).fields.map { "\($0.name): \($0.value)" }
        return "[" + shown.joined(separator: ", ") + "]"
    }
}

extension HTTPHeaders.Field: CustomStringConvertible {
    public var description: String { HTTPHeaders([self]).description }
}

extension Redaction {
    package func redact(_ address: HTTPAddress) -> String { address.redacted(by: self).text }

    package func redact(_ headers: HTTPHeaders) -> HTTPHeaders {
        // A field such as `Location` may repeat what fills the path.
        let parts = headers.shown.secretParts
        return HTTPHeaders(
            headers.fields.map { field in
                if isSecret(header: field.name) { return .init(name: field.name, value: Self.mark) }
                return .init(name: field.name, value: redact(text: parts.isEmpty ? field.value : SecretParts.hide(parts, in: field.value)))
            })
    }
}

extension HTTPAddress {
    /// Returns the address as it may be shown. All descriptions use this function, so that path, path params (RFC 3986 §3.3) and query are
    /// redacted alike.
    ///
    /// - Parameter redaction: The redaction to apply, or `nil` to hide only the values of secret params that fill the path or its query.
    package func redacted(by redaction: Redaction?) -> HTTPAddress {
        redacted(
            path: redaction?.redact(path:) ?? { $0 }, query: redaction?.redact(query:) ?? { $0 }, known: redaction?.known)
    }

    /// - Parameters:
    ///   - redactPath: Redacts a path.
    ///   - redactQuery: Redacts a query.
    ///   - known: The secrets that a path may have under no name.
    package func redacted(path redactPath: (String) -> String, query redactQuery: (String) -> String, known: KnownSecrets?) -> HTTPAddress {
        var address = self
        if !shown.secretParts.isEmpty {
            address.path = SecretParts.hide(shown.secretParts, in: path)
            address.query = query.map { SecretParts.hide(shown.secretParts, in: $0) }
        }
        if PathSecrets.mayTell(address.path) || known?.hidden(in: address.path) != nil { address.path = redactPath(address.path) }
        if let query = address.query { address.query = redactQuery(query) }
        return address
    }
}

// MARK: Mirrors for `dump`, debuggers and test libraries, which show no more than descriptions

extension HTTPHeaders: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: shown.current.redact(self).fields.map { "\($0.name): \($0.value)" }, displayStyle: .collection)
    }
}

extension HTTPHeaders.Field: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPAddress: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPRequest: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method.name, "address": address, "headers": headers, "body": "\(body?.count ?? 0) bytes"])
    }
}

extension HTTPResponse: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["status": status, "headers": headers, "body": "\(body.count) bytes", "address": address, "source": source.name])
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// The name, the domain and the path, without the value.
    public var description: String { "\(name)=\(Redaction.mark) for \(isHostOnly ? "" : "*.")\(domain)\(path)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
