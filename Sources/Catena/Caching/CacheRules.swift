import Foundation

/// What to do with a request for which there may be a response already.
enum CacheDecision: Equatable {
    /// The response that is there.
    case use(CachedResponse)
    /// The response that is there, and meanwhile this request to get a newer one.
    case useAndRefresh(CachedResponse, with: HTTPRequest)
    /// This request, which asks whether the response that is there still holds.
    case validate(CachedResponse, with: HTTPRequest)
    /// The request as it is.
    case fetch
    /// Nothing: there is no response that may be used, and the server must not be asked (RFC 9111 §5.2.1.7).
    case unsatisfiable
}

/// What a cache for one user may do (RFC 9111), and what it does by the caller's own policy. Pure.
struct CacheRules {
    let policy: CachePolicy

    /// Whether the cache has to do with this request at all. Who asks for a part or sets conditions deals with the response himself.
    func applies(to request: HTTPRequest) -> Bool {
        policy.mode != .never && request.method == .get && request.body == nil
            && !["Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"]
                .contains { request.headers.contains($0) }
    }

    /// Whether the call wants what is kept or nothing (RFC 9111 §5.2.1.7).
    static func mustNotAsk(_ request: HTTPRequest) -> Bool { CacheControl(request.headers).contains("only-if-cached") }

    func decide(_ request: HTTPRequest, _ cached: CachedResponse?, at now: Date) -> CacheDecision {
        guard applies(to: request) else { return .fetch }
        let wishes = CacheControl(request.headers)
        let cached = wishes.contains("no-store") ? nil : cached.flatMap { $0.fits(request) ? $0 : nil }
        let decision = cached.map { decide(request, $0, wishes, at: now) } ?? .fetch
        guard wishes.contains("only-if-cached") else { return decision }
        switch decision {
        case .use, .unsatisfiable: return decision
        case .useAndRefresh(let cached, _): return .use(cached)
        case .validate, .fetch: return .unsatisfiable
        }
    }

    private func decide(_ request: HTTPRequest, _ cached: CachedResponse, _ wishes: CacheControl, at now: Date) -> CacheDecision {
        let freshness = CacheFreshness(cached)
        // Made only where it is needed: most responses are fresh.
        var ask: CacheDecision { cached.validation(of: request).map { .validate(cached, with: $0) } ?? .fetch }
        if wishes.contains("no-cache") { return ask }
        let lifetime: TimeInterval
        switch policy.mode {
        case .never: return .fetch
        case .always: return .use(cached)
        case .expire(let age):
            // How long it has been here: the server's word on the rest does not count.
            let resident = now.timeIntervalSince(cached.head.received)
            return resident >= 0 && resident < age / .seconds(1) ? .use(cached) : ask
        case .protocol:
            lifetime = min(freshness.lifetime(guesses: request.address.query == nil), wishes.seconds("max-age") ?? .infinity)
        }
        guard let age = freshness.age(at: now), !freshness.control.contains("no-cache") else { return ask }
        if age + (wishes.seconds("min-fresh") ?? 0) < lifetime { return .use(cached) }
        guard !freshness.control.contains("must-revalidate"), !wishes.contains("min-fresh") else { return ask }
        if wishes.contains("max-stale"), wishes.hasNoArgument("max-stale") || age - lifetime <= wishes.seconds("max-stale") ?? 0 {
            return .use(cached)
        }
        // RFC 5861 §3. Who sets a limit of his own to the age does not get an older one.
        if let grace = freshness.control.seconds("stale-while-revalidate"), age - lifetime < grace, !wishes.contains("max-age") {
            return .useAndRefresh(cached, with: cached.validation(of: request) ?? request)
        }
        return ask
    }

    /// Whether a response that is there may be used in place of a failure (RFC 5861 §4, and the caller's own policy).
    func mayReplace(_ error: APIError, with cached: CachedResponse, for request: HTTPRequest, at now: Date) -> Bool {
        guard applies(to: request), cached.fits(request), !CacheControl(request.headers).contains("no-store") else { return false }
        let isUnreachable = error.status == nil && [.offline, .dns, .connect, .connectionLost, .timeout].contains(error.kind)
        if policy.servesOffline, isUnreachable { return true }
        guard isUnreachable || error.status.map({ [500, 502, 503, 504].contains($0) }) == true else { return false }
        let freshness = CacheFreshness(cached)
        let wish = CacheControl(request.headers).seconds("stale-if-error")
        guard let grace = wish ?? freshness.control.seconds("stale-if-error"), let age = freshness.age(at: now),
            !freshness.control.contains("must-revalidate"), !freshness.control.contains("no-cache")
        else { return false }
        return age - freshness.lifetime(guesses: request.address.query == nil) < grace
    }

