public import Foundation

extension APIError {
    /// The response's body, decoded as a type that has what a failure of the backend says beside code and message.
    ///
    /// ```swift
    /// .catch(.validation) { error in
    ///     if let problem = try? error.decoded(as: Problem.self) { form.mark(problem.fields) }
    /// }
    /// ```
    ///
    /// It is the whole ``body``, with the envelope around it if there is one; of a stream, the line or the event that could not be decoded.
    ///
    /// - Parameters:
    ///   - type: The type that the body is decoded as.
    ///   - decoder: Its strategies; those of the call's tag are not known to an error.
    /// - Throws: An ``APIError`` of kind ``Kind/decoding`` if there is no body, or if it is not of that type; where the body is longer than
    ///   what an error keeps of it, the message says so.
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

    /// This error's call and response, in an error of a body that cannot be decoded.
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
