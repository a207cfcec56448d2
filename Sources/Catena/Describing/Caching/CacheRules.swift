import CatenaPlatform

/// The action for a request that may have a cached response.
enum CacheDecision: Equatable {
    /// Use the cached response.
    case use(CachedResponse, ResponseFreshness)
    /// Use the cached response, and refresh it in the background with this request.
    case useAndRefresh(CachedResponse, with: HTTPRequest)
    /// Send this request, which asks the server whether the cached response is still valid.
    case validate(CachedResponse, with: HTTPRequest)
    /// Send the request unchanged.
    case fetch
    /// Fail the call: no cached response may be used, and the request forbids asking the server (RFC 9111 §5.2.1.7).
    case unsatisfiable
}

/// The cached responses that a call uses.
enum CacheUse: Sendable {
    /// The responses that the policy allows.
    case byPolicy
    /// Responses of any age, whatever the policy, unless the request itself limits the age.
    case anyAge
    /// Only one that the server confirms.
    case confirmed
}

extension HTTPRequest {
    /// Whether the lifetime of a response may be estimated if the server does not state it: not if the request has a query, as address or body.
    fileprivate var guessesLifetime: Bool { address.query == nil && body == nil }
}

/// The rules of a private cache (RFC 9111), under the caller's policy. They have no side effects.
struct CacheRules {
    let policy: CachePolicy

    /// Whether the cache handles this request. Requests for a range or with conditions bypass it, because their caller handles the response.
    func applies(to request: HTTPRequest) -> Bool {
        policy.mode != .never && request.method.isCacheable && request.bodySource == nil
            && !["Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"]
                .contains { request.headers.contains($0) }
    }

    /// Whether the call accepts only a cached response (RFC 9111 §5.2.1.7).
    static func mustNotAsk(_ request: HTTPRequest) -> Bool { CacheControl(request.headers).contains("only-if-cached") }

    func decide(_ request: HTTPRequest, _ cached: CachedResponse?, for use: CacheUse = .byPolicy, at now: Date) -> CacheDecision {
        guard applies(to: request) else { return .fetch }
        let wishes = CacheControl(request.headers)
        let cached = wishes.contains("no-store") ? nil : cached.flatMap { $0.fits(request) ? $0 : nil }
        let decision = cached.map { decide(request, $0, wishes, for: use, at: now) } ?? .fetch
        guard wishes.contains("only-if-cached") else { return decision }
        switch decision {
        case .use, .unsatisfiable: return decision
        case .useAndRefresh(let cached, _): return .use(cached, .stale)
        case .validate, .fetch: return .unsatisfiable
        }
    }

    private func decide(
        _ request: HTTPRequest, _ cached: CachedResponse, _ wishes: CacheControl, for purpose: CacheUse, at now: Date
    ) -> CacheDecision {
        let freshness = CacheFreshness(cached)
        // Computed only when needed, because most responses are fresh.
        var ask: CacheDecision { cached.validation(of: request).map { .validate(cached, with: $0) } ?? .fetch }
        var age: TimeInterval? { freshness.control.contains("no-cache") ? nil : freshness.age(at: now) }
        var lifetime: TimeInterval { min(freshness.lifetime(guesses: request.guessesLifetime), wishes.seconds("max-age") ?? .infinity) }
        if wishes.contains("no-cache") { return ask }
        let isFresh: Bool
        switch policy.mode {
        case .never: return .fetch
        case .always: isFresh = true
        case .expire(let limit):
            // The time since the response was received. `Age` and `Date` of the server are ignored.
            let resident = now.timeIntervalSince(cached.head.received)
            isFresh = resident >= 0 && resident < limit / .seconds(1)
        case .protocol: isFresh = age.map { $0 + (wishes.seconds("min-fresh") ?? 0) < lifetime } ?? false
        }
        let use = CacheDecision.use(cached, isFresh ? .fresh : .stale)
        switch purpose {
        case .byPolicy: if isFresh { return use }
        case .anyAge: return freshness.suits(wishes, guesses: request.guessesLifetime, at: now) ? use : ask
        case .confirmed: return wishes.contains("only-if-cached") ? use : ask
        }
        guard policy.mode == .protocol, let excess = age.map({ $0 - lifetime }), !freshness.control.contains("must-revalidate"),
            !wishes.contains("min-fresh")
        else { return ask }
        if wishes.contains("max-stale"), wishes.hasNoArgument("max-stale") || excess <= wishes.seconds("max-stale") ?? 0 { return use }
        // RFC 5861 §3. A call that limits the age with `max-age` does not get an older response.
        if let grace = freshness.control.seconds("stale-while-revalidate"), excess < grace, !wishes.contains("max-age") {
            return .useAndRefresh(cached, with: cached.validation(of: request) ?? request)
        }
        return ask
    }

