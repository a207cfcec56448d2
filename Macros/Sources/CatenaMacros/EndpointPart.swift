public import Catena
public import Foundation

/// What the macros write in place of a plain assignment: each type goes where it fits, and one that fits nowhere is an error in words.
public enum EndpointPart {
    /// Sets a param; `nil` leaves it out.
    public static func set(_ name: String, to value: some ParameterValue, in params: inout Params) throws {
        params[name] = value
    }

    /// Sets a param to what a value encodes.
    @_disfavoredOverload
    public static func set(_ name: String, to value: some Encodable, in params: inout Params) throws {
        params.merge(try Params(encoding: [name: value]))
    }

    /// Sets a param to what a value encodes; `nil` leaves it out.
    @_disfavoredOverload
    public static func set(_ name: String, to value: (some Encodable)?, in params: inout Params) throws {
        if let value { try set(name, to: value, in: &params) }
    }

    /// Any other type.
    @available(*, unavailable, message: "a property that is sent is a ParameterValue or Encodable; '@Unsent' marks one that is not sent")
    @_disfavoredOverload
    public static func set<Value>(_ name: String, to value: Value, in params: inout Params) throws {}

    /// Sets a header.
    public static func set(_ name: String, to value: some LosslessStringConvertible, in headers: inout HTTPHeaders) throws {
        headers[name] = value.description
    }

    /// Sets a header; `nil` leaves it out.
    public static func set(_ name: String, to value: (some LosslessStringConvertible)?, in headers: inout HTTPHeaders) throws {
        headers[name] = value?.description
    }

    /// Any other type.
    @available(*, unavailable, message: "a header is text, a number or a boolean")
    @_disfavoredOverload
    public static func set<Value>(_ name: String, to value: Value, in headers: inout HTTPHeaders) throws {}

    /// A value as JSON.
    public static func body(_ value: some Encodable & Sendable) -> EndpointBody? { .json(value) }

    /// A value as JSON, or no body.
    public static func body(_ value: (some Encodable & Sendable)?) -> EndpointBody? { value.map { .json($0) } }

    /// Params as JSON, in their order.
    public static func body(_ value: Params?) -> EndpointBody? { value.map { .json($0) } }

    /// Any other type.
    @available(*, unavailable, message: "a body is Encodable and Sendable, or Params")
    @_disfavoredOverload
    public static func body<Value>(_ value: Value) -> EndpointBody? { nil }

    /// Bytes, or no body.
    public static func body(_ bytes: Data?, contentType: String) -> EndpointBody? { bytes.map { .data($0, contentType: contentType) } }

    /// A file, or no body.
    public static func body(_ file: URL?, contentType: String) -> EndpointBody? { file.map { .file($0, contentType: contentType) } }
}