    /// Whether a response may be kept (RFC 9111 §3). A redirect has led elsewhere, so it says nothing about this address.
    ///
    /// - Parameter sent: The address as it was sent, which may have been signed on its way.
    func mayStore(_ response: HTTPResponse, to request: HTTPRequest, sentTo sent: HTTPAddress) -> Bool {
        guard applies(to: request), response.address == sent, !CacheControl(request.headers).contains("no-store"),
            response.headers["Vary"]?.contains("*") != true
        else { return false }
        switch policy.mode {
        case .never: return false
        case .always, .expire: return response.status == 200 || response.status == 203 || response.status == 204
        case .protocol: break
        }
        let control = CacheControl(response.headers)
        guard !control.contains("no-store") else { return false }
        switch response.status {
        // By default (RFC 9110 §15.1), except for parts.
        case 200, 203, 204, 404, 405, 410, 414, 501: return true
        case 100..<200, 206, 304: return false
        default: return control.contains("max-age") || response.headers.contains("Expires")
        }
    }

    /// Whether a status says that there is nothing, which is worth keeping if the server says for how long.
    static func saysAbsent(_ status: Int) -> Bool { status == 404 || status == 410 }

    /// Whether a response that fails its call may be kept: one of those of which the server says how long they are fresh.
    func mayStore(absence response: HTTPResponse, to request: HTTPRequest, sentTo sent: HTTPAddress) -> Bool {
        guard policy.mode == .protocol, Self.saysAbsent(response.status) else { return false }
        let isExplicit = CacheControl(response.headers).contains("max-age") || response.headers.contains("Expires")
        return isExplicit && mayStore(response, to: request, sentTo: sent)
    }

    /// The addresses whose responses a request has made void (RFC 9111 §4.4): only where it has changed something, and only in its own
    /// origin.
    static func invalidated(by response: HTTPResponse, to request: HTTPRequest) -> [HTTPAddress] {
        guard ![.get, .head, .options, .trace].contains(request.method), (200..<400).contains(response.status) else { return [] }
        let others = ["Location", "Content-Location"].compactMap { name in
            response.headers[name].flatMap { try? request.address.resolving($0) }
        }
        return [request.address] + others.filter { $0.origin == request.address.origin && $0 != request.address }
    }
}

/// When a response that was received before is used again.
///
/// ```swift
/// API.tag(.forum).get("/rooms").cache(.expire(.seconds(60)))
/// API.tag(.forum).get("/me").cache(.protocol.orOffline)
/// ```
///
/// Only responses to GET are kept, only successful ones, and none for another user than the one who received it.
public struct CachePolicy: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        case `protocol`
        case expire(Duration)
        case always
        case never
    }

    let mode: Mode
    private(set) var servesOffline = false

    /// As the server says (RFC 9111): fresh responses are used, stale ones are asked about.
    public static let `protocol` = CachePolicy(mode: .protocol)

    /// For a time, whatever the server says.
    public static func expire(_ age: Duration) -> CachePolicy { CachePolicy(mode: .expire(age)) }

    /// For ever once there is one, whatever the server says.
    public static let always = CachePolicy(mode: .always)

    /// Not at all; nothing is kept either.
    public static let never = CachePolicy(mode: .never)

    /// As the server says, and any that there is where the server cannot be reached.
    public static let offline = CachePolicy.protocol.orOffline

    var name: String {
        let name =
            switch mode {
            case .protocol: "as the server says"
            case .expire(let age): "for \(age)"
            case .always: "always"
            case .never: "never"
            }
        return servesOffline ? name + ", any when offline" : name
    }

    /// The same, and any response that there is where the server cannot be reached.
    public var orOffline: CachePolicy {
        var policy = self
        policy.servesOffline = true
        return policy
    }
}
