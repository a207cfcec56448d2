// Replies from literals whose values may be variables, such as `["id": id, "name": name]`.
public import Catena

extension Stub {
    /// Replies with an object as the payload, in the envelope of the call's tag. `nil` becomes null.
    @_disfavoredOverload
    public func reply(code: ErrorCode? = nil, data: KeyValuePairs<String, (any ParameterValue)?>, message: String = "", status: Int = 200) {
        reply(.reply(code: code, data: JSON(literal: data), message: message, status: status))
    }

    /// Replies with an object, without an envelope. `nil` becomes null.
    @_disfavoredOverload
    public func reply(json: KeyValuePairs<String, (any ParameterValue)?>, status: Int = 200) {
        reply(.json(JSON(literal: json), status: status))
    }
}

// The compiler selects these for literals that no other overload takes, so that its message says what to write.
extension Stub {
    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public func reply(code: ErrorCode? = nil, data: [String: Any?], message: String = "", status: Int = 200) {}

    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public func reply(code: ErrorCode? = nil, data: [Any?], message: String = "", status: Int = 200) {}

    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public func reply(json: [String: Any?], status: Int = 200) {}

    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public func reply(json: [Any?], status: Int = 200) {}
}
