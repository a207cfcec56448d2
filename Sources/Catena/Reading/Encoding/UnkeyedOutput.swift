/// An encoding container for the elements of an array.
struct UnkeyedOutput: UnkeyedEncodingContainer {
    let writer: PayloadWriter
    let number: Int

    var codingPath: [any CodingKey] { writer.path(to: number) }
    var count: Int { writer.count(of: number) }

    @inline(__always)
    private func element() -> Bool { writer.element(in: number) }

    func encodeNil() throws { if element() { writer.text.writeNull() } }

    func encode(_ value: Bool) throws { if element() { writer.text.write(value) } }
    func encode(_ value: String) throws { if element() { writer.text.write(value) } }
    func encode(_ value: Double) throws { if element() { writer.write(value) } }
    func encode(_ value: Float) throws { if element() { writer.write(value) } }
    func encode(_ value: Int) throws { if element() { writer.write(integer: value) } }
    func encode(_ value: Int8) throws { if element() { writer.write(integer: value) } }
    func encode(_ value: Int16) throws { if element() { writer.write(integer: value) } }
    func encode(_ value: Int32) throws { if element() { writer.write(integer: value) } }
    func encode(_ value: Int64) throws { if element() { writer.write(integer: value) } }
    func encode(_ value: UInt) throws { if element() { writer.write(integer: value) } }
    func encode(_ value: UInt8) throws { if element() { writer.write(integer: value) } }
    func encode(_ value: UInt16) throws { if element() { writer.write(integer: value) } }
    func encode(_ value: UInt32) throws { if element() { writer.write(integer: value) } }
    func encode(_ value: UInt64) throws { if element() { writer.write(integer: value) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { if element() { writer.text.write(plain: value.description) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { if element() { writer.text.write(plain: value.description) } }

    func encode<Value: Encodable>(_ value: Value) throws { if element() { try writer.write(any: value) } }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedOutput<NestedKey>(writer: writer, number: element() ? writer.nested(.object) : PayloadWriter.closed))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedOutput(writer: writer, number: element() ? writer.nested(.array) : PayloadWriter.closed)
    }

    /// Gives up, because `JSONEncoder` inserts and counts the element only when the encoder is released.
    func superEncoder() -> any Encoder {
        writer.giveUp()
        return ValueEncoder(writer: writer, number: PayloadWriter.closed)
    }
}
