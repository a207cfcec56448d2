/// Sends a request and follows where its answers lead, in the same way on every platform.
enum Redirects {
    /// The headers that may go to another origin if neither the tag, nor the common closures, nor the call put secrets there: plain
    /// facts about the client. Everything else is bound to the origin that it was made for.
    private static let portable: Set<String> = ["accept", "accept-encoding", "accept-language", "user-agent"]

    static func follow(_ call: Call, interruption: Interruption) async throws -> HTTPResponse {
        var request = call.prepared
        for _ in 0...max(call.profile.redirectLimit, 0) {
            let response = try await call.client.transport.receive(request, limit: call.profile.bodyLimit, interruption: interruption)
            guard let next = try RedirectRules.next(after: response, to: request, portable: portable) else { return response }
            request = next
        }
        throw APIError(.tooManyRedirects, message: "There were more than \(call.profile.redirectLimit) redirects.")
    }
}
