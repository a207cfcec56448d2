// Descriptions of values that hold secrets: the value of a secret name is shown as `***`.

/// The secrets to hide when a value is shown. It does not affect equality.
struct RedactionContext: Sendable, Hashable {
    /// The redaction of the tag to whose call the value belongs, or `nil` if the tag is unknown.
    var redaction: Redaction?
    /// The parts of a path that come from params with secret names.
    var secretParts: [String] = []

    var current: Redaction { redaction ?? .current }

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
        HTTPHeaders(
            headers.fields.map { field in
                .init(name: field.name, value: isSecret(header: field.name) ? Self.mark : redact(text: field.value))
            })
    }
}

extension HTTPAddress {
    /// Returns the address as it may be shown. All descriptions use this function, so that path, path params (RFC 3986 §3.3) and query are
    /// redacted alike.
    ///
    /// - Parameter redaction: The redaction to apply, or `nil` to hide only the parts of the path that come from params with secret names.
    package func redacted(by redaction: Redaction?) -> HTTPAddress {
        redacted(path: redaction?.redact(path:) ?? { $0 }, query: redaction?.redact(query:) ?? { $0 })
    }

    /// - Parameters:
    ///   - redactPath: Redacts a path.
    ///   - redactQuery: Redacts a query.
    package func redacted(path redactPath: (String) -> String, query redactQuery: (String) -> String) -> HTTPAddress {
        var shown = self
        for part in shown.shown.secretParts { shown.path = shown.path.replacing(part, with: Redaction.mark) }
        if PathSecrets.mayTell(shown.path) { shown.path = redactPath(shown.path) }
        if let query { shown.query = redactQuery(query) }
        return shown
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
