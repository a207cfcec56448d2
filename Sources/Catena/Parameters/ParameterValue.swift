/// A value that can be a parameter of a request.
///
/// Strings, booleans, all numbers, `Date`, `Data`, `URL`, `UUID`, ``JSON``, ``Params``, and arrays and string-keyed dictionaries of
/// these conform. An enum with such a raw value conforms without code:
///
/// ```swift
/// enum Sort: String, ParameterValue { case newest, oldest }
/// ```
///
/// Any other type conforms by naming what it is made of:
///
/// ```swift
/// extension RoomID: ParameterValue {
///     var parameterNode: ParameterNode { .string(text) }
/// }
/// ```
public protocol ParameterValue: Sendable {
    /// What the value is made of, before any encoding.
    var parameterNode: ParameterNode { get }
}

extension ParameterValue where Self: RawRepresentable, RawValue: ParameterValue {
    /// The node of the raw value.
    public var parameterNode: ParameterNode { rawValue.parameterNode }
}
