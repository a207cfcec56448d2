// What is printed of values that hold secrets: names that mean a secret have `***` for a value.

/// What is hidden where a value is shown; to the value itself it makes no difference.
struct RedactionContext: Sendable, Hashable {
    /// What the tag hides of whose calls the value is a part; `nil` where no tag is known.
    var redaction: Redaction?
    /// The parts of a path that params with the name of a secret have filled.
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
    /// The address as it may be shown. It is the one way to show an address: path, path params (RFC 3986 §3.3) and query are hidden alike.
    ///
    /// - Parameter redaction: What hides the secrets; `nil` hides only what params with the name of a secret have put into the path.
    package func redacted(by redaction: Redaction?) -> HTTPAddress {
        redacted(path: redaction?.redact(path:) ?? { $0 }, query: redaction?.redact(query:) ?? { $0 })
    }

    /// - Parameters:
    ///   - redactPath: Hides the secrets of a path.
    ///   - redactQuery: Hides those of a query.
    package func redacted(path redactPath: (String) -> String, query redactQuery: (String) -> String) -> HTTPAddress {
        var shown = self
        for part in shown.shown.secretParts { shown.path = shown.path.replacing(part, with: Redaction.mark) }
        if PathSecrets.mayTell(shown.path) { shown.path = redactPath(shown.path) }
        if let query { shown.query = redactQuery(query) }
        return shown
    }
}

// MARK: What `dump`, debuggers and test libraries see, which is no more than descriptions show

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
    /// Name and place, without the value.
    public var description: String { "\(name)=\(Redaction.mark) for \(isHostOnly ? "" : "*.")\(domain)\(path)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
