// Overloads that the compiler selects only for a literal with a value that is not a param. Their messages state what to write, because the
// compiler's own message names the wrong type: `[String: Any]`, as which it reads a nested literal.
extension RequestSteps {
    /// Explains the error of a literal of params that contains a value that is not a ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public consuming func params(_ dictionary: [String: Any?]) -> Self { self }

    /// Explains the error of a literal of query params that contains a value that is not a ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public consuming func query(_ dictionary: [String: Any?]) -> Self { self }

    /// Explains the error of a literal of form fields that contains a value that is not a ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public consuming func form(_ dictionary: [String: Any?]) -> Self { self }

    /// Explains the error of a literal of JSON members that contains a value that is not a ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public consuming func json(_ dictionary: [String: Any?]) -> Self { self }

    /// Explains the error of a literal of property list members that contains a value that is not a ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public consuming func body(propertyList dictionary: [String: Any?]) -> Self { self }
}

// Overloads for bodies and responses that are written as in other libraries.
extension RequestSteps {
    /// Explains the error of a body without its kind.
    @available(
        *, unavailable,
        message:
            "a body needs its kind: `json(…)` or `form(…)` for an object or an Encodable value, `body(file:)` for a file, `body(_:contentType:)` for Data"
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public consuming func body(_ value: Any) -> Self { self }

    /// Explains the error of a body that is not `Data`.
    @available(
        *, unavailable,
        message:
            "a body with a content type is `Data`: `Data(text.utf8)` for a text; `json(…)` or `form(…)` for an object or an Encodable value"
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public consuming func body(_ value: Any, contentType: String) -> Self { self }

    /// Explains the error of a response that is read by the step for JSON bodies.
    @available(
        *, unavailable,
        message: "`json(…)` sends a body: read a response by `value()` or `execute()`, which give a `JSON` without a type"
    )
    @_alwaysEmitIntoClient
    public func json() async throws -> JSON { nil }

    /// Explains the error of a response that is read by the step for JSON bodies.
    @available(
        *, unavailable,
        message: "`json(…)` sends a body: read a response by `value()` or `execute()`, which give a `JSON` without a type"
    )
    @_alwaysEmitIntoClient
    public func json() -> Promise<JSON> { Promise(value: nil) }

    /// Explains the error of a typed response that is read by the step for JSON bodies.
    @available(
        *, unavailable,
        message: "`json(…)` sends a body: read a response by `value()` or `execute()`, which decode the type of the context"
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public func json<Value>() async throws -> Value { throw CancellationError() }

    /// Explains the error of a typed response that is read by the step for JSON bodies.
    @available(
        *, unavailable,
        message: "`json(…)` sends a body: read a response by `value(as:)` or `execute(as:)`"
    )
    @_alwaysEmitIntoClient
    public func json<Value>(as type: Value.Type) async throws -> Value { throw CancellationError() }

    /// Explains the error of a typed response that is read by the step for JSON bodies.
    @available(
        *, unavailable,
        message: "`json(…)` sends a body: read a response by `value(as:)` or `execute(as:)`"
    )
    @_alwaysEmitIntoClient
    public func json<Value: Sendable>(as type: Value.Type) -> Promise<Value> { Promise(error: CancellationError()) }
}

// Dictionaries of any values, which other libraries return.
extension Request {
    /// Explains the error of a value that cannot be decoded.
    @available(*, unavailable, message: "`Any` cannot be decoded: use `JSON`, such as `value(as: JSON.self)` or `value()`")
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public func value(as type: [String: Any].Type) async throws -> [String: Any] { [:] }

    /// Explains the error of values that cannot be decoded.
    @available(*, unavailable, message: "`Any` cannot be decoded: use `JSON`, such as `value(as: [JSON].self)`")
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public func value(as type: [[String: Any]].Type) async throws -> [[String: Any]] { [] }

    /// Explains the error of a time limit that is no argument.
    @available(*, unavailable, message: "write `.deadline(…)` before `poll(every:)`; `upTo` is the longest wait between two calls")
    @_alwaysEmitIntoClient
    public func poll(every interval: Duration, timeout: Duration, until isDone: (JSON) throws -> Bool) async throws -> JSON {
        JSON(nilLiteral: ())
    }
}
