/// The encoder of one value, and the container of a value without parts.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let writer: PayloadWriter
    let number: Int

    var codingPath: [any CodingKey] { writer.path(to: number) }
    var userInfo: [CodingUserInfoKey: Any] { writer.strategies.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedOutput<Key>(writer: writer, number: writer.open(.object, in: number)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedOutput(writer: writer, number: writer.open(.array, in: number)) }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    @inline(__always)
    private func begin() -> Bool { writer.single(in: number) }

    func encodeNil() throws { if begin() { writer.text.writeNull() } }

    func encode(_ value: Bool) throws { if begin() { writer.text.write(value) } }
    func encode(_ value: String) throws { if begin() { writer.text.write(value) } }
    func encode(_ value: Double) throws { if begin() { writer.write(value) } }
    func encode(_ value: Float) throws { if begin() { writer.write(value) } }
    func encode(_ value: Int) throws { if begin() { writer.write(integer: value) } }
    func encode(_ value: Int8) throws { if begin() { writer.write(integer: value) } }
    func encode(_ value: Int16) throws { if begin() { writer.write(integer: value) } }
    func encode(_ value: Int32) throws { if begin() { writer.write(integer: value) } }
    func encode(_ value: Int64) throws { if begin() { writer.write(integer: value) } }
    func encode(_ value: UInt) throws { if begin() { writer.write(integer: value) } }
    func encode(_ value: UInt8) throws { if begin() { writer.write(integer: value) } }
    func encode(_ value: UInt16) throws { if begin() { writer.write(integer: value) } }
    func encode(_ value: UInt32) throws { if begin() { writer.write(integer: value) } }
    func encode(_ value: UInt64) throws { if begin() { writer.write(integer: value) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { if begin() { writer.text.write(plain: value.description) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { if begin() { writer.text.write(plain: value.description) } }

    func encode<Value: Encodable>(_ value: Value) throws { if begin() { try writer.write(any: value) } }
}
