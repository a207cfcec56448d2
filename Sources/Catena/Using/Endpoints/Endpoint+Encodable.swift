extension Endpoint where Self: Encodable, ParamsValue == Params {
    /// The members that the endpoint encodes, except those with a name and type of the protocol, such as its path and headers.
    public var params: Params {
        get throws { try encodedMembers }
    }
}

extension Endpoint where Self: Encodable {
    /// The members that the endpoint encodes, except its stored properties with a name and type of the protocol. A property with such a name but
    /// another type is a param, and so is another property that is encoded under such a name.
    var encodedMembers: Params {
        get throws { EndpointParts.removed(from: try Params(encoding: self), of: self) }
    }
}

private enum EndpointParts {
    /// The types that the protocol has for its parts.
    private static let types: [String: any (Encodable & Sendable).Type] = [
        "path": Path.self, "tag": Tag.self, "method": HTTPMethod.self, "headers": HTTPHeaders.self, "timeout": Duration.self,
        "retry": RetryPolicy.self, "cache": CachePolicy.self,
    ]

    @inline(never)
    static func removed(from members: Params, of endpoint: Any) -> Params {
        var params = members
        for child in Mirror(reflecting: endpoint).children {
            guard let name = child.label, let part = part(name, child.value), let node = try? ParameterNode(encoding: part),
                params[name]?.parameterNode == node
            else { continue }
            params.remove(name)
        }
        return params
    }

    private static func part(_ name: String, _ value: Any) -> (any Encodable)? {
        guard let wanted = types[name] else { return nil }
        let mirror = Mirror(reflecting: value)
        let value = mirror.displayStyle == .optional ? mirror.children.first?.value ?? value : value
        return type(of: value) == wanted ? value as? any Encodable : nil
    }
}

// These types are encodable because the compiler otherwise does not generate `encode(to:)` for an endpoint that stores them.

extension Tag: Encodable {
    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        try name.encode(to: encoder)
    }
}

extension HTTPMethod: Encodable {
    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        try name.encode(to: encoder)
    }
}

extension RetryPolicy: Encodable {
    /// Encodes the maximum number of retries.
    public func encode(to encoder: any Encoder) throws {
        try limit.encode(to: encoder)
    }
}

extension CachePolicy: Encodable {
    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        try name.encode(to: encoder)
    }
}

extension HTTPHeaders: Encodable {
    /// Encodes an object of names and values. Several values of a name are joined.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PlainKey.self)
        for field in fields { try container.encode(self[field.name], forKey: .name(field.name)) }
    }
}
