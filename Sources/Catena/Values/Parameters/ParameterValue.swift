public import CatenaPlatform

/// A value that can be a parameter of a request.
///
/// Strings, booleans, all numbers, `Date`, `Data`, `URL`, `UUID`, ``JSON``, ``Params``, and arrays and string-keyed dictionaries of
/// these conform. An enum with such a raw value conforms without code:
///
/// ```swift
/// enum Sort: String, ParameterValue { case newest, oldest }
/// ```
///
/// Any other type conforms by returning a node:
///
/// ```swift
/// extension RoomID: ParameterValue {
///     var parameterNode: ParameterNode { .string(text) }
/// }
/// ```
public protocol ParameterValue: Sendable {
    /// The node of the value, before any encoding.
    var parameterNode: ParameterNode { get }
}

extension ParameterValue where Self: RawRepresentable, RawValue: ParameterValue {
    /// The node of the raw value.
    public var parameterNode: ParameterNode { rawValue.parameterNode }
}

extension String: ParameterValue {
    public var parameterNode: ParameterNode { .string(self) }
}

extension Substring: ParameterValue {
    public var parameterNode: ParameterNode { .string(String(self)) }
}

extension Bool: ParameterValue {
    public var parameterNode: ParameterNode { .bool(self) }
}

extension ParameterValue where Self: FixedWidthInteger {
    /// The exact number, at every width.
    public var parameterNode: ParameterNode {
        if let integer = Int64(exactly: self) { return .integer(integer) }
        if let unsigned = UInt64(exactly: self) { return .unsigned(unsigned) }
        return .number(String(self))
    }
}

extension Int: ParameterValue {}
extension Int8: ParameterValue {}
extension Int16: ParameterValue {}
extension Int32: ParameterValue {}
extension Int64: ParameterValue {}
extension UInt: ParameterValue {}
extension UInt8: ParameterValue {}
extension UInt16: ParameterValue {}
extension UInt32: ParameterValue {}
extension UInt64: ParameterValue {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Int128: ParameterValue {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension UInt128: ParameterValue {}

extension Double: ParameterValue {
    public var parameterNode: ParameterNode { .double(self) }
}

extension Float: ParameterValue {
    /// The double with the same shortest text: `Float(0.1)` is sent as `0.1`, not as `0.10000000149011612`.
    public var parameterNode: ParameterNode { .double(Double(description) ?? Double(self)) }
}

extension Decimal: ParameterValue {
    public var parameterNode: ParameterNode { .decimal(self) }
}

extension Date: ParameterValue {
    public var parameterNode: ParameterNode { .date(self) }
}

extension Data: ParameterValue {
    public var parameterNode: ParameterNode { .data(self) }
}

extension URL: ParameterValue {
    /// The absolute address.
    public var parameterNode: ParameterNode { .string(absoluteString) }
}

extension UUID: ParameterValue {
    /// The upper-case text.
    public var parameterNode: ParameterNode { .string(uuidString) }
}

extension Array: ParameterValue where Element: ParameterValue {
    /// The elements in order. An element that is `nil` becomes a null, so that later elements keep their indexes.
    public var parameterNode: ParameterNode { .array(map { $0.parameterNode }) }
}

extension Dictionary: ParameterValue where Key == String, Value: ParameterValue {
    /// The values sorted by key, because a dictionary has no order of its own. A `nil` value is left out.
    public var parameterNode: ParameterNode { .object(Params(self)) }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
    /// The value's node, or null.
    public var parameterNode: ParameterNode { self?.parameterNode ?? .null }
}
