#if os(Linux)
import CatenaFleet
import Dispatch
import Foundation
import Synchronization

/// Runs the commands of all callers on one thread.
///
/// Each caller waits no longer than the timeout, even if the thread takes longer, as when it resolves a name.
final class RedisWorker: Sendable {
    /// The commands of a caller, which is resumed once: by the thread or by the timeout.
    private final class Job: Sendable {
        private struct State {
            var caller: CheckedContinuation<[RedisReply], any Error>?
            var isSent = false
        }

        let commands: [[Data]]
        /// Whether the commands change nothing, so that they can be sent again.
        let isReading: Bool
        let end: ContinuousClock.Instant
        private let state: Mutex<State>

        init(
            _ commands: [[Data]], isReading: Bool, until end: ContinuousClock.Instant,
            _ caller: CheckedContinuation<[RedisReply], any Error>
        ) {
            self.commands = commands
            self.isReading = isReading
            self.end = end
            state = Mutex(State(caller: caller))
        }

        var isWaiting: Bool { state.withLock { $0.caller != nil } }

        /// Whether the commands may have changed something, so that they must not be sent again.
        var mayHaveChanged: Bool { !isReading && state.withLock { $0.isSent } }

        func noteSending() { state.withLock { $0.isSent = true } }

        func finish(_ result: Result<[RedisReply], any Error>) {
            let (caller, isSent) = state.withLock { state in (state.caller.take(), state.isSent) }
            if !isReading, isSent, case .failure(let error) = result {
                caller?.resume(throwing: SharedStoreError("\(error) The command may have been carried out."))
            } else {
                caller?.resume(with: result)
            }
        }
    }

    private struct State {
        var jobs: [Job] = []
        var hasThread = false
        var isStopped = false
        /// The time before which no connection is tried after a failure, and the failure.
        var isDown: (until: ContinuousClock.Instant, reason: any Error)?
    }

    private static let mostWaiting = 1000
    private static let mostAtOnce = 64
    private static let rest = Duration.seconds(1)

    private let host: String
    private let port: Int
    private let greeting: [[Data]]
    private let timeout: Duration
    private let longestBatch: Int
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    init(host: String, port: Int, greeting: [[Data]], timeout: Duration, longestBatch: Int = RedisReplyReader.longestBatch) {
        self.host = host
        self.port = port
        self.greeting = greeting
        self.timeout = min(max(timeout, .milliseconds(1)), .seconds(60))
        self.longestBatch = longestBatch
    }

    /// Ends the thread, and fails all waiting operations.
    func stop() {
        let jobs = state.withLock { state in
            state.isStopped = true
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job.finish(.failure(SharedStoreError("The connection is closed."))) }
        arrivals.signal()
    }

    /// The number of operations that the thread has not taken yet.
    var waitingCount: Int { state.withLock { $0.jobs.count } }

    /// Returns the replies to commands that change nothing. They may be sent more than once.
    ///
    /// - Parameter time: The time limit, or `nil` for the usual one.
    func read(_ commands: [[Data]], within time: Duration? = nil) async throws -> [RedisReply] {
        try await run(commands, isReading: true, within: time ?? timeout)
    }

    /// Returns the reply to a command that changes something. It is sent at most once.
    func change(_ command: [Data]) async throws -> RedisReply {
        try await run([command], isReading: false, within: timeout).first ?? .nothing
    }

    /// Returns the replies to commands. Throws if a reply is an error.
    private func run(_ commands: [[Data]], isReading: Bool, within time: Duration) async throws -> [RedisReply] {
        let end = ContinuousClock.now + time
        let replies = try await withCheckedThrowingContinuation { caller in
            let job = Job(commands, isReading: isReading, until: end, caller)
            let refusal: (any Error)? = state.withLock { state in
                if state.isStopped { return SharedStoreError("The connection is closed.") }
                if let down = state.isDown, ContinuousClock.now < down.until { return down.reason }
                if state.jobs.count >= Self.mostWaiting { return SharedStoreError("Too many operations wait for the server.") }
                state.jobs.append(job)
                if !state.hasThread {
                    state.hasThread = true
                    Thread { [self] in serve() }.start()
                }
                return nil
            }
            if let refusal { return job.finish(.failure(refusal)) }
            arrivals.signal()
            DispatchQueue.global().asyncAfter(deadline: .now() + time / .seconds(1)) { [weak job] in
                job?.finish(.failure(SharedStoreError("The server is too slow.")))
            }
        }
        for case .error(let message) in replies { throw SharedStoreError(refusal: message, of: commands, after: greeting) }
        return replies
    }

