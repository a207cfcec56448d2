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
            let codings = BodyCodings()
            let changed = try BodyCodings.$current.withValue(codings) { try transform(data, body.contentType) }
            var transformed = EncodedBody(changed.data, changed.contentType)
            transformed.contentEncoding = codings.value
            return transformed
        } catch {
            throw APIError.invalid("transformBody", APIError.wrapping(error).message, underlying: error)
        }
    }

    /// Adds the content coding of the transformed body to the headers.
    func addContentEncoding(_ coding: String?, to headers: inout HTTPHeaders) throws {
        guard let coding else { return }
        guard !headers.contains("Content-Encoding") else {
            throw APIError.invalid(
                "header", "the body has a Content-Encoding already, and transformBody of the tag compresses it again; remove one of them")
        }
        headers["Content-Encoding"] = coding
    }
}
