import Foundation

/// Hears whether a store can be reached: an error, or `nil` once it can be again.
struct SharedWatch: Sendable {
    /// The clock that limits the operations of the store, and by which tries are repeated.
    let clock: any TimerClock
    /// Draws how long it is waited between two tries: from 0 to 1.
    var random: @Sendable () -> Double = { Double.random(in: 0...1) }
    let note: @Sendable (any SharedStore, (any Error)?) -> Void

    /// Hears nothing.
    static let silent = SharedWatch(clock: SystemClock.shared) { _, _ in }
}

/// A store, and what hears when it fails. Work that fails gives `nil`.
struct SharedAccess: Sendable {
    let store: any SharedStore
    let watch: SharedWatch

    func attempt<Value>(_ work: (any SharedStore) async throws -> Value) async -> Value? {
        do {
            let value = try await work(LimitedStore(store, watch.clock))
            watch.note(store, nil)
            return value
        } catch {
            if !(error is CancellationError) { watch.note(store, error) }
            return nil
        }
    }

    /// The outcome of an attempt to change something.
    enum Change<Value> {
        case done(Value)
        /// Another machine was quicker.
        case lost
    }

    /// How often a change is tried. With the pauses these are some three seconds.
    static var mostTries: Int { 30 }

    /// Changes a value that machines share, however many of them do at the same time.
    ///
    /// Every loop over a shared store is this one, so that none is without a pause and a bound.
    ///
    /// - Returns: `nil` if the store cannot be reached, or if others were always quicker, as it is with a store whose reads are late.
    func change<Value: Sendable>(_ step: (any SharedStore) async throws -> Change<Value>) async -> Value? {
        var longest = Duration.microseconds(200)
        for _ in 0..<Self.mostTries {
            switch await attempt(step) {
            case nil: return nil
            case .done(let value)?: return value
            case .lost?: break
            }
            // Machines that wait for different times are in no other's way.
            try? await watch.clock.sleep(for: longest * (0.5 + watch.random() / 2))
            if Task.isCancelled { return nil }
            longest = min(longest * 2, .milliseconds(200))
        }
        watch.note(
            store,
            APIError(.timeout, message: "Other machines were always quicker to change what they share, or reads of the store are late."))
        return nil
    }
}

/// A store each of whose operations ends within a time, whether or not the store responds.
private final class LimitedStore: SharedStore {
    private static let limit = Duration.seconds(5)

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
        try await withTimeLimit(
            Self.limit, on: clock, error: APIError(.timeout, message: "The shared store took longer than \(Self.limit)."), operation)
    }
}
