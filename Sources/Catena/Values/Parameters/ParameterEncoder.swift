public import CatenaPlatform

/// The encoding of a call's params.
public enum ParameterEncoding: Sendable {
    /// A JSON body. GET and HEAD send the params in the query instead. So does DELETE, unless the call itself sets its encoding.
    case json
    /// A form body. GET, HEAD and DELETE use the query as described for ``json``.
    case form
    /// An XML property list. GET, HEAD and DELETE use the query as described for ``json``.
    case propertyList
    /// The query string, with every method.
    case query
    /// An encoder of the app. It writes the body, and for GET, HEAD and DELETE the query as described for ``json``.
    case custom(any ParameterEncoder)
}

/// The place of a call's common params.
///
/// The places are the query, which includes a query in the path, and the body. In each of them, a param of the call replaces a common param
/// with the same name. A name may be sent in both places.
public enum CommonParams: Sendable, Hashable {
    /// The query string, with every method and body.
    case query
    /// The place of the call's own params: the body if it consists of params, else the query. A body consists of params if it is a form, a
    /// multipart form, a JSON object or property list of params, or the encoded ``RequestSteps/params(_:)-(Params)``.
    case merged
    /// No place: the common params are not sent.
    case none
}

/// The use of the common headers by a call.
public enum CommonHeaders: Sendable, Hashable {
    /// Sends the common headers, which the call's own headers override.
    case merged
    /// Does not send the common headers.
    case none
}

/// Encodes params in place of Catena's own encoders: ``ParameterEncoding/custom(_:)``.
///
/// Both methods have a default: `query` writes the query that Catena would write, and `body` sends the result of `query` as a form.
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
    /// Returns the query string, percent-encoded and without a question mark. Characters that an address cannot hold are encoded afterwards.
    func query(_ params: Params, style: ParameterStyle) throws -> String

    /// Returns the body and its content type.
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
    /// The path of the parameter, such as `filter.sizes[3]`, or empty for the root.
    package private(set) var keyPath: String
    /// The reason in the words of a message, which puts it after the key path and a colon.
    package let reason: String
    /// The error thrown by code of the app, or `nil` if there is none.
    let underlying: (any Error)?

    package init(_ reason: String, underlying: (any Error)? = nil) {
        keyPath = ""
        self.reason = reason
        self.underlying = underlying
    }

    package var description: String {
        keyPath.isEmpty ? "The parameters cannot be sent: \(reason)" : "The parameter '\(keyPath)' cannot be sent: \(reason)"
    }

    // The path is built while the error propagates, so that a successful encoding never builds one.

    package func inside(_ key: String) -> ParameterError {
        var error = self
        error.keyPath = keyPath.isEmpty ? key : keyPath.hasPrefix("[") ? key + keyPath : key + "." + keyPath
        return error
    }

    package func inside(_ index: Int) -> ParameterError {
        var error = self
        error.keyPath = keyPath.isEmpty || keyPath.hasPrefix("[") ? "[\(index)]" + keyPath : "[\(index)]." + keyPath
        return error
    }
}

extension ParameterError {
    /// The maximum depth. It keeps the recursive encoders within a stack of 512 KB, the smallest default of a thread, even in debug builds.
    static let deepest = 100

    static func checkDepth(_ depth: Int) throws(ParameterError) {
        guard depth <= deepest else { throw ParameterError("it is nested more than \(deepest) levels deep") }
    }
}

extension APIError {
    /// Creates the error of a parameter that cannot be sent, for the step that set it.
    static func invalid(_ step: String, _ error: ParameterError) -> APIError {
        let place = error.keyPath.isEmpty ? "" : "\"\(error.keyPath)\": "
        return .invalid(step, place + error.reason, underlying: error.underlying ?? error)
    }
}

extension JSON: ParameterValue {
    /// The node of this value. Its numbers keep all digits.
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
    /// JSON null, whereas `nil` leaves the parameter out: `["parent": .null]`.
    public static var null: JSON { .nullValue }
}

extension JSON {
    /// Creates an object from parameters, in their order. Dates are ISO 8601 text and bytes base 64.
    ///
    /// A value without a JSON form, such as NaN, is kept as an invalid number. Sending it fails with an error.
    public init(_ members: Params) {
        self.init(node: members.parameterNode)
    }

    /// Creates an object from a literal whose values are params, in its order. `nil` becomes null.
    package init(literal members: KeyValuePairs<String, (any ParameterValue)?>) {
        self.init(members: members.map { .init(key: $0.key, value: $0.value.map { JSON(node: $0.parameterNode) } ?? .null) })
    }

    /// Creates a value from any param, such as a text, a number, a date or an array.
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
        // A value without a text becomes a number that no writer accepts, so that the call fails and does not send a null.
        case .date, .data: self.init((try? style.text(of: node)).map { .string($0) } ?? .number("a date outside the years 0001 to 9999"))
        case .double, .decimal, .number: self.init((try? style.numberText(of: node)).map(Self.number) ?? .number("NaN"))
        case .array(let elements): self.init(array: elements.map { JSON(node: $0) })
        case .object(let object):
            self.init(members: object.members.map { JSONObject.Member(key: $0.key, value: JSON(node: $0.node)) })
        }
    }

    /// Returns a number as the parser stores it: an integer if it is whole and fits. Minus zero stays text, because an integer has no such value.
    private static func number(_ text: String) -> Storage {
        if text == "-0" { return .number(text) }
        if let integer = Int64(text) { return .integer(integer) }
        if let unsigned = UInt64(text) { return .unsigned(unsigned) }
        return .number(text)
    }
}
