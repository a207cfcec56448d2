// Replies from literals whose values may be variables, such as `["id": id, "name": name]`.
public import Catena

extension StubReply {
    /// Replies with an object as the payload, in the envelope of the call's tag. `nil` becomes null.
    @_disfavoredOverload
    public static func reply(
        code: ErrorCode? = nil, data: KeyValuePairs<String, (any ParameterValue)?>, message: String = "", status: Int = 200
    ) -> StubReply {
        reply(code: code, data: JSON(literal: data), message: message, status: status)
    }

    /// Replies with an object, without an envelope. `nil` becomes null.
    @_disfavoredOverload
    public static func json(_ members: KeyValuePairs<String, (any ParameterValue)?>, status: Int = 200) -> StubReply {
        json(JSON(literal: members), status: status)
    }

    /// Explains the error of a stub's method in place of a value.
    @available(*, unavailable, message: "write `.json(…)`; `reply(json:)` is a method of a stub")
    public static func reply(json: Any, status: Int = 200) -> StubReply { .status(status) }

    // The compiler selects these for literals that no other overload takes, so that its message says what to write.

    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public static func reply(code: ErrorCode? = nil, data: [String: Any?], message: String = "", status: Int = 200) -> StubReply {
        .status(status)
    }

    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public static func reply(code: ErrorCode? = nil, data: [Any?], message: String = "", status: Int = 200) -> StubReply { .status(status) }

    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public static func json(_ members: [String: Any?], status: Int = 200) -> StubReply { .status(status) }

    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public static func json(_ elements: [Any?], status: Int = 200) -> StubReply { .status(status) }
}
