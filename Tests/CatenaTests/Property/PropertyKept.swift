import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

/// The storage of a cache of a ``PropertyWorld``, which the test can look through.
final class PropertyCacheStorage: CacheStorage {
    private let memory: MemoryCacheStorage
    /// All keys that have been used, in the order of their first use.
    private let keys = Mutex<[RequestKey]>([])

    init(limit: Int) { memory = MemoryCacheStorage(limit: limit) }

    /// The responses that are kept now.
    var responses: [CachedResponse] { keys.withLock { $0 }.compactMap { memory.load($0) } }

    var size: Int { memory.size }
    var emptied: MemoryCacheStorage { memory.emptied }
    var isLasting: Bool { false }

    func load(_ key: RequestKey) -> CachedResponse? { memory.load(key) }

    func save(_ response: CachedResponse, for key: RequestKey) {
        keys.withLock { keys in
            if !keys.contains(key) { keys.append(key) }
        }
        memory.save(response, for: key)
    }

    func remove(_ key: RequestKey) { memory.remove(key) }
    func removeAll(of place: String) { memory.removeAll(of: place) }
    func removeAll(named patterns: [PathPattern]) { memory.removeAll(named: patterns) }

    func clear() {
        keys.withLock { $0 = [] }
        memory.clear()
    }
}

// Kept responses that stand for the failures of an open breaker.
extension PropertyWorld {
    /// Kinds of calls that ask for the same media type, so that they have the same key.
    private static let comparable: Set<PropertyRecord.Kind> = [.typed, .awaited, .endpoint]

    private struct Enveloped: Decodable { let data: PropertyReply }

    /// Whether the policy of a call takes any kept response while the breaker is open.
    private func takesAnyKept(_ record: PropertyRecord) -> Bool {
        record.setup.hasCache && record.setup.cachePolicy == .offline && !record.isPosted && !record.kind.isStreamed
    }

    func noteKept(_ record: PropertyRecord) {
        guard takesAnyKept(record), record.sent == 0, client.circuitBreakerStatus(of: Self.tag(record.backend)) == .open else { return }
        meet(.keptForBreaker)
    }

    /// Checks that a call fails for an open breaker only if no response is kept that its policy takes.
    func checkKept(_ error: any Error, of record: PropertyRecord) {
        guard (error as? APIError)?.kind == .circuitOpen else { return }
        meet(.breakerRefusal)
        let isMeddled = state.withLock { $0.meddled.contains(record.backend) }
        guard takesAnyKept(record), Self.comparable.contains(record.kind), !isMeddled,
            let storage = caches[record.backend].storage as? PropertyCacheStorage
        else { return }
        let began = Self.start.addingTimeInterval(record.began / .seconds(1))
        for response in storage.responses where response.head.received < began && response.head.headers["Vary"] == nil {
            guard let reply = try? JSONDecoder().decode(Enveloped.self, from: response.body).data, reply.path == record.path,
                let other = self.record(reply.call), Self.comparable.contains(other.kind), isOfCaller(reply, record)
            else { continue }
            violate("call \(record.number) is refused by the breaker, although a response is kept: \(reply.text)")
        }
    }

    /// Whether a reply belongs to the caller of a call that was known when the call began.
    private func isOfCaller(_ reply: PropertyReply, _ record: PropertyRecord) -> Bool {
        switch record.caller {
        case .exempt: reply.token.isEmpty
        case .open, .nobody: false
        case .member(let own): PropertyMember(token: reply.token).map { own.mayGoOn(as: $0, isKnown: record.setup.isKnown) } ?? false
        }
    }
}
