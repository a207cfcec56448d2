import Foundation

/// Decodes the parts of a response, one after the other, as its call would decode the whole.
struct PartDecoder<Value: Decodable & Sendable>: Sendable {
    private let redaction: Redaction
    private let decoder: any PayloadDecoder

    init(_ execution: Execution) {
        redaction = execution.profile.redaction
        decoder = execution.decoder
    }

    /// The value of a part, which is JSON in UTF-8 whatever the response is.
    ///
    /// - Parameter name: What the part is called in an error.
    func value(of part: Data, named name: @autoclosure () -> String, in response: HTTPResponse) throws(APIError) -> Value {
        var response = response
        response.body = part
        response.headers.remove("Content-Type")
        response.assumedCharset = nil
        let reading = EnvelopeResult(response)
        let target = ResultDecoder<Value>.decodable(Value.self)
        do {
            return try Redaction.$ofCall.withValue(redaction) { try target.value(reading, decoder) }
        } catch {
            var error = APIError.wrapping(error)
            error.message = "\(name()): \(error.message)"
            throw error
        }
    }
}
