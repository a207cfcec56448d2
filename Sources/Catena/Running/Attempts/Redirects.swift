/// Sends a request and follows its redirects, in the same way on every platform.
enum Redirects {
    static func follow<Received: ReceivedResponse>(
        _ call: Call,
        receive: (HTTPRequest) async throws -> Received
    ) async throws -> Received {
        var walk = RedirectWalk(call)
        while true {
            var received: Received
            do {
                received = try await receive(walk.outgoing())
            } catch {
                throw walk.renamed(error)
            }
            if try walk.isOver(with: &received.response) { return received }
        }
    }
}

/// The state of following redirects. Sending is separate, so that local variables of a step are not part of the call's async frame.
struct RedirectWalk {
    private let call: Call
    private var request: HTTPRequest
    /// The request as it was sent, with cookies.
    private var sent: HTTPRequest
    private var followed = 0
    private var redirection: Redirection?

    private var hasLeft: Bool { redirection?.hasLeftOrigin == true }

    init(_ call: Call) {
        self.call = call
        request = call.prepared
        sent = request
    }

    /// Returns the request of the next step, with cookies.
    @inline(never)
    mutating func outgoing() -> HTTPRequest {
        sent = request.adding(call.profile.cookieJar)
        if followed == 0 { call.noteSending(sent) }
        if !hasLeft { call.finish(&sent) }
        return sent
    }

    /// Returns the error of a step with the redirects before it. An error from another origin says nothing about the backend, so its origin is
    /// cleared. A transport may throw the cancellation of the library that it wraps.
    @inline(never)
    func renamed(_ error: any Error) -> any Error {
        if error.isCancellation {
            call.noteCancelledByCode()
            return CancellationError()
        }
        guard let redirection, var error = error as? APIError else { return error }
        error.contents.redirection = redirection
        if hasLeft { error.contents.origin = "" }
        return error
    }

    /// Returns whether the response is final. If not, the next step requests its location.
    @inline(never)
    mutating func isOver(with response: inout HTTPResponse) throws -> Bool {
        let (run, jar) = (call.run, call.profile.cookieJar)
        response.redirection = redirection
        response.sender = run.id
        // Before the response is shared, because a change would then copy it.
        response.take(from: run)
        if let inspected = run.inspected {
            inspected.note(response.withoutReceivedPayload, to: jar == nil ? nil : sent, attempt: call.attempt, at: run.now)
        }
        jar?.store(response.headers, from: request.address)
        if !hasLeft { call.noteAuthentication(response, to: sent) }
        let limit = max(call.configuration.redirectLimit, 0)
        do {
            guard let next = try RedirectRules.next(after: response, to: request) else { return true }
            guard followed < limit else { throw APIError(.tooManyRedirects, message: "There were more than \(limit) redirects.") }
            redirection = redirection ?? Redirection()
            if next.address.origin != request.address.origin { redirection?.hasLeftOrigin = true }
            if next.method != request.method { redirection?.hasChangedMethod = true }
            request = next
            followed += 1
            return false
        } catch {
            var error = APIError.wrapping(error)
            error.attach(response)
            throw error
        }
    }
}

/// A response of which at least the head has been received.
protocol ReceivedResponse {
    var response: HTTPResponse { get set }
}

extension HTTPResponse: ReceivedResponse {
    var response: HTTPResponse {
        get { self }
        _modify { yield &self }
    }
}

/// The rules for redirect responses (RFC 9110 §15.4). Pure.
enum RedirectRules {
    /// Returns the next request, or `nil` if the response is not a redirect to follow.
    static func next(after response: HTTPResponse, to request: HTTPRequest) throws -> HTTPRequest? {
        switch response.status {
        case 301, 302, 303, 307, 308: break
        default: return nil
        }
        let locations = Set(response.headers.values(for: "Location"))
        guard let location = locations.first else { return nil }
        guard locations.count == 1 else { throw refused("The response names two different places to go to.") }
        let target = try resolve(location, against: request.address)
        var next = request
        next.address = target
        if becomesGet(response.status, request.method) {
            next.method = .get
            next.body = nil
            next.bodySource = nil
            for field in request.headers.fields where describesBody(field.name.lowercased()) { next.headers.remove(field.name) }
        }
        if let source = next.bodySource, !source.isReplayable {
            throw refused("The response asks for the body to be sent again, which can be read only once.")
        }
        guard target.origin != request.address.origin else { return next }
        if request.address.scheme == "https", target.scheme == "http" {
            throw refused("The response leads from https to http.")
        }
        if next.hasBody {
            throw refused("The response asks for the body to be sent to another origin, \(target.origin).")
        }
        next.headers = HTTPHeaders(next.headers.fields.filter { HeaderRules.portable.contains($0.name.lowercased()) })
        return next
    }

    /// POST becomes GET on 301 and 302, as all browsers do; everything but HEAD does on 303.
    private static func becomesGet(_ status: Int, _ method: HTTPMethod) -> Bool {
        switch status {
        case 301, 302: method == .post
        case 303: method != .head && method != .get
        default: false
        }
    }

    /// Returns whether a header is removed together with the body (RFC 9110 §15.4, RFC 9530 §2).
    private static func describesBody(_ name: String) -> Bool {
        name.hasPrefix("content-") || ["digest", "repr-digest", "last-modified"].contains(name)
    }

    /// Resolves a reference against the address of its response (RFC 3986 §5.2).
    private static func resolve(_ reference: String, against base: HTTPAddress) throws -> HTTPAddress {
        do throws(HTTPAddress.Fault) {
            return try base.resolving(reference)
        } catch {
            throw refused("The response leads to an address that cannot be used: \(error.reason).")
        }
    }

    private static func refused(_ message: String) -> APIError {
        APIError(.redirect, message: message)
    }
}
