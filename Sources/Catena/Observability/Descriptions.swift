// What is printed of values that hold secrets: names that mean a secret have `***` for a value.

/// What is hidden where a value is shown; to the value itself it makes no difference.
struct ShownForm: Sendable, Hashable {
    /// What the tag hides of whose calls the value is a part; `nil` where no tag is known.
    var redaction: Redaction?
    /// The parts of a path that params with the name of a secret have filled.
    var secretParts: [String] = []

    var current: Redaction { redaction ?? .current }

    static func == (left: ShownForm, right: ShownForm) -> Bool { true }

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

extension Params: CustomStringConvertible {
    /// The params as JSON, without secrets.
    public var description: String {
        let shown = members.map { member in
            Redaction.current.isSecret(name: member.key)
                ? "\(member.key): \(Redaction.mark)"
                : "\(member.key): \(Redaction.current.redact(text: JSON(["value": member.node])["value"].text))"
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
        let redaction = (client ?? .current).snapshot.profile(for: tag).redaction ?? .current
        let parts = [tag.map { ".\($0)" }, rule.map { "\"\($0.name)\"" }, method?.name, redaction.redact(text: place)]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
}

extension Profile: CustomStringConvertible {
    /// The host, and the headers and params without secrets.
    public var description: String {
        Redaction.$ofCall.withValue(redaction) {
            "\(host.map(Redaction.current.redact(text:)) ?? "no host") \(headers) \(params)"
        }
    }
}