    /// Whether a cached response may replace a failure (RFC 5861 §4, and the caller's policy).
    func mayReplace(_ error: APIError, with cached: CachedResponse, for request: HTTPRequest, at now: Date) -> Bool {
        let wishes = CacheControl(request.headers)
        // A call with `no-cache` takes no response that the server has not confirmed (RFC 9111 §5.2.1.4).
        guard applies(to: request), cached.fits(request), !wishes.contains("no-store"), !wishes.contains("no-cache") else { return false }
        // An open breaker stands for the failures that opened it.
        let isUnreachable =
            error.status == nil && [.offline, .dns, .connect, .connectionLost, .timeout, .circuitOpen].contains(error.kind)
        if policy.servesOffline, isUnreachable { return true }
        guard isUnreachable || error.status.map({ [500, 502, 503, 504].contains($0) }) == true else { return false }
        let freshness = CacheFreshness(cached)
        let wish = wishes.seconds("stale-if-error")
        guard let grace = wish ?? freshness.control.seconds("stale-if-error"), let age = freshness.age(at: now),
            !freshness.control.contains("must-revalidate"), !freshness.control.contains("no-cache")
        else { return false }
        return age - freshness.lifetime(guesses: request.guessesLifetime) < grace
    }

    /// Whether a response may be cached (RFC 9111 §3). A redirected response may not, because it belongs to another address, or to the same one with
    /// other cookies.
    ///
    /// - Parameter sent: The address that the request was sent to, which may contain a signature.
    func mayStore(_ response: HTTPResponse, to request: HTTPRequest, sentTo sent: HTTPAddress) -> Bool {
        guard applies(to: request), response.address == sent, !CacheControl(request.headers).contains("no-store"),
            response.redirection == nil, response.headers["Vary"]?.contains("*") != true
        else { return false }
        switch policy.mode {
        case .never: return false
        case .always, .expire: return response.status == 200 || response.status == 203 || response.status == 204
        case .protocol: break
        }
        let control = CacheControl(response.headers)
        guard !control.contains("no-store") else { return false }
        switch response.status {
        // Cacheable by default (RFC 9110 §15.1), except for partial content.
        case 200, 203, 204, 404, 405, 410, 414, 501: return true
        case 100..<200, 206, 304: return false
        default: return control.contains("max-age") || response.headers.contains("Expires")
        }
    }

    /// Whether a status means that the resource is missing, which may be cached if the server states a lifetime.
    static func saysAbsent(_ status: Int) -> Bool { status == 404 || status == 410 }

    /// Whether a 404 or 410 response may be cached: only if the server states its lifetime.
    func mayStore(absence response: HTTPResponse, to request: HTTPRequest, sentTo sent: HTTPAddress) -> Bool {
        guard policy.mode == .protocol, Self.saysAbsent(response.status) else { return false }
        let isExplicit = CacheControl(response.headers).contains("max-age") || response.headers.contains("Expires")
        return isExplicit && mayStore(response, to: request, sentTo: sent)
    }

    /// Returns the addresses whose responses a successful unsafe request invalidates, all of them in its own origin (RFC 9111 §4.4).
    static func invalidated(by response: HTTPResponse, to request: HTTPRequest) -> [HTTPAddress] {
        guard saysChanged(response, request) else { return [] }
        let others = ["Location", "Content-Location"].compactMap { name in
            response.headers[name].flatMap { try? request.address.resolving($0) }
        }
        return [request.address] + others.filter { $0.origin == request.address.origin && $0 != request.address }
    }
}

extension CacheRules {
    /// Returns the names of the groups that a successful unsafe request invalidates, all of them in its own origin (RFC 9875 §3).
    static func invalidatedGroups(by response: HTTPResponse, to request: HTTPRequest) -> [String] {
        // After a redirect to a GET, the response is that of a safe method.
        guard saysChanged(response, request), response.redirection?.hasChangedMethod != true,
            response.address.origin == request.address.origin
        else { return [] }
        return ResponseNames.groups(of: "Cache-Group-Invalidation", in: response.headers, at: request.address.origin)
    }

    private static func saysChanged(_ response: HTTPResponse, _ request: HTTPRequest) -> Bool {
        !request.method.isSafe && (200..<400).contains(response.status)
    }
}

/// Determines when a cached response is used.
///
/// ```swift
/// API.tag(.forum).get("/rooms").cache(.expire(.seconds(60)))
/// API.tag(.forum).get("/me").cache(.protocol.orOffline)
/// ```
///
/// Caches responses to GET and QUERY only, and uses them only for the user who received them. Failures are cached only if the server states how long a 404 or
/// 410 is valid.
public struct CachePolicy: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        case `protocol`
        case expire(Duration)
        case always
        case never
    }

    let mode: Mode
    private(set) var servesOffline = false

    /// Follows the server's headers (RFC 9111): uses fresh responses and revalidates stale ones.
    public static let `protocol` = CachePolicy(mode: .protocol)

    /// Uses a cached response for this time, whatever its headers say.
    public static func expire(_ age: Duration) -> CachePolicy { CachePolicy(mode: .expire(age)) }

    /// Always uses a cached response if there is one, whatever its age.
    public static let always = CachePolicy(mode: .always)

    /// Neither uses nor stores cached responses.
    public static let never = CachePolicy(mode: .never)

    /// Follows the server's headers, and uses any cached response if the server is unreachable.
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

    /// Returns a copy of this policy that also uses a stale response if the server is unreachable. While the circuit breaker of the tag is open, the server
    /// counts as unreachable.
    public var orOffline: CachePolicy {
        var policy = self
        policy.servesOffline = true
        return policy
    }
}
