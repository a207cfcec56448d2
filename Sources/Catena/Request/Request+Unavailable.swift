// What the compiler would say of a literal with a value in it that is no param names the wrong type: `[String: Any]`, as which it takes
// a nested literal. These overloads are chosen for such a literal alone, and say what to write.
extension RequestSteps {
    /// Says what to write where a literal of params has a value that is no ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    public consuming func params(_ dictionary: [String: Any]) -> Self { self }

    /// Says what to write where a literal of params of the query has a value that is no ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    public consuming func query(_ dictionary: [String: Any]) -> Self { self }

    /// Says what to write where a literal of fields of a form has a value that is no ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    public consuming func form(_ dictionary: [String: Any]) -> Self { self }

    /// Says what to write where a literal of members of a JSON object has a value that is no ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    public consuming func json(_ dictionary: [String: Any]) -> Self { self }

    /// Says what to write where a literal of members of a property list has a value that is no ``ParameterValue``.
    @available(
        *, unavailable,
        message:
            "a value in it is no ParameterValue: write a nested object as `[…] as Params`, a mixed array as `JSON(array: […])`; a dictionary made elsewhere is `params(dictionary:)`"
    )
    @_disfavoredOverload
    public consuming func propertyList(_ dictionary: [String: Any]) -> Self { self }
}
