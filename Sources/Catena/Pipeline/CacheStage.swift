import Foundation

/// Uses answers that were kept, as the policy says, and keeps new ones.
struct CacheStage: Stage {
    let cache: ResponseCache
    let rules: CacheRules

    var name: StageName { .cache }
    var explanation: String { "cache: \(rules.policy.name)" }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        let request = call.prepared
        guard rules.applies(to: request) else {
            let response = try await next(call)
            invalidate(response, call)
            return response
        }
        let key = RequestKey.caching(
            request, tag: call.tag, identity: try call.execution.identity(), rules: call.profile.requestKeyRules)
        let cached = cache.storage.load(key)
        switch rules.decide(request, cached, at: call.client.date()) {
        case .use(let cached):
            return try read(cached, call)
        case .useAndRefresh(let cached, let renewal):
            // The caller has his answer; what becomes of the renewal is nobody's business.
            Task { _ = try? await fetch(call, renewal, key, cached, next) }
            return try read(cached, call)
        case .validate(let cached, let conditional):
            return try await fetch(call, conditional, key, cached, next)
        case .fetch:
            return try await fetch(call, request, key, cached, next)
        case .unsatisfiable:
            throw APIError(.status, message: "There is no answer in the cache, and the server must not be asked.", status: 504)
        }
    }

    private func fetch(
        _ call: Call,
        _ request: HTTPRequest,
        _ key: RequestKey,
        _ cached: CachedResponse?,
        _ next: @escaping Next
    ) async throws -> HTTPResponse {
        let requested = call.client.date()
        do {
            var call = call
            call.prepared = request
            let conditions = ["If-None-Match", "If-Modified-Since"]
            call.conditions = request.headers.fields.filter { field in conditions.contains { sameHeaderName($0, field.name) } }
            let response = try await next(call)
            if rules.mayStore(response, to: call.prepared) {
                let kept = CachedResponse(response, to: call.prepared, requested: requested, received: call.client.date())
                cache.storage.save(kept, for: key)
            }
            return response
        } catch let error as APIError {
            guard let cached else { throw error }
            if error.status == 304 {
                let answer = HTTPResponse(status: 304, headers: error.response?.headers ?? [:], address: request.address)
                let renewed = cached.updated(by: answer, to: request, requested: requested, received: call.client.date())
                if let renewed { cache.storage.save(renewed, for: key) }
                return try read(renewed ?? cached, call)
            }
            guard rules.mayReplace(error, with: cached, for: request, at: call.client.date()) else { throw error }
            return try read(cached, call)
        }
    }

    /// A kept answer goes through the envelope like any other.
    private func read(_ cached: CachedResponse, _ call: Call) throws -> HTTPResponse {
        var response = cached.response(to: call.prepared, at: call.client.date())
        response.source = .cache
        return response
    }

    private func invalidate(_ response: HTTPResponse, _ call: Call) {
        for address in CacheRules.invalidated(by: response, to: call.prepared) {
            cache.storage.removeAll(of: RequestKey.place(address, call.profile.requestKeyRules))
        }
    }
}
