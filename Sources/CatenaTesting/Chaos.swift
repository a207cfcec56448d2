package import Catena
import CatenaPlatform
import Dispatch

/// Makes many calls with all features on against a server that fails at random, with a fixed seed. Checks that each call settles once and receives its own
/// response.
package final class Chaos: Sendable {
    /// The outcomes of the calls.
    package struct Tally: Sendable {
        package var values = 0
        package var cancelled = 0
        /// The numbers of failed calls, keyed by the error's kind and code.
        package var errors: [String: Int] = [:]
        /// The violations found: wrong values and unknown errors.
        package var wrong: [String] = []
        /// The number of `finally` handlers that ran.
        package var settled = 0

        package var total: Int { values + cancelled + errors.values.reduce(0, +) }
    }

    package let client = Client()
    private let server: LoopbackServer
    private let count: Int
    private let tally = Mutex(Tally())
    private let served = Mutex((requests: UInt64(0), token: 0))
    private let handlers = DispatchQueue(label: "chaos")

    package init(count: Int) throws {
        self.count = count
        var limits = LoopbackServer.Limits()
        limits.recordedRequests = 10
        server = try LoopbackServer(limits: limits)
        let answer: @Sendable (StubRequest) throws -> StubReply = { [unowned self] in respond(to: $0) }
        server.get("/n/{n}", answer)
        server.post("/n/{n}", answer)
        server.get("/token") { [unowned self] _ in .json(text: "\(served.withLock { $0.token })") }
        configure()
    }

    private func configure() {
        let authenticator = ChaosAuthenticator { [unowned client] in
            try await client.tag("chaos").get("/token").value(as: Int.self)
        }
        let authentication = Authentication(authenticator, store: MemoryCredentialStore(0), window: nil)
        client.configure("chaos") { chaos in
            chaos.host = server.url
            chaos.authentication = authentication
            chaos.signer = ParameterSigner(.sha256, secret: .suffix("made-up"))
            chaos.retry = .exponential(limit: 3, baseDelay: .milliseconds(2))
            chaos.retry?.budget = nil
            chaos.cache = .memory(limit: 20_000)
            chaos.dedupe = true
            chaos.maxConcurrentCalls = ConcurrencyLimit(24)
            chaos.rateLimits = [RateLimit(100_000, per: .seconds(1))]
            chaos.circuitBreaker = CircuitBreakerPolicy()
            chaos.circuitBreaker?.failureShare = 0.9
            chaos.sendsTraceparent = true
            chaos.intercept("pass") { call, next in try await next(call) }
        }
        client.commonParams { _ in ["nonce": Int.random(in: 0..<1_000_000)] }
    }

    private func respond(to request: StubRequest) -> StubReply {
        let (number, token) = served.withLock { served in
            served.requests += 1
            // From time to time all issued tokens expire.
            if served.requests.isMultiple(of: 97) { served.token += 1 }
            return (served.requests, served.token)
        }
        guard request.headers["X-Token"] == "\(token)" else { return .status(401) }
        let good = StubReply.json(text: #"{"code":0,"data":\#(request.parameters["n"] ?? "")}"#)
        var random = SeededRandom(seed: number)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<6: return .status(503)
        case 6..<9: return good.connectionLost(after: 5)
        case 9..<12: return good.resetHead(after: 7)
        case 12..<16: return .json(text: #"{"code":5,"msg":"no"}"#)
        case 16..<18: return .status(429).header("Retry-After", "0")
        case 18..<40: return good.header("Cache-Control", "max-age=1, stale-while-revalidate=5").header("ETag", "\"1\"")
        default: return good
        }
    }

    /// Makes the calls, and returns after all have ended.
    package func run(width: Int) async -> Tally {
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<width {
                group.addTask { [self] in
                    for number in stride(from: lane, to: count, by: width) { await call(number) }
                }
            }
        }
        handlers.sync {}
        server.stop()
        return tally.withLock { $0 }
    }

    private func call(_ number: Int) async {
        var random = SeededRandom(seed: UInt64(number))
        let value = Int.random(in: 0..<150, using: &random)
        let request = client.tag("chaos").deadline(.seconds(600)).set(
            \.priority, CallPriority.allCases.randomElement(using: &random) ?? .normal)
        let isPost = Int.random(in: 0..<5, using: &random) == 0
        let call = (isPost ? request.post("/n/\(value)").set(\.idempotencyKey, .random) : request.get("/n/\(value)")).execute(as: Int.self)
        let end = call.finally(on: handlers) { [self] in tally.withLock { $0.settled += 1 } }
        if Int.random(in: 0..<7, using: &random) == 0 {
            for _ in 0..<Int.random(in: 0..<50, using: &random) { await Task.detached {}.value }
            call.cancel()
        }
        let result = await end.result
        tally.withLock { $0.note(result, expecting: value) }
    }
}

extension Chaos.Tally {
    fileprivate mutating func note(_ result: Result<Int, any Error>, expecting value: Int) {
        switch result {
        case .success(let got):
            values += 1
            if got != value { wrong.append("\(got) in place of \(value)") }
        case .failure(is CancellationError): cancelled += 1
        case .failure(let error):
            let error = error as? APIError
            errors["\(error?.kind.name ?? "unknown") \(error.map { "\($0.code)" } ?? "")", default: 0] += 1
            let isExpected =
                error?.kind == .connectionLost || error?.code == 5 || [401, 429, 503].contains(error?.status)
                || error?.kind == .circuitOpen
            if !isExpected { wrong.append("\(error.map { "\($0)" } ?? "an unknown error")") }
        }
    }
}

/// Refreshes a credential that is a number.
private struct ChaosAuthenticator: Authenticator {
    let renew: @Sendable () async throws -> Int

    func apply(_ credential: Int, to request: inout HTTPRequest) { request.headers["X-Token"] = "\(credential)" }
    func refresh(_ credential: Int) async throws -> Int { try await renew() }
    func identity(of credential: Int) -> String { "user" }
}
