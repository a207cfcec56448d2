public import Foundation

/// How the params of a call are encoded.
public enum ParameterEncoding: Sendable {
    /// As a JSON body. GET and HEAD have none and put the params in the query; so does DELETE, unless the call asks for this.
    case json
    /// As a form body, with the same exceptions.
    case form
    /// As an XML property list, with the same exceptions.
    case propertyList
    /// In the query string, with every method.
    case query
    /// By an encoder of the caller's, with the same exceptions: then it writes the query.
    case custom(any ParameterEncoder)
}

/// Where the common params of a call go.
///
/// The call's own params win over those of the same name in the same place: the query, with what stands in the path, or the body.
/// What stands in the other place does not matter, so that a name may be sent once in each.
public enum CommonParams: Sendable, Hashable {
    /// To the query string, with every method and beside every body.
    case query
    /// To where the call's own params go: into the body if it is made of params, be they ``RequestSteps/params(_:)-(Params)``, a form, a JSON
    /// object or property list of params, or the fields of a multipart form; else to the query.
    case merged
    /// Nowhere.
    case none
}

/// What a call does with the common headers.
public enum CommonHeaders: Sendable, Hashable {
    /// Sends them; the call's own headers win.
    case merged
    /// Leaves them out.
    case none
}

/// Turns params into what goes out, in place of Catena's own encoders: ``ParameterEncoding/custom(_:)``.
///
/// Both methods have a default. An encoder that has only `query` also writes forms its way; one that has only `body` leaves queries alone.
///
/// ```swift
/// struct Sealed: ParameterEncoder {
///     func body(_ params: Params, style: ParameterStyle) throws -> (data: Data, contentType: String) {
///         (try seal(JSON(params)), "application/octet-stream")
///     }
/// }
/// API.configure(.wallet) { $0.encoding = .custom(Sealed()) }
/// ```
public protocol ParameterEncoder: Sendable {
    /// The query string, percent-encoded and without a question mark; what an address cannot hold is encoded afterwards.
    func query(_ params: Params, style: ParameterStyle) throws -> String

    /// The body and its content type.
    func body(_ params: Params, style: ParameterStyle) throws -> (data: Data, contentType: String)
}

extension ParameterEncoder {
    public func query(_ params: Params, style: ParameterStyle) throws -> String {
        try URLQueryEncoder.encode(params, style: style)
    }

    public func body(_ params: Params, style: ParameterStyle) throws -> (data: Data, contentType: String) {
        (Data(try query(params, style: style).utf8), "application/x-www-form-urlencoded")
    }
}

/// A parameter that cannot be sent.
package struct ParameterError: Error, CustomStringConvertible {
    /// Where it stands, such as `filter.sizes[3]`; empty for the root.
    private(set) var keyPath: String
    /// What is wrong with it, as the end of a sentence that starts with the key path.
    let reason: String
    /// What a closure of the caller threw.
    let underlying: (any Error)?

    init(_ reason: String, underlying: (any Error)? = nil) {
        keyPath = ""
        self.reason = reason
        self.underlying = underlying
    }

    package var description: String {
        keyPath.isEmpty ? "The parameters cannot be sent: \(reason)" : "The parameter '\(keyPath)' cannot be sent: \(reason)"
    }

    // The path is put together while the error travels outwards, so that an encoding that succeeds never builds one.

    func inside(_ key: String) -> ParameterError {
        var error = self
        error.keyPath = keyPath.isEmpty ? key : keyPath.hasPrefix("[") ? key + keyPath : key + "." + keyPath
        return error
    }

    func inside(_ index: Int) -> ParameterError {
        var error = self
        error.keyPath = keyPath.isEmpty || keyPath.hasPrefix("[") ? "[\(index)]" + keyPath : "[\(index)]." + keyPath
        return error
    }
}

extension ParameterError {
    /// Nothing real nests this deep, and the encoders recurse: the limit keeps them within a stack of 512 KB, the smallest that a
    /// thread has by default, even where nothing is optimised.
    static let deepest = 100

    static func checkDepth(_ depth: Int) throws(ParameterError) {
        guard depth <= deepest else { throw ParameterError("it is nested more than \(deepest) levels deep") }
    }
}

extension APIError {
    /// A parameter that cannot be sent, told by the step that set it.
    static func invalid(_ step: String, _ error: ParameterError) -> APIError {
        let place = error.keyPath.isEmpty ? "" : "\"\(error.keyPath)\": "
        return .invalid(step, place + error.reason, underlying: error.underlying ?? error)
    }
}

extension JSON: ParameterValue {
    /// The same value, its numbers exact.
    public var parameterNode: ParameterNode {
        switch storage {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsigned(value)
        case .number(let text): .number(text)
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.parameterNode))
        case .object(let object):
            .object(Params(object.members.lazy.map { Params.Member(key: $0.key, node: $0.value.parameterNode) }))
        }
    }
}

extension ParameterValue where Self == JSON {
    /// JSON null, where `nil` would leave the parameter out: `["parent": .null]`.
    public static var null: JSON { .nullValue }
}

extension JSON {
    /// Makes an object from parameters, in their order. Dates are ISO 8601 text and bytes base 64.
    ///
    /// What JSON has no form for, such as NaN, stays in place and fails with an error when it is sent.
    public init(_ members: Params) {
        self.init(node: members.parameterNode)
    }

    /// Makes a value of anything that can be a param: a text, a number, a date, an array of these.
    @_disfavoredOverload
    public init(_ value: some ParameterValue) {
        self.init(node: value.parameterNode)
    }

    private init(node: ParameterNode) {
        let style = ParameterStyle()
        switch node {
        case .null: self.init(.null)
        case .bool(let value): self.init(.bool(value))
        case .string(let value): self.init(.string(value))
        case .integer(let value): self.init(.integer(value))
        case .unsigned(let value): self.init(.unsigned(value))
        case .date, .data: self.init((try? style.text(of: node)).map { .string($0) } ?? .null)
        case .double, .decimal, .number: self.init((try? style.numberText(of: node)).map(Self.number) ?? .number("NaN"))
        case .array(let elements): self.init(array: elements.map { JSON(node: $0) })
        case .object(let object):
            self.init(members: object.members.map { JSONObject.Member(key: $0.key, value: JSON(node: $0.node)) })
        }
    }

    /// The form that the parser gives to a number: every whole one that fits is an integer, except minus zero.
    private static func number(_ text: String) -> Storage {
        if text == "-0" { return .number(text) }
        if let integer = Int64(text) { return .integer(integer) }
        if let unsigned = UInt64(text) { return .unsigned(unsigned) }
        return .number(text)
    }
}
