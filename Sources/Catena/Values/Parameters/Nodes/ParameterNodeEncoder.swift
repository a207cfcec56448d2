/// Turns any `Encodable` value into a node, from which queries, forms and property lists are written.
///
/// A ``ParameterValue`` provides its own node, and its `Encodable` code is not used. So dates, bytes and decimals keep their type, numbers
/// their digits and members their order.
struct ParameterNodeEncoder: Encoder {
    let builder: ParameterNodeBuilder
    let codingPath: [any CodingKey]
    /// The nesting depth, which includes values that add nothing to the path.
    let depth: Int
    /// Whether the value is a dictionary, whose keys are data.
    var isDictionary = false

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns the node of a value.
    ///
    /// - Throws: The error of `Encodable` code as the underlying error, with its key path.
    static func encode(_ value: any Encodable, path: [any CodingKey] = [], depth: Int = 0) throws(ParameterError) -> ParameterNode {
        if let value = value as? any ParameterValue { return value.parameterNode }
        try checkDepth(depth, path)
        let encoder = ParameterNodeEncoder(
            builder: ParameterNodeBuilder(), codingPath: path, depth: depth, isDictionary: value is any UnorderedMembers)
        do {
            try value.encode(to: encoder)
        } catch {
            throw ParameterError(encoding: error, path: path)
        }
        do throws(ParameterError) {
            let node = try encoder.builder.finish()
            return encoder.isDictionary ? node.sorted : node
        } catch {
            throw error.inside(path)
        }
    }

    /// Throws before a value that contains itself exhausts the stack.
    static func checkDepth(_ depth: Int, _ path: [any CodingKey]) throws(ParameterError) {
        guard depth > ParameterError.deepest else { return }
        do throws(ParameterError) {
            try ParameterError.checkDepth(depth)
        } catch {
            throw error.inside(path)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        builder.beginObject()
        return KeyedEncodingContainer(KeyedParameterContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        builder.beginArray()
        return UnkeyedParameterContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Returns an encoder for the value of a key.
    func nested(_ builder: ParameterNodeBuilder, at key: any CodingKey) -> ParameterNodeEncoder {
        ParameterNodeEncoder(builder: builder, codingPath: codingPath + [key], depth: depth + 1)
    }
}

extension ParameterNodeEncoder: SingleValueEncodingContainer {
    func encodeNil() throws {
        builder.set(.null)
    }

    func encode(_ value: some Encodable) throws {
        builder.set(try Self.encode(value, path: codingPath, depth: depth + 1))
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { builder.set(value.parameterNode) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { builder.set(value.parameterNode) }
}

extension ParameterNode {
    /// Creates the node of any `Encodable` value.
    init(encoding value: some Encodable) throws(ParameterError) {
        self = try ParameterNodeEncoder.encode(value)
    }

    fileprivate var sorted: ParameterNode {
        guard case .object(let object) = self else { return self }
        return .object(Params(object.members.ordered { $0.key < $1.key }))
    }
}

/// Marks dictionaries, which encode their members in random order.
private protocol UnorderedMembers {}

extension Dictionary: UnorderedMembers {}

extension ParameterError {
    /// Wraps an error of `Encodable` code, unless an inner value has already added its key path.
    fileprivate init(encoding error: any Error, path: [any CodingKey]) {
        switch error {
        case let error as ParameterError: self = error
        case EncodingError.invalidValue(_, let context):
            let path = context.codingPath.isEmpty ? path : context.codingPath
            self = ParameterError(context.debugDescription, underlying: error).inside(path)
        default: self = ParameterError("encoding it failed: \(APIError.wrapping(error).message)", underlying: error).inside(path)
        }
    }

    package func inside(_ path: [any CodingKey]) -> ParameterError {
        path.reversed().reduce(self) { error, key in
            if case .index(let index)? = key as? PlainKey { error.inside(index) } else { error.inside(key.stringValue) }
        }
    }
}

// One generic `encode` replaces the many of each protocol, because ``ParameterValue`` tells the types apart. Only those for 128 bits must be
// named, because the protocols have default implementations that throw.

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

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128, forKey key: Key) throws { try set(value.parameterNode, for: key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128, forKey key: Key) throws { try set(value.parameterNode, for: key) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) -> KeyedEncodingContainer<NestedKey> {
        member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        member(PlainKey.superclass)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        member(key)
    }

    // Checked here too, because code that nests only containers calls no other function that can throw.
    private func set(_ node: ParameterNode, for key: Key) throws(ParameterError) {
        try ParameterNodeEncoder.checkDepth(encoder.depth, codingPath)
        encoder.builder.set(node, for: key.stringValue, isCoded: !encoder.isDictionary)
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
            try append(ParameterNodeEncoder.encode(value, path: codingPath + [PlainKey.index(count)], depth: encoder.depth + 1))
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { try append(value.parameterNode) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
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
        let key = PlainKey.index(count)
        return encoder.nested(encoder.builder.element(), at: key)
    }
}
