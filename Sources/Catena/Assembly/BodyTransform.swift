public import Foundation

/// Changes the bytes of a body, whichever step made it: params, `json`, `form`, `multipart` or `body`.
///
/// ```swift
/// forum.transformBody = { body, contentType in (try vault.seal(body), "application/octet-stream") }
/// forum.envelope = .standard.transformPayload { sealed in try vault.open(sealed) }
/// ```
///
/// It is called for each attempt, with the bytes and their media type, and gives those that are sent. What it throws fails the call. A call whose
/// body is a file or a stream fails, since such a body is never in memory as a whole.
public typealias BodyTransform = @Sendable (_ body: Data, _ contentType: String) throws -> (data: Data, contentType: String)

extension RequestAssembly {
    /// The body as it is sent, once the tag has changed it.
    func transformed(_ body: EncodedBody?) throws -> EncodedBody? {
        guard let body, let transform = profile.transformBody else { return body }
        guard let data = body.data else {
            throw APIError.invalid(
                "transformBody", "the body is a file or a stream, which is not in memory; send its bytes with body(_:contentType:)")
        }
        do {
            let changed = try transform(data, body.contentType)
            return EncodedBody(changed.data, changed.contentType)
        } catch {
            throw APIError.invalid("transformBody", APIError.wrapping(error).message, underlying: error)
        }
    }
}
