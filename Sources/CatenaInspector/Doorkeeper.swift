import Catena
import CatenaLoopback
import Foundation

/// Says who may ask the inspector for what.
///
/// A page of somebody else's in the same browser can send requests to this machine, and can give its own name this machine's address (DNS
/// rebinding). So the host has to be one under which the inspector was opened, the page has to be its own, and the key has to be known.
struct Doorkeeper: Sendable {
    let key: String
    let port: Int
    /// Names and addresses besides those of this machine.
    let names: [String]

    struct Refusal: Error {
        let status: Int
        let words: String
    }

    /// The response to a request whose body is not worth waiting for, or `nil` if it may continue.
    func refusal(of request: RecordedRequest) -> LoopbackResponse? {
        do throws(Refusal) {
            try checkPlace(request)
            try checkKey(request)
            return nil
        } catch {
            return LoopbackResponse.refusal(error.status, error.words).guarded
        }
    }

    /// Throws if the request comes from somewhere else than the inspector's own page.
    func checkPlace(_ request: RecordedRequest) throws(Refusal) {
        let hosts = request.headers.values(for: "Host")
        guard hosts.count == 1, let host = hosts.first?.lowercased(), isOwn(host), isOwn(target: request.target) else {
            throw Refusal(status: 403, words: "The inspector is not reached under this name. Open the address that it has printed.")
        }
    }

    /// Throws unless the request is one of the inspector's own page, and has the key.
    func checkKey(_ request: RecordedRequest) throws(Refusal) {
        let origins = request.headers.values(for: "Origin")
        let sites = request.headers.values(for: "Sec-Fetch-Site").map { $0.lowercased() }
        let host = request.headers["Host"]?.lowercased() ?? ""
        guard origins.allSatisfy({ $0.lowercased() == "http://" + host }), sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
            throw Refusal(status: 403, words: "Another page may not ask the inspector.")
        }
        let keys = request.headers.values(for: "X-Inspector-Key")
        guard keys.count == 1, let given = keys.first, isKey(given) else {
            throw Refusal(status: 401, words: "The key is missing or wrong. Open the address that the inspector has printed.")
        }
    }

    /// Whether a target is a path here. One with a host of its own is about that one, whatever the header says (RFC 9112 §3.2.2).
    private func isOwn(target: String) -> Bool {
        if target.hasPrefix("/") { return true }
        let target = target.lowercased()
        guard target.hasPrefix("http://") else { return false }
        return isOwn(String(target.dropFirst(7).prefix { !"/?#".contains($0) }))
    }

    private func isOwn(_ host: String) -> Bool {
        (["127.0.0.1", "localhost"] + names.map { $0.lowercased() }).contains { host == "\($0):\(port)" || port == 80 && host == $0 }
    }

    /// Takes the same time whatever is wrong with the key.
    private func isKey(_ given: String) -> Bool {
        let (given, key) = (Array(given.utf8), Array(key.utf8))
        var difference = given.count ^ key.count
        for index in key.indices { difference |= Int(key[index] ^ (index < given.count ? given[index] : 0)) }
        return difference == 0
    }
}

extension LoopbackResponse {
    /// With what a browser has to know of everything that comes from here: nothing is loaded from elsewhere, and nothing is kept.
    var guarded: LoopbackResponse {
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

    static var done: LoopbackResponse { .json(text: "{}") }

    /// What is wrong, in words.
    static func refusal(_ status: Int, _ words: String) -> LoopbackResponse { .json(["error": words], status: status) }
}
