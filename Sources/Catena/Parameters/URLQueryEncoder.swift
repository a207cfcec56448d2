/// Writes parameters as the query of an address or as the body of an `application/x-www-form-urlencoded` form, byte for byte alike.
package enum URLQueryEncoder {
    /// The encoded text, without a question mark; empty when there is nothing to send.
    package static func encode(_ params: Params, style: ParameterStyle) throws(ParameterError) -> String {
        var flattening = ParameterFlattening(into: QueryText(style: style, expecting: params.count))
        try flattening.flatten(params, style)
        return flattening.sink.text
    }
}
