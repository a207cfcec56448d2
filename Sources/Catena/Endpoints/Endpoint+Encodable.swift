extension Endpoint where Self: Encodable, ParamsValue == Params {
    /// The members that the endpoint encodes, without those of the protocol's names and types, such as its path and its headers.
    public var params: Params {
        get throws { try encodedMembers }
    }
}

extension Endpoint where Self: Encodable {
    /// The members that the endpoint encodes, without its own parts.
    var encodedMembers: Params {
        get throws {
            var params = try Params(encoding: self)
            for (name, node) in storedParts where params[name]?.parameterNode == node { params.remove(name) }
            return params
        }
    }

    /// Which parts of the protocol's own types are stored, and as what they are encoded. A property of that name and another type is the
    /// endpoint's own, and so is another property that is encoded under that name.
    private var storedParts: [(name: String, node: ParameterNode)] {
        Mirror(reflecting: self).children.compactMap { child in
            guard let name = child.label, let part = Self.part(name, child.value),
                let node = try? ParameterNode(encoding: part)
            else { return nil }
            return (name, node)
        }
    }

    private static func part(_ name: String, _ value: Any) -> (any Encodable)? {
        switch (name, value) {
        case ("path", let path as Path): path
        case ("tag", let tag as Tag): tag
        case ("method", let method as HTTPMethod): method
        case ("headers", let headers as HTTPHeaders): headers
        case ("timeout", let timeout as Duration): timeout
        case ("retry", let policy as RetryPolicy): policy
        case ("cache", let policy as CachePolicy): policy
        default: nil
        }
    }
}

// An `Encodable` endpoint that stores them gets its `encode(to:)` from the compiler only if they are encodable, too.

extension Tag: Encodable {
    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension HTTPMethod: Encodable {
    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension RetryPolicy: Encodable {
    /// Encodes the largest number of retries.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(limit)
    }
}

extension CachePolicy: Encodable {
    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension HTTPHeaders: Encodable {
    /// Encodes an object of names and values; several values of a name are joined.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ParameterKey.self)
        for field in fields { try container.encode(self[field.name], forKey: .name(field.name)) }
    }
}
