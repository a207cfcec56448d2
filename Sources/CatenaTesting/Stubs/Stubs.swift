public import Catena
public import CatenaPlatform

/// Responds to requests instead of the network, stores them for checks, and fails those that no stub matches.
///
/// ```swift
/// let stubs = Stubs()
/// let client = Client(testing: stubs)
/// stubs.get("/v1/users").reply(code: 0, data: [user])
/// stubs.post("/login").when { $0.json.email == "a@b.c" }.reply(status: 401)
/// stubs.get("/v1/rooms/*").sequence(.status(503), .connectionLost, .reply(data: rooms))
/// ```
///
/// Stubs replace only the network. Merging, guards, retries, redirects, envelope and decoding run as in the app. The first matching stub that is not used up
/// responds, so add specific stubs before general ones. A call that no stub matches fails; the error names the nearest stub and the difference, and
/// ``verify()`` reports it again.
///
/// Stubs can be added and checked from any thread. Their delays use ``clock``, so that no test waits in real time.
public final class Stubs: Sendable {
    private struct State: Sendable {
        var rules: [StubRule] = []
        var uses: [Int] = []
        /// The earlier stub that replied to a call that this stub matches too.
        var overshadowed: [Int: Int] = [:]
        var requests: [StubRequest] = []
        var strays: [String] = []
        var diagnostics: [DiagnosticEvent] = []
    }

    private let state = Monitor(State())

    /// The default clock of the clients. It advances by itself, so that no test waits in real time.
    public let clock = VirtualClock(isAutomatic: true)

    /// Makes an empty set of stubs. Until stubs are added, every call fails.
    public init() {}

    /// The requests that were sent, in the order of arrival and after common params, signing and encoding. Each attempt and each redirect is an element.
    public var requests: [StubRequest] { state.withLock { $0.requests } }

    /// Waits until at least `count` requests have arrived since the stubs were made, with or without a response.
    ///
    /// Returns early if the task is cancelled.
    public func requestsReceived(_ count: Int) async {
        await state.wait { $0.requests.count >= count }
    }

    /// The diagnostics of the clients of these stubs, in the order of their reports. A test fails on any of them with one line.
    ///
    /// ```swift
    /// #expect(stubs.diagnostics.isEmpty)
    /// ```
    public var diagnostics: [DiagnosticEvent] { state.withLock { $0.diagnostics } }

    /// Keeps the diagnostics of a client.
    func watch(_ client: Client) {
        client.diagnostics.watch { [weak self] event in self?.state.withLock { $0.diagnostics.append(event) } }
    }

    func add(_ rule: StubRule) {
        state.withLock { state in
            state.rules.append(rule)
            state.uses.append(0)
        }
    }

    /// The stubs that were used less often than they should be, and the calls that no stub matched.
    var problems: [String] {
        let state = state.withLock { $0 }
        let unused = zip(state.rules, state.uses).enumerated().compactMap { index, pair in
            pair.0.problem(uses: pair.1, overshadowedBy: state.overshadowed[index].map { state.rules[$0] })
        }
        return unused + state.strays
    }
}

extension Stubs: Transport, OwnTransport {
    package var engine: TransportEngine { .stubs }

    /// Responds with the first stub that matches and is not used up.
    public func send(_ request: HTTPRequest) async throws -> TransportResponse { try await send(request, in: TransferContext()) }

    public func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        let call = context.stub
        guard request.bodySource == nil else {
            return try await context.run { [self] in
                let (rule, use, request) = try find(try await StubRequest.reading(request, in: call))
                return try await rule.response(to: request, use: use)
            }
        }
        let (rule, use, request) = try find(StubRequest(request, of: call))
        if let response = try rule.immediateResponse(in: call, use: use) { return try context.inTime(response) }
        return try await context.run { try await rule.response(to: request, use: use) }
    }

    private func find(_ call: StubRequest) throws -> (StubRule, Int, StubRequest) {
        // Conditions are user code, so they run outside the lock. Stubs are never removed, so that indices stay valid.
        let rules = state.withLock { $0.rules }
        let differences = rules.map { $0.target.differences(from: call) }
        let matching = rules.indices.filter { differences[$0].isEmpty }
        let chosen = state.withLock { state -> (index: Int, use: Int, call: StubRequest)? in
            var call = call
            call.number = state.requests.count
            guard let index = matching.first(where: { !rules[$0].isUsedUp(after: state.uses[$0]) }) else {
                state.requests.append(call)
                return nil
            }
            call.parameters = rules[index].target.parameters(of: call)
            state.uses[index] += 1
            call.visit = state.uses[index]
            state.requests.append(call)
            for other in matching where other > index { state.overshadowed[other] = index }
            return (index, state.uses[index], call)
        }
        if let chosen { return (rules[chosen.index], chosen.use, chosen.call) }
        let message = Self.stray(call, rules, differences, usedUp: matching.last)
        state.withLock { $0.strays.append(message) }
        throw APIError(.unstubbed, message: message)
    }

    private static func stray(_ call: StubRequest, _ rules: [StubRule], _ differences: [[Difference]], usedUp: Int?) -> String {
        if let usedUp { return "\(rules[usedUp]) \(rules[usedUp].capacityText), and \(call) is one more." }
        let nearest = rules.indices.min { differences[$0].weight < differences[$1].weight }
        guard let nearest else { return "No stub answers \(call): there are no stubs." }
        return "No stub answers \(call). The nearest is \(rules[nearest]), but \(differences[nearest].text)."
    }
}

extension APIError.Kind {
    /// The kind of an error if no stub matches the call.
    public static let unstubbed = Self("unstubbed")
}

/// The error if the calls of a test differ from its expectations.
public struct StubFailure: LocalizedError, CustomStringConvertible {
    /// The problems, one on each line, without secrets.
    public let description: String

    public var errorDescription: String? { description }
}

extension Stubs {
    /// Throws a ``StubFailure`` if a stub was used less often than it should be, or if no stub matched a call.
    ///
    /// This includes calls whose error the code under test ignored. The method does not wait, and a call in progress may not have reached a stub yet; see
    /// ``verifyWhenIdle()``.
    public func verify() throws {
        let problems = problems
        if !problems.isEmpty { throw StubFailure(description: problems.joined(separator: "\n")) }
    }

    /// Waits until all calls have ended, and then does the checks of ``verify()``.
    ///
    /// Use it for calls whose result the test does not await, such as chains. A call that begins in a `flatMap` belongs to its chain and is waited for. A
    /// call that begins in a `then`, or in a task that awaits another call, may be missed; wait with ``requestsReceived(_:)`` first. The calls are those of
    /// clients on ``clock``, which advances whenever something waits for it.
    public func verifyWhenIdle() async throws {
        await clock.runUntilIdle()
        try verify()
    }
}

extension Stubs {
    /// Makes calls of `API` and `Client.shared` outside a scope of stubs fail, unless they go to this machine.
    ///
    /// Call it once for a test bundle, in the initializer of a suite or in the `setUp` of a test class. It applies until the process ends. Further calls have
    /// no effect.
    ///
    /// ```swift
    /// init() { Stubs.forbidNetwork() }
    /// ```
    ///
    /// Inside ``activate(clock:isolation:_:)`` the stubs respond to such calls. Work that leaves the task, such as `Task.detached`, a queue or a delegate, is
    /// outside. Its calls fail with `unstubbed`. Other clients are not affected.
    public static func forbidNetwork() { LocalTransport.require() }
}
