import CatenaTesting
import Foundation
import TestSupport

@testable import Catena
@testable import CatenaFleet

// The app's own code: interceptors, error handlers, common values and refreshes.
extension PropertyWorld {
    func configure(_ backend: Int) {
        let setup = state.withLock { state in
            let setup = state.setups[backend]
            if !setup.meddlers.isEmpty { state.meddled.insert(backend) }
            if setup.has(.asksTwice) { state.doubling.insert(backend) }
            return setup
        }
        client.configure(Self.tag(backend)) { profile in
            profile = Profile()
            profile.host = "https://\(Self.host(backend))"
            profile.authentication = setup.hasSignIn ? authentications[backend] : nil
            profile.retry = .exponential(limit: setup.retryLimit)
            profile.retry?.budget = setup.budget
            profile.hedgeDelay = setup.hedgeDelay
            profile.cache = setup.hasCache ? caches[backend] : nil
            profile.cachePolicy = setup.cachePolicy
            profile.dedupe = setup.dedupes
            profile.maxConcurrentCalls = setup.concurrency
            profile.rateLimits = setup.rate.map { [$0] }
            profile.circuitBreaker = setup.breaker
            profile.timeout = setup.timeout
            profile.deadline = setup.deadline
            profile.redirectLimit = PropertySetup.redirectLimit
            profile.requestKeyRules = RequestKeyRules()
            profile.requestKeyRules?.volatileHeaders.formUnion(["x-call", "x-asked", "x-nonce"])
            profile.sharedLimits = setup.sharesLimits ? store : nil
            switch setup.signing {
            case .none: break
            case .own: profile.signer = ParameterSigner(.sha256, secret: .suffix("made-up"))
            case .app: profile.signer = PropertySigner { [unowned self] in await nonce() }
            }
            if setup.concurrency != nil || setup.rate != nil {
                profile.intercept("inside", .after(.limits)) { [unowned self] call, next in try await watch(backend, setup, call, next) }
            }
            for (place, meddler) in setup.meddlers.enumerated() {
                profile.intercept("meddler \(place)", meddler.position) { [unowned self] call, next in
                    try await meddle(meddler.meddling, call, next)
                }
            }
        }
    }

    private func meddle(
        _ meddling: PropertySetup.Meddling, _ call: Call, _ next: @escaping @Sendable (Call) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        var call = call
        guard let number = call.request.headers["X-Call"].flatMap({ Int($0) }) else { return try await next(call) }
        if meddling == .person {
            let person = state.withLock { $0.person }
            call.request.headers["X-Person"] = person
            update(number) { $0.persons.insert(person) }
        }
        guard !isCalm, draw(3) == 0 else { return try await next(call) }
        switch meddling {
        case .passes, .person: break
        case .marks: call.request.headers["X-Mark"] = "\(draw(2))"
        case .fails: throw draw([APIError(.connectionLost), APIError(.business, code: 9), Failure(), CancellationError()])
        case .answers:
            let reply = PropertyReply(call: number, path: Self.place(call.request.address.path), version: .max, isServers: false)
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"], body: reply.enveloped, address: call.request.address)
        case .asksTwice: _ = try? await next(call)
        case .waits: try await clock.sleep(for: .milliseconds(draw(3000)))
        case .moves:
            let path = "/elsewhere/\(number)\(Self.place(call.request.address.path))"
            let query = PropertyList.position(in: call.request.address).map { "?" + $0 } ?? ""
            call.request.address = try HTTPAddress(parsing: "https://\(Self.otherHost)\(path)\(query)")
        }
        return try await next(call)
    }

    /// Checks a call that has passed the limits of a backend.
    private func watch(
        _ backend: Int, _ setup: PropertySetup, _ call: Call, _ next: @escaping @Sendable (Call) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard call.request.address.path != "/refresh", call.request.address.host == Self.host(backend) else { return try await next(call) }
        let now = clock.now
        // The calls of a fleet wait for a store, whose responses may arrive together.
        if let rate = setup.rate, setup.concurrency == nil, !setup.sharesLimits {
            let last = state.withLock { $0.lastPass.updateValue(now, forKey: backend) }
            if let last, now - last < rate.period / rate.count {
                violate("backend \(backend) gets calls at \(last) and \(now), faster than its rate")
            }
        }
        state.withLock { $0.inside[backend, default: 0] += 1 }
        defer { state.withLock { $0.inside[backend, default: 0] -= 1 } }
        return try await next(call)
    }

    func handle(_ error: APIError, _ request: Request) async -> ErrorDecision {
        guard let number = request.headerChanges.set["X-Call"].flatMap({ Int($0) }), let record = record(number) else { return .proceed }
        update(number) { $0.handled += 1 }
        if record.hasEnded { violate("a handler is asked of call \(number) after its end: \(error)") }
        // Each connection of an event stream is a call of its own.
        if record.handled > 0, record.kind != .events { violate("a handler is asked twice of call \(number): \(error)") }
        guard !isCalm else { return .proceed }
        switch draw(10) {
        case 0: return .cancelSilently
        case 1: return .replace(with: APIError(.business, code: 77))
        case 2:
            update(number) { $0.handlers += 1 }
            defer { update(number) { $0.handlers -= 1 } }
            try? await clock.sleep(for: .seconds(1))
        default: break
        }
        return .proceed
    }

    /// Refreshes a credential with a call to its backend.
    func renew(_ member: PropertyMember) async throws -> PropertyMember {
        let number = begin(.typed, member.backend, "/refresh", isExempt: true, isPosted: true)
        let request = described(number)
        do {
            let reply = try await request.value(as: PropertyReply.self)
            end(number, .success(reply))
        } catch {
            end(number, .failure(error))
            throw error
        }
        var renewed = member
        renewed.renewal = max(member.renewal + 1, state.withLock { $0.oldestRenewals[member.session] ?? 0 })
        log("\(member.token) becomes \(renewed.token)")
        return renewed
    }
}
