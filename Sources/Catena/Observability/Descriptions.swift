// What is printed of values that hold secrets: names that mean a secret have `***` for a value.

extension HTTPHeaders: CustomStringConvertible {
    /// The fields, without secrets.
    public var description: String {
        let shown = Redaction.standard.redact(self).fields.map { "\($0.name): \($0.value)" }
        return "[" + shown.joined(separator: ", ") + "]"
    }
}

extension HTTPHeaders.Field: CustomStringConvertible {
    public var description: String { HTTPHeaders([self]).description }
}

extension Params: CustomStringConvertible {
    /// The params as JSON, without secrets.
    public var description: String {
        let shown = members.map { member in
            Redaction.standard.isSecret(name: member.key)
                ? "\(member.key): \(Redaction.mark)"
                : "\(member.key): \(Redaction.standard.redact(text: JSON(["value": member.node])["value"].text))"
        }
        return "[" + shown.joined(separator: ", ") + "]"
    }
}

extension Params.Member: CustomStringConvertible {
    public var description: String { Params([self]).description }
}

extension Request: CustomStringConvertible {
    /// Tag, rule, method and path as the steps gave them, without secrets.
    public var description: String {
        let place = location.absolute ?? (location.host ?? "") + (location.path ?? "")
        let parts = [tag.map { ".\($0)" }, rule.map { "\"\($0.name)\"" }, method?.name, Redaction.standard.redact(text: place)]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
}

extension Profile: CustomStringConvertible {
    /// The host, and the headers and params without secrets.
    public var description: String { "\(host ?? "no host") \(headers) \(params)" }
}
