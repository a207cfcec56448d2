/// Sends a request and follows where its answers lead, in the same way on every platform.
enum Redirects {
    static func follow(_ call: Call, interruption: Interruption, silence: Silence?) async throws -> HTTPResponse {
        let limit = max(call.profile.redirectLimit, 0)
        var request = call.prepared
        var followed = 0
        let jar = call.profile.cookieJar
        while true {
            silence?.begin()
            let response = try await call.client.receive(
                request.adding(jar), limit: call.profile.bodyLimit, interruption: interruption, silence: silence)
            jar?.store(response.headers, from: request.address)
            do {
                guard let next = try RedirectRules.next(after: response, to: request) else { return response }
                guard followed < limit else { throw APIError(.tooManyRedirects, message: "There were more than \(limit) redirects.") }
                request = next
                followed += 1
            } catch {
                var error = APIError.wrapping(error)
                error.attach(response)
                throw error
            }
        }
    }
}
