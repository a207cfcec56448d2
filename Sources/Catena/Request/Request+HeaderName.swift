// Disfavored, so that the compiler tries text first and does not consider these where text fits.
extension RequestSteps {
    /// Sets a header in place of earlier ones of the same name. `nil` removes the values that earlier steps of this request set or added.
    ///
    /// ```swift
    /// API.tag(.forum).put("/rooms.csv").header(.contentType, "text/csv; header=present")
    /// ```
    @_disfavoredOverload
    public consuming func header(_ name: HTTPHeaders.Name, _ value: String?) -> Self { header(name.text, value) }

    /// Adds a value to a header, beside the values that the request, the tag or a common closure sets.
    @_disfavoredOverload
    public consuming func addHeader(_ name: HTTPHeaders.Name, _ value: String) -> Self { addHeader(name.text, value) }

    /// Removes a header, even if the tag or a common closure sets it.
    @_disfavoredOverload
    public consuming func removeHeader(_ name: HTTPHeaders.Name) -> Self { removeHeader(name.text) }
}
