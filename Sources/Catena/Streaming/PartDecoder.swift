import Foundation

/// Decodes the parts of a response one by one, in the same way as its call decodes a whole response.
struct PartDecoder<Value: Decodable & Sendable>: Sendable {
    private let redaction: Redaction
    private let decoder: any PayloadDecoder

    init(_ run: CallRun) {
        redaction = run.profile.redaction
        decoder = run.decoder
    }

    /// Returns the value of a part, which is UTF-8 JSON whatever the type of the response.
    ///
    /// - Parameter name: The name of the part in errors.
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
