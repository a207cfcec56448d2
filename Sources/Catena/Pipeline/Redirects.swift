/// Sends a request and follows where its answers lead, in the same way on every platform.
enum Redirects {
    static func follow<Received: ReceivedAnswer>(
        _ call: Call,
        receive: (HTTPRequest) async throws -> Received
    ) async throws -> Received {
        let limit = max(call.profile.redirectLimit, 0)
        var request = call.prepared
        var followed = 0
        var hasLeft = false
        let jar = call.profile.cookieJar
        while true {
            let outgoing = request.adding(jar)
            if followed == 0 { call.noteSending(outgoing) }
            var received: Received
            do {
                received = try await receive(outgoing)
            } catch var error as APIError where hasLeft {
                // Whatever it is, it says nothing about the backend.
                error.origin = ""
                throw error
            }
            received.response.hasLeftOrigin = hasLeft
            jar?.store(received.response.headers, from: request.address)
            do {
                guard let next = try RedirectRules.next(after: received.response, to: request) else { return received }
                guard followed < limit else { throw APIError(.tooManyRedirects, message: "There were more than \(limit) redirects.") }
                hasLeft = hasLeft || next.address.origin != request.address.origin
                request = next
                followed += 1
            } catch {
                var error = APIError.wrapping(error)
                error.attach(received.response)
                throw error
            }
        }
    }
}

/// An answer of which at least the head has been received.
protocol ReceivedAnswer {
    var response: HTTPResponse { get set }
}

extension HTTPResponse: ReceivedAnswer {
    var response: HTTPResponse {
        get { self }
        set { self = newValue }
    }
}
