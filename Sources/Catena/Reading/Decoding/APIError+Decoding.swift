public import CatenaPlatform

extension APIError {
    /// Decodes the response's body, for details of a failure besides code and message.
    ///
    /// ```swift
    /// .catch(.validation) { error in
    ///     if let problem = try? error.decoded(as: Problem.self) { form.mark(problem.fields) }
    /// }
    /// ```
    ///
    /// Decodes the whole ``body``, including an envelope. The error of a stream contains the line or event that could not be decoded.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder whose strategies to use. An error does not know those of its tag.
    /// - Throws: An ``APIError`` of kind ``Kind/decoding`` if there is no body or it does not fit the type. The message says if the body is longer
    ///   than the stored part.
    public func decoded<Value: Decodable>(as type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
        guard let body, !body.isEmpty else { throw undecodable("The error has no body, from which \(type) could be decoded.") }
        let text = BodyText.utf8(of: body, declaredBy: response?.headers)
        let redaction = request?.headers.shown.current ?? .current
        return try Redaction.$ofCall.withValue(redaction) {
            do {
                return try Decoding.strict.decoder(decoder).decode(type, from: text)
            } catch {
                let (place, reason) = (error as? DecodingError)?.placeAndReason ?? ("", APIError.wrapping(error).message)
                let start = redaction.line(String(decoding: text.prefix(80), as: UTF8.self))
                let cut = body.count < Self.bodyLimit ? "" : " The error has only its first \(Self.bodyLimit) bytes."
                throw undecodable("Cannot decode \(type)\(place) (\(reason)). The body begins: \(start)\(cut)", underlying: error)
            }
        }
    }

    /// Creates an error with the call and response of this one.
    private func undecodable(_ message: String, underlying: (any Error)? = nil) -> APIError {
        var error = APIError(.decoding, message: message, status: status, underlying: underlying)
        error.request = request
        error.response = response
        error.body = body
        error.attempts = attempts
        error.traceID = traceID
        return error
    }
}
