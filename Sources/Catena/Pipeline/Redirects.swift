/// Sends a request and follows where its answers lead, in the same way on every platform.
enum Redirects {
    static func follow(_ call: Call, interruption: Interruption) async throws -> HTTPResponse {
        let limit = max(call.profile.redirectLimit, 0)
        var request = call.prepared
        for _ in 0...limit {
            let response = try await call.client.transport.receive(request, limit: call.profile.bodyLimit, interruption: interruption)
            guard let next = try RedirectRules.next(after: response, to: request) else { return response }
            request = next
        }
        throw APIError(.tooManyRedirects, message: "There were more than \(limit) redirects.")
    }
}
