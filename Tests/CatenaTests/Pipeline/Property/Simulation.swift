import CatenaPromise
import CatenaTesting
import Foundation

/// Runs every task that is begun on its thread there, piece by piece, in an order that a seed gives.
///
/// What else could run has run when ``run(atMost:)`` returns, so that nothing has to be waited for: where something is still under way then, it waits for
/// the test or for ever. Nothing depends on how many cores there are and how busy they are.
final class Simulation: Sendable {
    private struct State {
        var jobs: [UnownedJob] = []
        var random: SeededRandom
    }

    private let state: Mutex<State>

    /// What Swift takes for the executor of tasks that may run anywhere, and what a task that has been run on it sees no need to leave for another
    /// function: two words that are zero.
    private static let anywhere = unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)

    private init(seed: UInt64) {
        state = Mutex(State(jobs: [], random: SeededRandom(seed: seed)))
    }

    /// Does work on this thread as part of a simulation, whose tasks are run to their end before it returns. It must begin nothing on other threads that
    /// comes back to its tasks.
    ///
    /// - Returns: `nil` if this version of Swift cannot be told where tasks run.
    static func run<Result>(seed: UInt64, _ work: (Simulation) -> Result) -> Result? {
        guard isInstalled else { return nil }
        let simulation = Simulation(seed: seed)
        pthread_setspecific(key, Unmanaged.passUnretained(simulation).toOpaque())
        defer {
            simulation.run()
            pthread_setspecific(key, nil)
        }
        return work(simulation)
    }

    /// Whether nothing could run.
    var isIdle: Bool { state.withLock { $0.jobs.isEmpty } }

    /// Runs what could run, and what comes of that; gives how many pieces that were.
    @discardableResult
    func run(atMost limit: Int = .max) -> Int {
        var count = 0
        while count < limit, let job = next() {
            job.runSynchronously(on: Self.anywhere)
            count += 1
        }
        return count
    }

    private func next() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            state.jobs.swapAt(Int(state.random.next() % UInt64(state.jobs.count)), state.jobs.count - 1)
            return state.jobs.removeLast()
        }
    }

    private func add(_ job: UnownedJob) {
        state.withLock { $0.jobs.append(job) }
    }
}

// Where tasks run that say nothing of it is up to a hook of Swift's runtime.
extension Simulation {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// Knows for each thread the simulation that it runs, if it does.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static let isInstalled: Bool = {
        guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else { return false }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
            guard let simulation = pthread_getspecific(Simulation.key) else { return original(job) }
            Unmanaged<Simulation>.fromOpaque(simulation).takeUnretainedValue().add(job)
        }
        return true
    }()
}
