import Catena
import CatenaPlatform
import CatenaPromise

/// A shared store with the handler of its outages. Operations return `nil` if they fail.
struct SharedAccess: Sendable {
    let store: any SharedStore
    let outageHandler: OutageHandler

    func attempt<Value>(_ work: (any SharedStore) async throws -> Value) async -> Value? {
        do {
            let value = try await work(LimitedStore(store, outageHandler.clock))
            outageHandler.note(store, nil)
            return value
        } catch {
            if !(error is CancellationError) { outageHandler.note(store, error) }
            return nil
        }
    }

    /// The result of one try to change a value.
    enum Change<Value> {
        case done(Value)
        /// Another machine has changed the value first.
        case lost
    }

    /// The maximum number of tries. With the pauses they take about three seconds.
    static var mostTries: Int { 30 }

    /// Changes a value that machines share, by compare-and-swap.
    ///
    /// Every retry loop over a shared store uses this method, so that each has pauses and a limit.
    ///
    /// - Returns: The new value, or `nil` if the store cannot be reached or other machines won every try, as with a store whose reads are stale.
    func change<Value: Sendable>(_ step: (any SharedStore) async throws -> Change<Value>) async -> Value? {
        var longest = Duration.microseconds(200)
        for _ in 0..<Self.mostTries {
            switch await attempt(step) {
            case nil: return nil
            case .done(let value)?: return value
            case .lost?: break
            }
            // Wait for a random time, so that machines do not collide again.
            try? await outageHandler.clock.sleep(for: longest * (0.5 + outageHandler.random() / 2))
            if Task.isCancelled { return nil }
            longest = min(longest * 2, .milliseconds(200))
        }
        outageHandler.note(
            store,
            APIError(.timeout, message: "Other machines were always quicker to change what they share, or reads of the store are late."))
        return nil
    }
}

/// The longest time of one operation of a shared store, and of the wait for an operation of another caller.
enum StoreLimit {
    private static let time = Duration.seconds(5)

    static func within<Value: Sendable>(_ clock: any TimerClock, _ operation: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
        try await withTimeLimit(
            time, on: clock, error: APIError(.timeout, message: "The shared store took longer than \(time)."), operation)
    }
}

/// A store whose operations end within the limit, even if the store does not respond.
private final class LimitedStore: SharedStore {
    private let store: any SharedStore
    private let clock: any TimerClock

    init(_ store: any SharedStore, _ clock: any TimerClock) { (self.store, self.clock) = (store, clock) }

    func read(_ keys: [String]) async throws -> SharedReading { try await limited { [store] in try await store.read(keys) } }

    func write(_ value: Data?, for key: String, lifetime: Duration) async throws {
        try await limited { [store] in try await store.write(value, for: key, lifetime: lifetime) }
    }

    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        try await limited { [store] in try await store.replace(former, with: value, for: key, lifetime: lifetime) }
    }

    private func limited<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await StoreLimit.within(clock, operation)
    }
}