    private func serve() {
        var connection: RedisConnection?
        while true {
            arrivals.wait()
            let (jobs, isStopped) = state.withLock { state in
                let jobs = Array(state.jobs.prefix(Self.mostAtOnce))
                state.jobs.removeFirst(jobs.count)
                return (jobs.filter(\.isWaiting), state.isStopped)
            }
            if isStopped { return }
            do {
                // Sent apart, because the reply to a change would be lost with values that are too long, and a change is not sent again.
                try carryOut(jobs.filter { !$0.isReading }, &connection)
                try carryOut(jobs.filter(\.isReading), &connection)
            } catch {
                // Close the connection, because replies that arrive later would be taken for those of other commands.
                connection = nil
                let waiting = state.withLock { state in
                    state.isDown = (ContinuousClock.now + Self.rest, error)
                    defer { state.jobs = [] }
                    return state.jobs
                }
                for job in jobs + waiting { job.finish(.failure(error)) }
            }
        }
    }

    /// Sends the commands of jobs together, or those of each reading job alone if the replies are too long together. Only a job whose own replies are
    /// too long fails for that.
    ///
    /// - Parameter jobs: Jobs that all read, or that all change something.
    private func carryOut(_ jobs: [Job], _ connection: inout RedisConnection?) throws {
        guard let end = jobs.map(\.end).max() else { return }
        do {
            let replies = try exchange(jobs, until: end, &connection)
            var next = 0
            for job in jobs {
                job.finish(.success(Array(replies[next..<next + job.commands.count])))
                next += job.commands.count
            }
        } catch is RedisConnection.Closed {
            // The server may be well, so that the next jobs have a new connection.
            connection = nil
            for job in jobs { job.finish(.failure(Self.lost)) }
        } catch is RedisReplyReader.Excess {
            // The rest of the replies would be taken for those to other commands.
            connection = nil
            guard jobs.count > 1, jobs[0].isReading else {
                let error = SharedStoreError("The replies to the commands that were sent together are too long.")
                for job in jobs { job.finish(.failure(error)) }
                return
            }
            for job in jobs where job.isWaiting {
                do {
                    try carryOut([job], &connection)
                } catch  where job.end <= .now {
                    // Its time has passed, while the others have theirs.
                    connection = nil
                    job.finish(.failure(error))
                }
            }
        }
    }

    /// Sends the commands of jobs. Sends them again on a new connection if the server has closed the present one, unless they may have changed something.
    private func exchange(
        _ jobs: [Job],
        until end: ContinuousClock.Instant,
        _ connection: inout RedisConnection?
    ) throws -> [RedisReply] {
        let commands = jobs.flatMap(\.commands)
        let noteSending = { for job in jobs { job.noteSending() } }
        do {
            if let present = connection { return try present.run(commands, until: end, longest: longestBatch, noteSending: noteSending) }
        } catch is RedisConnection.Closed where !jobs.contains(where: \.mayHaveChanged) {
            connection = nil
        }
        do {
            let new = try RedisConnection(host: host, port: port, until: end)
            for case .error(let message) in try new.run(greeting, until: end, longest: longestBatch) {
                throw SharedStoreError(refusal: message, of: greeting)
            }
            connection = new
            return try new.run(commands, until: end, longest: longestBatch, noteSending: noteSending)
        } catch is RedisConnection.Closed {
            throw Self.lost
        }
    }

    private static var lost: SharedStoreError { SharedStoreError("The connection was lost.") }
}
#endif
