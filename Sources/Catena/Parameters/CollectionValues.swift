extension Array: ParameterValue where Element: ParameterValue {
    /// The elements in order; one that is `nil` is a null, so that the others keep their places.
    public var parameterNode: ParameterNode { .array(map { $0.parameterNode }) }
}

extension Dictionary: ParameterValue where Key == String, Value: ParameterValue {
    /// The values sorted by key, because a dictionary has no order of its own; one that is `nil` is left out.
    public var parameterNode: ParameterNode { .object(Params(self)) }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
    /// The value's node, or null.
    public var parameterNode: ParameterNode { self?.parameterNode ?? .null }
}

/// Tells a `nil` that arrived inside `any ParameterValue` from a JSON null that was asked for.
protocol OptionalParameterValue {}

extension Optional: OptionalParameterValue where Wrapped: ParameterValue {}
