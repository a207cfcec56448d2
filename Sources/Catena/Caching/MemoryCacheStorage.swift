import Foundation
import Synchronization

/// Keeps answers for as long as the app runs.
final class MemoryCacheStorage: CacheStorage {
    private struct State {
        var index: CacheIndex
        var responses: [RequestKey: CachedResponse] = [:]
    }

    private let limit: Int
    private let state: Mutex<State>

    init(limit: Int) {
        self.limit = limit
        state = Mutex(State(index: CacheIndex(limit: limit)))
    }

    var isLasting: Bool { false }

    var size: Int { state.withLock { $0.index.size } }

    func load(_ key: RequestKey) -> CachedResponse? {
        state.withLock { $0.index.touch(key) ? $0.responses[key] : nil }
    }

    func save(_ response: CachedResponse, for key: RequestKey) {
        let removed = state.withLock { state in
            var removed = [state.responses.updateValue(response, forKey: key)]
            for key in state.index.insert(key, size: response.size) { removed.append(state.responses.removeValue(forKey: key)) }
            return removed
        }
        // Freed outside the lock.
        _ = consume removed
    }

    func remove(_ key: RequestKey) {
        let removed = state.withLock { state in
            state.index.remove(key)
            return state.responses.removeValue(forKey: key)
        }
        _ = consume removed
    }

    func removeAll(of place: String) {
        let removed = state.withLock { state in
            state.index.removeAll(of: place).map { state.responses.removeValue(forKey: $0) }
        }
        _ = consume removed
    }

    func clear() {
        let former = state.withLock { state in
            let former = state
            state = State(index: CacheIndex(limit: limit))
            return former
        }
        _ = consume former
    }
}

extension CachedResponse {
    /// About how many bytes the answer takes.
    var size: Int {
        head.fields.reduce(body.count + 256) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    }
}
