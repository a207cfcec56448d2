import Catena
import CatenaPromise
import Foundation

/// The effects of an inspector. The interceptor that applies them exists only while there are effects, so that other calls do not pay for it.
final class Effects: Sendable {
    private struct State {
        var effects: [Effect] = []
        var lastID = 0
        var registration: Registration?
        /// The number of changes of the list.
        var revision = 0
    }

    private static let most = 100

    private let client: Client?
    private let random: @Sendable () -> Double
    private let state = Mutex(State())
    /// The name of this inspector's interceptor, unique among all inspectors.
    private let name = "inspector \(UUID().uuidString)"

    init(_ client: Client?, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }) {
        (self.client, self.random) = (client, random)
    }

    var all: [Effect] { state.withLock { $0.effects } }

    /// Changes with the list and with the hits of its effects.
    var revision: Int { state.withLock { state in state.effects.reduce(state.revision << 32) { $0 + $1.hits } } }

    /// The JSON of all effects.
    var json: Data {
        var output = JSONOutput()
        output.object { output in
            output.key("effects")
            output.array(all) { $1.write(into: &$0) }
        }
        return output.data
    }

    /// Adds an effect from its JSON, and returns the JSON with its id.
    func add(_ description: Data) throws(Doorkeeper.Refusal) -> Data {
        guard let client else { throw .init(status: 404, words: "There is no app that anything could be done to.") }
        let wanted = try EffectReader(description, tags: client.configuredTags).effect()
        let added = state.withLock { state -> Effect? in
            guard state.effects.count < Self.most else { return nil }
            state.lastID += 1
            state.revision += 1
            let effect = Effect(id: state.lastID, kind: wanted.kind, tag: wanted.tag)
            state.effects.append(effect)
            return effect
        }
        guard let added else { throw .init(status: 409, words: "There are \(Self.most) effects already.") }
        settle()
        var output = JSONOutput()
        added.write(into: &output)
        return output.data
    }

    func remove(_ id: String) throws(Doorkeeper.Refusal) {
        let isRemoved = state.withLock { state in
            let count = state.effects.count
            state.effects.removeAll { "\($0.id)" == id }
            state.revision += 1
            return state.effects.count < count
        }
        settle()
        if !isRemoved { throw .init(status: 404, words: "There is no such effect any more.") }
    }

    func removeAll() {
        state.withLock { state in
            state.effects = []
            state.revision += 1
        }
        settle()
    }

    /// Registers the interceptor if there are effects, and removes it otherwise.
    private func settle() {
        guard let client else { return }
        let (isNeeded, registration) = state.withLock { state -> (Bool, Registration?) in
            if state.effects.isEmpty {
                defer { state.registration = nil }
                return (false, state.registration)
            }
            return (state.registration == nil, nil)
        }
        registration?.end()
        guard isNeeded else { return }
        let added = client.intercept(name, .before(.transport)) { [weak self] call, next in
            guard let self else { return try await next(call) }
            return try await next(try await affected(call))
        }
        let isLate = state.withLock { state in
            // The last effect may have been removed meanwhile.
            if state.effects.isEmpty { return true }
            state.registration = added
            return false
        }
        if isLate { added.end() }
    }

    /// Applies every effect that delays the call, and the newest of the other effects.
    private func affected(_ call: Call) async throws -> Call {
        let meant = all.filter { $0.isMeant(for: call) }
        var call = call
        for effect in meant {
            guard case .slow(let delay) = effect.kind else { continue }
            felt(effect, call)
            try await call.clock.sleep(for: delay)
        }
        for effect in meant.reversed() {
            guard let answer = answer(of: effect) else { continue }
            felt(effect, call)
            call = call.replacingTransport(with: EffectTransport(answer: answer))
            break
        }
        return call
    }

    private func felt(_ effect: Effect, _ call: Call) {
        effect.hit()
        call.inspected?.note(effect: effect.name)
    }

    private func answer(of effect: Effect) -> EffectTransport.Answer? {
        switch effect.kind {
        case .slow: nil
        case .stub(let response): .response(response)
        case .offline: .error(APIError(.offline, message: "The inspector says that there is no network."))
        case .fail(let share, let status):
            if random() >= share {
                nil
            } else if let status {
                .response(CannedResponse(path: "", status: status))
            } else {
                .error(APIError(.connectionLost, message: "The inspector says that the connection was lost."))
            }
        }
    }
}
