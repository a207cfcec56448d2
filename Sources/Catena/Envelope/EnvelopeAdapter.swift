/// Reads responses that an ``Envelope`` cannot describe: XML, binary formats, signed or encrypted ones.
///
/// ```swift
/// struct Sealed: EnvelopeAdapter {
///     func read(_ response: HTTPResponse) throws -> EnvelopeResult? {
///         var opened = response
///         opened.body = try open(response.body)
///         return try Envelope.standard.read(opened)     // the rest is as usual
///     }
/// }
/// vault.envelope = .adapter(Sealed())
/// ```
public protocol EnvelopeAdapter: Sendable {
    /// Reads a response.
    ///
    /// A call that unwraps another part finds it in the body of the response that is returned, if that is JSON.
    /// A payload that is not JSON is decoded by what ``Profile/decoders`` has for the response's media type.
    ///
    /// - Returns: What the response says, or `nil` for one that is to be taken as it is.
    /// - Throws: What the backend has to say of a failure, at best an ``APIError`` with its code and message. An error status is a
    ///   failure also where nothing is thrown.
    func read(_ response: HTTPResponse) throws -> EnvelopeResult?
}

extension Envelope {
    /// Reads responses with an adapter. In ``anyOf(_:)``, adapters are tried before all other envelopes.
    public static func adapter(_ adapter: some EnvelopeAdapter) -> Envelope {
        var rules = EnvelopeRules()
        rules.adapter = adapter
        return Envelope(rules)
    }

    /// Reads a response as a call does that needs a payload. It changes nothing and sends nothing.
    ///
    /// - Throws: An ``APIError`` if the response reports a failure, or is not JSON although the envelope needs JSON.
    public func read(_ response: HTTPResponse) throws -> EnvelopeResult {
        try EnvelopeReader(envelope: self, decoded: JSON.self).read(response)
    }
}
