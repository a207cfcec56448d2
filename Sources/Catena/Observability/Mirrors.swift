// What `dump`, debuggers and test libraries see of values that hold secrets: no more than their descriptions show.

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

extension Params: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: members.map { Params([$0]).description }, displayStyle: .collection)
    }
}

extension Params.Member: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension Request: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension Profile: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension Response: CustomReflectable {
    /// Without the value, which is of a type of which nothing is known.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description, "headers": headers, "body": "\(body.count) bytes", "attempts": attempts])
    }
}

extension APIError: CustomReflectable {
    public var customMirror: Mirror {
        var children: [(label: String?, value: Any)] = [("description", description)]
        if let response { children.append(("response", response)) }
        if let body { children.append(("body", "\(body.count) bytes")) }
        return Mirror(self, children: children)
    }
}

extension CurlConfiguration: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Name and place, without the value.
    public var description: String { "\(name)=\(Redaction.mark) for \(isHostOnly ? "" : "*.")\(domain)\(path)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension ParameterSigner.Secret: CustomStringConvertible, CustomReflectable {
    /// Where the secret stands, without it.
    public var description: String {
        switch self {
        case .none: "none"
        case .prefix: "prefix(\(Redaction.mark))"
        case .suffix: "suffix(\(Redaction.mark))"
        case .around: "around(\(Redaction.mark))"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ParameterSigner.Digest: CustomStringConvertible, CustomReflectable {
    /// The kind, without the key.
    public var description: String {
        switch self {
        case .md5: "md5"
        case .sha256: "sha256"
        case .hmacSHA256: "hmacSHA256(\(Redaction.mark))"
        case .custom: "custom"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
