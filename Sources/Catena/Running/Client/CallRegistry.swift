/// The active calls of a client, or those whose lifetime an object limits.
///
/// Ids and groups are indexed, so that cancelling many calls one by one stays cheap. A call that has neither costs one entry.
final class CallRegistry: Sendable {
    struct State: Sendable {
        var calls: [UInt64: CallTask] = [:]
        var ids: [String: Set<UInt64>] = [:]
        var groups: [String: Set<UInt64>] = [:]
        var isClosed = false
    }

    /// The criterion by which calls are selected.
    enum Selection {
        case all
        case id(String)
        case group(String)
        case tag(Tag)
    }

    let state = Monitor(State())

    /// Adds a call. Returns `false` if the registry is closed.
    @discardableResult
    func add(_ call: CallTask) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.calls[call.callID] = call
            if let id = call.id { state.ids[id, default: []].insert(call.callID) }
            if let group = call.group { state.groups[group, default: []].insert(call.callID) }
            return true
        }
    }

    /// Returns the older calls with the id of a call that replaces them, and whether a newer one has replaced the call meanwhile.
    ///
    /// Both of two calls that begin at the same time are in the list by then, so that exactly one of them stays.
    func replaced(by call: CallTask) -> (older: [CallTask], isReplaced: Bool) {
        guard let id = call.id else { return ([], false) }
        return state.withLock { state in
            let others = state.ids[id, default: []].filter { $0 != call.callID }.compactMap { state.calls[$0] }
            return (others.filter { $0.age < call.age }, others.contains { $0.replaces && $0.age > call.age })
        }
    }

    func remove(_ call: CallTask) {
        state.withLock { state in
            guard state.calls.removeValue(forKey: call.callID) != nil else { return }
            if let id = call.id { state.ids.remove(call.callID, from: id) }
            if let group = call.group { state.groups.remove(call.callID, from: group) }
        }
    }

    /// Returns the selected calls in the order in which they were created, or none if the selection is `nil`.
    func calls(_ selection: Selection?) -> [CallTask] {
        guard let selection else { return [] }
        let found = state.withLock { state -> [CallTask] in
            switch selection {
            case .all: Array(state.calls.values)
            case .id(let id): state.ids[id, default: []].compactMap { state.calls[$0] }
            case .group(let group): state.groups[group, default: []].compactMap { state.calls[$0] }
            case .tag(let tag): state.calls.values.filter { $0.tag == tag }
            }
        }
        return found.ordered { $0.callID < $1.callID }
    }

    /// Closes the registry to new calls, and returns the remaining ones.
    func close() -> [CallTask] {
        state.withLock { $0.isClosed = true }
        return calls(.all)
    }
}

extension [String: Set<UInt64>] {
    fileprivate mutating func remove(_ callID: UInt64, from key: String) {
        self[key]?.remove(callID)
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}
