public import Foundation

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
    /// The number, exact at every width.
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
extension Int128: ParameterValue {}
extension UInt: ParameterValue {}
extension UInt8: ParameterValue {}
extension UInt16: ParameterValue {}
extension UInt32: ParameterValue {}
extension UInt64: ParameterValue {}
extension UInt128: ParameterValue {}

extension Double: ParameterValue {
    public var parameterNode: ParameterNode { .double(self) }
}

extension Float: ParameterValue {
    /// The double with the same shortest text: `Float(0.1)` is sent as `0.1`, not as `0.10000000149011612`.
    public var parameterNode: ParameterNode { .double(Double(description) ?? Double(self)) }
}

extension CGFloat: ParameterValue {
    public var parameterNode: ParameterNode { native.parameterNode }
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
