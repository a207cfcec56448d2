public import Catena
import Foundation

/// Responds to requests in place of the network, keeps them for the test to check, and fails those that no stub matches.
///
/// ```swift
/// let stubs = Stubs()
/// let client = Client(testing: stubs)
/// stubs.get("/v1/users").reply(code: 0, data: [user])
/// stubs.post("/login").when { $0.json.email == "a@b.c" }.reply(status: 401)
/// stubs.get("/v1/rooms/*").sequence(.status(503), .connectionLost, .reply(data: rooms))
/// ```
///
/// Stubs replace the network and nothing else: merging, guards, retries, redirects, envelope and decoding run as in the app. Of the stubs
/// that match a call, the first one that is not used up responds, so add specific stubs before general ones. A call that no stub matches
/// fails; the error names the nearest stub and the difference, and ``verify()`` reports it again.
///
/// Stubs can be added and checked from any thread. Their delays pass on ``clock``, so that no test waits in real time.
public final class Stubs: Sendable {
    private struct State: Sendable {
        var rules: [StubRule] = []
        var uses: [Int] = []
        /// Which earlier stub answered what this one would have answered too.
        var overshadowed: [Int: Int] = [:]
        var calls: [StubCall] = []
        var strays: [String] = []
    }

    private let state = Monitor(State())

    /// The clock of the clients that are not given another one. It advances by itself, so that nothing waits in real time.
    public let clock = VirtualClock(isAutomatic: true)

    /// Makes an empty set of stubs, with which every call fails.
    public init() {}

    /// The requests that were sent, in the order of arrival: after common params, signing and encoding, each attempt and each redirect
    /// as an element of its own.
    public var calls: [StubCall] { state.withLock { $0.calls } }

    /// Waits until at least `count` requests have arrived since the stubs were made, with or without a response.
    ///
    /// Returns early if the task is cancelled.
    public func requestsReceived(_ count: Int) async {
        await state.wait { $0.calls.count >= count }
    }

    func add(_ rule: StubRule) {
        state.withLock { state in
            state.rules.append(rule)
            state.uses.append(0)
        }
    }

    /// What is wrong after all: stubs that were not used, or not as often as they say, and calls that no stub answered.
    var problems: [String] {
        let state = state.withLock { $0 }
        let unused = zip(state.rules, state.uses).enumerated().compactMap { index, pair in
            pair.0.problem(uses: pair.1, overshadowedBy: state.overshadowed[index].map { state.rules[$0] })
        }
        return unused + state.strays
    }
}

extension Stubs: CallTransport {
    /// Responds with the first stub that matches and is not used up.
    public func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try await send(request, of: CallContext())
    }

    package func send(_ request: HTTPRequest, of context: CallContext) async throws -> TransportResponse {
        switch try answer(to: request, of: context) {
        case .immediate(let response): response
        case .awaited(let send): try await send()
        }
    }

    package func answer(to request: HTTPRequest, of context: CallContext) throws -> CallAnswer {
        let (rule, use, call) = try find(StubCall(request: request, context: context))
        if rule.delay <= .zero, let reply = rule.immediateReply(use: use), let response = try reply.immediateResponse(in: context) {
            return .immediate(response)
        }
        return .awaited {
            try await context.clock.sleep(for: rule.delay)
            return try await rule.reply(to: call, use: use).response(in: context)
        }
    }

    private func find(_ call: StubCall) throws -> (StubRule, Int, StubCall) {
        // Conditions are user code, so they are asked outside the lock. Stubs are only ever added.
        let rules = state.withLock { $0.rules }
        let differences = rules.map { $0.target.differences(from: call) }
        let matching = rules.indices.filter { differences[$0].isEmpty }
        let chosen = state.withLock { state -> (index: Int, use: Int, call: StubCall)? in
            var call = call
            call.number = state.calls.count
            guard let index = matching.first(where: { !rules[$0].isUsedUp(after: state.uses[$0]) }) else {
                state.calls.append(call)
                return nil
            }
            call.parameters = rules[index].target.parameters(of: call)
            state.uses[index] += 1
            state.calls.append(call)
            for other in matching where other > index { state.overshadowed[other] = index }
            return (index, state.uses[index], call)
        }
        if let chosen { return (rules[chosen.index], chosen.use, chosen.call) }
        let message = Self.stray(call, rules, differences, usedUp: matching.last)
        state.withLock { $0.strays.append(message) }
        throw APIError(.unstubbed, message: message)
    }

    private static func stray(_ call: StubCall, _ rules: [StubRule], _ differences: [[Difference]], usedUp: Int?) -> String {
        if let usedUp { return "\(rules[usedUp]) \(rules[usedUp].capacityText), and \(call) is one more." }
        let nearest = rules.indices.min { differences[$0].weight < differences[$1].weight }
        guard let nearest else { return "No stub answers \(call): there are no stubs." }
        return "No stub answers \(call). The nearest is \(rules[nearest]), but \(differences[nearest].text)."
    }
}

extension APIError.Kind {
    /// No stub of a test matches the call.
    public static let unstubbed = Self("unstubbed")
}
