// One generic `encode` stands for the many of each protocol: which type it is, ``ParameterValue`` says. Only those for 128 bits must be
// there by name, since the protocols have some of their own that refuse.

struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterNodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws {
        try set(.null, for: key)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        if let value = value as? any ParameterValue {
            try set(value.parameterNode, for: key)
        } else {
            try set(ParameterNodeEncoder.encode(value, path: codingPath + [key], depth: encoder.depth + 1), for: key)
        }
    }

    func encode(_ value: Int128, forKey key: Key) throws { try set(value.parameterNode, for: key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try set(value.parameterNode, for: key) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) -> KeyedEncodingContainer<NestedKey> {
        member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        member(ParameterKey.superclass)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        member(key)
    }

    // Checked here too, since code that goes deeper by way of containers alone meets nothing else that can throw.
    private func set(_ node: ParameterNode, for key: Key) throws(ParameterError) {
        try ParameterNodeEncoder.checkDepth(encoder.depth, codingPath)
        encoder.builder.set(node, for: key.stringValue)
    }

    private func member(_ key: any CodingKey) -> ParameterNodeEncoder {
        encoder.nested(encoder.builder.member(key.stringValue), at: key)
    }
}

struct UnkeyedParameterContainer: UnkeyedEncodingContainer {
    let encoder: ParameterNodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.builder.count }

    func encodeNil() throws {
        try append(.null)
    }

    func encode(_ value: some Encodable) throws {
        if let value = value as? any ParameterValue {
            try append(value.parameterNode)
        } else {
            try append(ParameterNodeEncoder.encode(value, path: codingPath + [ParameterKey.index(count)], depth: encoder.depth + 1))
        }
    }

    func encode(_ value: Int128) throws { try append(value.parameterNode) }
    func encode(_ value: UInt128) throws { try append(value.parameterNode) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        element().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        element()
    }

    private func append(_ node: ParameterNode) throws(ParameterError) {
        try ParameterNodeEncoder.checkDepth(encoder.depth, codingPath)
        encoder.builder.append(node)
    }

    private func element() -> ParameterNodeEncoder {
        let key = ParameterKey.index(count)
        return encoder.nested(encoder.builder.element(), at: key)
    }
}
