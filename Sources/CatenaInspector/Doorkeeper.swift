import Catena
import CatenaLoopback
import Foundation

/// Decides which requests the inspector answers.
///
/// Another site's page in the same browser can send requests to this machine. It can also make its own host name resolve to this machine (DNS rebinding).
/// A request is therefore refused unless it has a host of the inspector, comes from the inspector's page and carries the key.
///
/// Two requests need no key: the one for a proof, and the one with the code of the printed address.
struct Doorkeeper: Sendable {
    let secrets: InspectorSecrets
    let port: Int
    /// The host names and addresses allowed besides `127.0.0.1`. `localhost` is none by itself, because it may also mean `::1`, where another process
    /// may listen on the same port.
    let names: [String]

    struct Refusal: Error {
        let status: Int
        let words: String
    }

    /// Returns a refusal to send before the body is read, or `nil` if the request may continue.
    func refusal(of request: StubRequest) -> StubReply? {
        do throws(Refusal) {
            try checkPlace(request)
            try checkKey(request)
            return nil
        } catch {
            return StubReply.refusal(error.status, error.words).guarded
        }
    }

    /// Throws unless the request's host and target are the inspector's.
    func checkPlace(_ request: StubRequest) throws(Refusal) {
        let hosts = request.headers.values(for: "Host")
        guard hosts.count == 1, let host = hosts.first?.lowercased(), isOwn(host), isOwn(target: request.target) else {
            throw Refusal(status: 403, words: "The inspector is not reached under this name. Open the address that it has printed.")
        }
    }

    /// Throws unless the request comes from the inspector's page.
    private func checkPage(_ request: StubRequest) throws(Refusal) {
        let origins = request.headers.values(for: "Origin")
        let sites = request.headers.values(for: "Sec-Fetch-Site").map { $0.lowercased() }
        let host = request.headers["Host"]?.lowercased() ?? ""
        guard origins.allSatisfy({ $0.lowercased() == "http://" + host }), sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
            throw Refusal(status: 403, words: "Another page may not ask the inspector.")
        }
    }

    /// Throws unless the request comes from the inspector's page and has the key.
    func checkKey(_ request: StubRequest) throws(Refusal) {
        try checkPage(request)
        let keys = request.headers.values(for: "X-Inspector-Key")
        guard keys.count == 1, let given = keys.first, secrets.accepts(given, isFromPage: request.path != Self.agentPath) else {
            throw Refusal(status: 401, words: "The key is missing or wrong. Open the address that the inspector has printed.")
        }
    }

    /// Returns the proofs that the inspector knows its secrets, for the number that a page has drawn.
    func proofs(for request: StubRequest) throws(Refusal) -> StubReply {
        try checkPage(request)
        guard let number = request.headers["X-Inspector-Number"], let host = request.headers["Host"], number.utf8.count == Self.numberLength
        else {
            throw Refusal(status: 400, words: "The number has to have \(Self.numberLength) digits.")
        }
        return secrets.proofs(number, host.lowercased())
    }

    /// Returns the key for the code of the address.
    func key(for request: StubRequest) throws(Refusal) -> StubReply {
        try checkPage(request)
        guard let code = request.headers["X-Inspector-Code"], let key = secrets.open(with: code) else {
            throw Refusal(status: 401, words: "The address has been opened before. Paste the key that the inspector has printed.")
        }
        return .json(["key": key], status: 200)
    }

    private static let numberLength = 32
    /// The path to which agents send their messages.
    static let agentPath = "/api/mcp"

    /// Whether the target is a path or has a host of the inspector. A target's own host takes precedence over the `Host` header (RFC 9112 §3.2.2).
    private func isOwn(target: String) -> Bool {
        if target.hasPrefix("/") { return true }
        let target = target.lowercased()
        guard target.hasPrefix("http://") else { return false }
        return isOwn(String(target.dropFirst(7).prefix { !"/?#".contains($0) }))
    }

    private func isOwn(_ host: String) -> Bool {
        (["127.0.0.1"] + names.map { $0.lowercased() }).contains { host == "\($0):\(port)" || port == 80 && host == $0 }
    }
}

extension StubReply {
    /// The response with headers that forbid the browser to load anything from elsewhere, and to store anything.
    var guarded: StubReply {
        var response = self
        response.headers["Content-Security-Policy"] =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
            + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    static var done: StubReply { .json(text: "{}") }

    /// Returns a JSON response with a message about the error.
    static func refusal(_ status: Int, _ words: String) -> StubReply { .json(["error": words], status: status) }
}
