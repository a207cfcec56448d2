public import CatenaPlatform

extension Envelope {
    /// Explains how a response is read for a call that wants a type: which keys belong to the type, and which part it is decoded from.
    ///
    /// ```swift
    /// print(Envelope.standard.explain(body, as: Country.self))
    /// ```
    ///
    /// The type is a `Decodable` type, or `Void.self` for a call that wants no value.
    public func explain(_ body: Data, as type: Any.Type, status: Int = 200, headers: HTTPHeaders = [:]) -> String {
        explain(HTTPResponse(status: status, headers: headers, body: body, address: .placeholder), as: type)
    }

    /// Explains how a response is read for a call that wants a type; see ``explain(_:as:status:headers:)``.
    public func explain(_ response: HTTPResponse, as type: Any.Type) -> String {
        explain(response, as: type, fit: EnvelopeReader.fit(by: JSONPayloadDecoder()))
    }
}
