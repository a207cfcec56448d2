extension Endpoint where Self: Encodable {
    /// What the endpoint encodes, without its own path, tag, method and headers where they are encoded under these names.
    public var params: Params {
        get throws {
            var params = try Params(encoding: self)
            for (name, node) in storedParts where params[name]?.parameterNode == node { params.remove(name) }
            return params
        }
    }

    /// Which of path, tag, method and headers are stored, and as what they are encoded. A property of that name and another type is the
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
        case ("path", let path as String): path
        case ("tag", let tag as Tag): tag
        case ("method", let method as HTTPMethod): method
        case ("headers", let headers as HTTPHeaders): headers
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

extension HTTPHeaders: Encodable {
    /// Encodes an object of names and values; several values of a name are joined.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ParameterKey.self)
        for field in fields { try container.encode(self[field.name], forKey: .name(field.name)) }
    }
}
