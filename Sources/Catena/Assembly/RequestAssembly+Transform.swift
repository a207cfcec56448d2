import Foundation

extension RequestAssembly {
    /// Returns the body after the tag's transformation.
    func transformed(_ body: EncodedBody?) throws -> EncodedBody? {
        guard let body, let transform = profile.transformBody else { return body }
        guard let data = body.data else {
            throw APIError.invalid(
                run.request.body?.step ?? "body",
                "transformBody of the tag changes whole bodies, and this one is a file or a stream, which is not in memory; "
                    + "send its bytes with body(_:contentType:)")
        }
        do {
            let changed = try transform(data, body.contentType)
            return EncodedBody(changed.data, changed.contentType)
        } catch {
            throw APIError.invalid("transformBody", APIError.wrapping(error).message, underlying: error)
        }
    }
}
