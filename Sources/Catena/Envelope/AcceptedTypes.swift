/// The media types of the answers that a call takes.
struct AcceptedTypes: Sendable {
    /// `application/json`, `text/*` or `*/*`, in lower case.
    private let types: [String]

    init(_ types: [String]) {
        self.types = types.compactMap { MediaType($0)?.name }
    }

    /// Why an answer of success is none for this call; `nil` if it is one. One without a body may be of any type.
    func refusal(of response: HTTPResponse, isEmpty: Bool) -> APIError? {
        let type = MediaType(response.headers["Content-Type"])?.name
        guard response.isSuccess, !isEmpty, !takes(type) else { return nil }
        var error = APIError(
            .decoding,
            message: "The answer is \(type ?? "of no type"), but the call accepts \(types.joined(separator: ", ")) only."
        )
        error.attach(response)
        return error
    }

    /// Whether a type is named itself, and not by a pattern.
    func names(_ type: String) -> Bool { types.contains(type) }

    private func takes(_ type: String?) -> Bool {
        types.contains { accepted in
            accepted == "*/*" || accepted == type || accepted.hasSuffix("/*") && type?.hasPrefix(accepted.dropLast()) == true
        }
    }
}
