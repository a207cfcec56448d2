/// Reads responses that an ``Envelope`` cannot describe, such as XML, binary, signed or encrypted ones.
///
/// ```swift
/// struct Sealed: EnvelopeAdapter {
///     func read(_ response: HTTPResponse) throws -> EnvelopeResult? {
///         var opened = response
///         opened.body = try open(response.body)
///         return try Envelope.standard.read(opened)     // then read as usual
///     }
/// }
/// vault.envelope = .adapter(Sealed())
/// ```
public protocol EnvelopeAdapter: Sendable {
    /// Reads a response.
    ///
    /// If a call unwraps another part, it is taken from the body of the returned result's response, which must be JSON. A payload that is not JSON is
    /// decoded by the decoder in ``Profile/decoders`` for the response's media type.
    ///
    /// - Returns: The result, or `nil` if the adapter does not handle the response. It is then read with the other envelopes of
    ///   ``Envelope/anyOf(_:)``, if any, and otherwise passes unchanged.
    /// - Throws: The error of a failed call, preferably an ``APIError`` with code and message. A response with an error status fails even if nothing
    ///   is thrown.
    func read(_ response: HTTPResponse) throws -> EnvelopeResult?
}

extension Envelope {
    /// Reads responses with an adapter. In ``anyOf(_:)``, adapters are tried before all other envelopes.
    public static func adapter(_ adapter: some EnvelopeAdapter) -> Envelope {
        var rules = EnvelopeRules()
        rules.adapter = adapter
        return Envelope(rules)
    }

    /// Reads a response in the same way as a call that needs a payload, without sending anything.
    ///
    /// - Throws: An ``APIError`` if the response reports a failure, or is not JSON although the envelope needs JSON.
    public func read(_ response: HTTPResponse) throws -> EnvelopeResult {
        try EnvelopeReader(envelope: self, decoded: JSON.self).read(response)
    }
}
