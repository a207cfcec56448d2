/// An encoding container for the members of an object.
struct KeyedOutput<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: PayloadWriter
    let number: Int

    var codingPath: [any CodingKey] { writer.path(to: number) }

    @inline(__always)
    private func member(_ key: Key) -> Bool { writer.member(key.stringValue, in: number) }

    func encodeNil(forKey key: Key) throws { if member(key) { writer.text.writeNull() } }

    func encode(_ value: Bool, forKey key: Key) throws { if member(key) { writer.text.write(value) } }
    func encode(_ value: String, forKey key: Key) throws { if member(key) { writer.text.write(value) } }
    func encode(_ value: Double, forKey key: Key) throws { if member(key) { writer.write(value) } }
    func encode(_ value: Float, forKey key: Key) throws { if member(key) { writer.write(value) } }
    func encode(_ value: Int, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }
    func encode(_ value: Int8, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }
    func encode(_ value: Int16, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }
    func encode(_ value: Int32, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }
    func encode(_ value: Int64, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }
    func encode(_ value: UInt, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }
    func encode(_ value: UInt8, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }
    func encode(_ value: UInt16, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }
    func encode(_ value: UInt32, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }
    func encode(_ value: UInt64, forKey key: Key) throws { if member(key) { writer.write(integer: value) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128, forKey key: Key) throws { if member(key) { writer.text.write(plain: value.description) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128, forKey key: Key) throws { if member(key) { writer.text.write(plain: value.description) } }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { if member(key) { try writer.write(any: value) } }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedOutput<NestedKey>(writer: writer, number: member(key) ? writer.nested(.object) : PayloadWriter.closed))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedOutput(writer: writer, number: member(key) ? writer.nested(.array) : PayloadWriter.closed)
    }

    func superEncoder() -> any Encoder { encoder(at: "super") }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(at: key.stringValue) }

    private func encoder(at key: String) -> ValueEncoder {
        ValueEncoder(writer: writer, number: writer.member(key, in: number) ? writer.later() : PayloadWriter.closed)
    }
}
