import CatenaPromise
import CatenaTesting
import Foundation

/// Runs every task that is started on its thread there, one job at a time, in an order that a seed determines.
///
/// All other jobs have run when ``run(atMost:)`` returns, so that the test waits for nothing. A task that is still in progress then waits for the test or
/// never ends. The result does not depend on the number of cores and their load.
final class Simulation: Sendable {
    private struct State {
        var jobs: [UnownedJob] = []
        var random: SeededRandom
    }

    private let state: Mutex<State>

    /// Swift's value for the generic executor, which is two words that are zero. A task that runs on it does not switch its executor to call another function.
    private static let anywhere = unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)

    private init(seed: UInt64) {
        state = Mutex(State(jobs: [], random: SeededRandom(seed: seed)))
    }

    /// Performs work on this thread as part of a simulation, and runs all of its tasks before it returns. The work must start nothing on other threads that
    /// returns to its tasks.
    ///
    /// - Returns: The result of the work, or `nil` if this version of Swift has no hook for tasks.
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

    /// Whether no job is ready to run.
    var isIdle: Bool { state.withLock { $0.jobs.isEmpty } }

    /// Runs ready jobs, also those that they add, and returns their number.
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

// A hook of Swift's runtime receives the jobs of tasks without an executor of their own.
extension Simulation {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The key under which each thread stores the simulation that it runs, if any.
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
