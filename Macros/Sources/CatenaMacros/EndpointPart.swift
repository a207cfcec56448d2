public import Catena
public import Foundation

/// The functions that expanded macros call instead of assignments. A property of an unsuitable type selects an unavailable overload, whose message is the
/// error.
public enum EndpointPart {
    /// Sets a param, or leaves it out if the value is `nil`.
    public static func set(_ name: String, to value: some ParameterValue, in params: inout Params) throws {
        params[name] = value
    }

    /// Sets a param to an encoded value.
    @_disfavoredOverload
    public static func set(_ name: String, to value: some Encodable, in params: inout Params) throws {
        params.merge(try Params(encoding: [name: value]))
    }

    /// Sets a param to an encoded value, or leaves it out if the value is `nil`.
    @_disfavoredOverload
    public static func set(_ name: String, to value: (some Encodable)?, in params: inout Params) throws {
        if let value { try set(name, to: value, in: &params) }
    }

    /// Rejects any other type.
    @available(*, unavailable, message: "a property that is sent is a ParameterValue or Encodable; '@Unsent' marks one that is not sent")
    @_disfavoredOverload
    public static func set<Value>(_ name: String, to value: Value, in params: inout Params) throws {}

    /// Sets a header.
    public static func set(_ name: String, to value: some LosslessStringConvertible, in headers: inout HTTPHeaders) throws {
        headers[name] = value.description
    }

    /// Sets a header, or leaves it out if the value is `nil`.
    public static func set(_ name: String, to value: (some LosslessStringConvertible)?, in headers: inout HTTPHeaders) throws {
        headers[name] = value?.description
    }

    /// Rejects any other type.
    @available(*, unavailable, message: "a header is text, a number or a boolean")
    @_disfavoredOverload
    public static func set<Value>(_ name: String, to value: Value, in headers: inout HTTPHeaders) throws {}

    /// Returns a JSON body.
    public static func body(_ value: some Encodable & Sendable) -> EndpointBody? { .json(value) }

    /// Returns a JSON body, or no body if the value is `nil`.
    public static func body(_ value: (some Encodable & Sendable)?) -> EndpointBody? { value.map { .json($0) } }

    /// Returns a JSON body whose members have the order of the params.
    public static func body(_ value: Params?) -> EndpointBody? { value.map { .json($0) } }

    /// Rejects any other type.
    @available(*, unavailable, message: "a body is Encodable and Sendable, or Params")
    @_disfavoredOverload
    public static func body<Value>(_ value: Value) -> EndpointBody? { nil }

    /// Returns a body of bytes, or no body if they are `nil`.
    public static func body(_ bytes: Data?, contentType: String) -> EndpointBody? { bytes.map { .data($0, contentType: contentType) } }

    /// Returns a body with the contents of a file, or no body if the file is `nil`.
    public static func body(_ file: URL?, contentType: String) -> EndpointBody? { file.map { .file($0, contentType: contentType) } }
}
