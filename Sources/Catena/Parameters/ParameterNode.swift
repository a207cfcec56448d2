public import Foundation

/// What a parameter is made of: the one form from which query, form, JSON, property-list and multipart bodies are written.
public enum ParameterNode: Sendable, Equatable {
    /// A value that is there and empty: `null` in JSON, ``ParameterStyle/nulls`` in text.
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number that fits in 64 bits with a sign.
    case integer(Int64)
    /// A whole number above `Int64.max`.
    case unsigned(UInt64)
    /// A binary floating-point number. NaN and the infinities are refused when it is encoded.
    case double(Double)
    /// A decimal number, written digit by digit.
    case decimal(Decimal)
    /// A number as the exact text of a JSON number (RFC 8259 §6), such as `"0.10"` or `"1e400"`.
    case number(String)
    /// A text.
    case string(String)
    /// A point in time, written as ``ParameterStyle/dates`` says.
    case date(Date)
    /// Bytes, written as ``ParameterStyle/data`` says.
    case data(Data)
    /// Values in order.
    case array([ParameterNode])
    /// Values with keys, in order.
    case object(Params)
}

extension ParameterNode: ParameterValue {
    /// The node itself.
    public var parameterNode: ParameterNode { self }
}
