import Catena
import CatenaPlatform
import CatenaPromise

/// A circuit breaker that several machines share. The machine that finds the backend failing opens the breaker for all, and a single call of all
/// machines probes the backend.
///
/// Each machine counts its own calls. While the store cannot be reached, each machine uses its local breaker.
final class SharedCircuitBreaker: FleetBreaker {
    private struct Record: Codable {
        /// Distinguishes the record from every other one, so that only one machine takes its call for the probe.
        var id = UUID().uuidString
        var until: SharedMoment
        var pause: SharedMoment
        /// Whether a probe is in progress. If its result has not arrived at `until`, it counts as failed.
        var isProbing: Bool
    }

    /// The basis on which a call is admitted.
    private enum Pass {
        case local
        /// The call is the probe for all machines. Contains the stored record.
        case probe(Data, pause: Duration)
    }

    private let policy: CircuitBreakerPolicy
    private let access: SharedAccess
    private let key: String
    let local: CircuitBreaker
    private let lastSeen = Mutex<CircuitBreakerStatus>(.closed)

    init(_ policy: CircuitBreakerPolicy, of name: String, in access: SharedAccess, local: CircuitBreaker) {
        self.policy = policy
        self.access = access
        self.local = local
        key = "breaker:\(name)"
    }

    /// The status that the last call observed.
    var status: CircuitBreakerStatus {
        let seen = lastSeen.withLock { $0 }
        return seen == .closed ? local.status : seen
    }

    func run<Value>(
        blaming blame: (any Error) -> APIError? = { $0 as? APIError }, _ body: () async throws -> Value
    ) async throws -> Value {
        switch try await enter() {
        case .local:
            do {
                let value = try await local.run(blaming: blame, body)
                return value
            } catch {
                if !local.isClosed { await tell { await self.open() } }
                throw error
            }
        case .probe(let record, let pause):
            do {
                let value = try await body()
                await tell { await self.finish(record, pause, .well) }
                return value
            } catch {
                let health = CallHealth.of(error, codes: policy.codes, blaming: blame)
                await tell { await self.finish(record, pause, health) }
                throw error
            }
        }
    }

    private func enter() async throws -> Pass {
        let entry = await access.attempt { store -> Result<Pass, APIError> in
            let reading = try await store.read([key])
            guard let record = record(in: reading) else {
                note(.closed)
                return .success(.local)
            }
            let (until, pause) = (record.until.time, record.pause.time)
            guard reading.time >= until else {
                note(record.isProbing ? .halfOpen : .open)
                return .failure(local.rejection(retryAfter: until - reading.time))
            }
            note(.halfOpen)
            let probing = try sealed(until: reading.time + pause, pause, isProbing: true)
            let isFirst = try await store.replace(reading[0], with: probing, for: key, lifetime: lifetime)
            return isFirst ? .success(.probe(probing, pause: pause)) : .failure(local.rejection(retryAfter: pause))
        }
        // If the store cannot be reached, use the local breaker.
        return try entry?.get() ?? .local
    }

    /// Opens the breaker for all machines, and resets the local one.
    private func open() async {
        let pause = policy.pause
        let isOpen = await access.attempt { store in
            let reading = try await store.read([key])
            if record(in: reading) != nil { return true }
            let record = try sealed(until: reading.time + pause, pause, isProbing: false)
            // If `replace` fails, another machine has just opened the breaker.
            _ = try await store.replace(reading[0], with: record, for: key, lifetime: lifetime)
            return true
        }
        guard isOpen == true else { return }
        note(.open)
        local.reset()
    }

    /// Writes to the store what a call has shown. A store does not serve a cancelled task, such as that of a call that its deadline has ended. So a task
    /// of its own writes it then, for which the call does not wait.
    private func tell(_ write: @escaping @Sendable () async -> Void) async {
        guard Task.isCancelled else { return await write() }
        Task(operation: write)
    }

    private func finish(_ probing: Data, _ pause: Duration, _ health: CallHealth) async {
        _ = await access.attempt { store in
            guard health != .well else {
                _ = try await store.replace(probing, with: nil, for: key, lifetime: lifetime)
                note(.closed)
                return
            }
            let now = try await store.read([key]).time
            let longer = pause > policy.longestPause / 2 ? max(policy.longestPause, policy.pause) : pause * 2
            // If the probe says nothing about the backend, let the next call probe.
            let record =
                try health == .ill
                ? sealed(until: now + longer, longer, isProbing: false) : sealed(until: now, pause, isProbing: false)
            _ = try await store.replace(probing, with: record, for: key, lifetime: lifetime)
            note(health == .ill ? .open : .halfOpen)
        }
    }

    /// Returns the stored record, or `nil` if the breaker is closed or the record's times exceed the longest pause.
    private func record(in reading: SharedReading) -> Record? {
        guard let record = SharedValue.open(reading[0], of: key, as: Record.self), record.until.time <= reading.time + longest,
            record.pause.time <= longest
        else { return nil }
        return record
    }

    private var longest: Duration { max(policy.longestPause, policy.pause) }

    private var lifetime: Duration { min(longest * 2, .seconds(86400)) + .seconds(60) }

    private func sealed(until: Duration, _ pause: Duration, isProbing: Bool) throws -> Data {
        try SharedValue.seal(Record(until: SharedMoment(until), pause: SharedMoment(pause), isProbing: isProbing), for: key)
    }

    private func note(_ status: CircuitBreakerStatus) { lastSeen.withLock { $0 = status } }
}
