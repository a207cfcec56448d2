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
    public consuming func params(_ dictionary: [String: Any]) -> Self { self }

    /// Explains the error of a literal of query params that contains a value that is not a ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    public consuming func query(_ dictionary: [String: Any]) -> Self { self }

    /// Explains the error of a literal of form fields that contains a value that is not a ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    public consuming func form(_ dictionary: [String: Any]) -> Self { self }

    /// Explains the error of a literal of JSON members that contains a value that is not a ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    public consuming func json(_ dictionary: [String: Any]) -> Self { self }

    /// Explains the error of a literal of property list members that contains a value that is not a ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    public consuming func propertyList(_ dictionary: [String: Any]) -> Self { self }
}
