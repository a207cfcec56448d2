/// Runs the reactions to settled promises one after the other, so that a chain of any length needs the stack of one link.
///
/// Each thread has one trampoline. Work added while it runs is queued behind the existing work, so that handlers run in the order of attachment.
final class Trampoline {
    struct Job {
        let consumer: Consumer
        let outcome: Outcome
    }

    // Unchecked, because only the owning thread accesses these, and never from within the few lines that change them. The run-time check would cost
    // as much as the work.

    /// The executor of the current work, or `nil` while there is none.
    @exclusivity(unchecked) private(set) var executor: PromiseExecutor?
    @exclusivity(unchecked) private var waiting: [Job?] = []
    @exclusivity(unchecked) private var head = 0
    @exclusivity(unchecked) private var stops: [@Sendable () -> Void] = []
    @exclusivity(unchecked) private var released: [any Sendable] = []
    @exclusivity(unchecked) private var isReleasing = false
    /// Whether the thread is describing an error that contains others.
    @exclusivity(unchecked) var isDescribing = false
    /// The mark of the code of an upper layer that the thread runs, until this code returns.
    @exclusivity(unchecked) fileprivate var mark: AnyObject?

    /// The trampoline of the calling thread.
    static var current: Trampoline { ThreadLocal.trampoline }

    /// Runs a job now, or after the jobs that this thread is already running.
    func run(_ job: Job) {
        guard executor == nil else { return enqueue(job) }
        drain(job, on: .inline)
    }

    /// Runs several jobs in order, after those that this thread is already running.
    func run(_ jobs: [Job]) {
        guard let first = jobs.first else { return }
        if executor == nil {
            waiting.append(contentsOf: jobs.dropFirst().map(Optional.init))
            drain(first, on: .inline)
        } else {
            jobs.forEach(enqueue)
        }
    }

    private func enqueue(_ job: Job) {
        waiting.append(job)
    }

    var hasNothingWaiting: Bool { head == waiting.count }

    /// Runs jobs that have just arrived on their executor.
    ///
    /// These jobs never wait for jobs below them on the stack, because a handler there may block while it spins this run loop.
    static func arrive(_ jobs: [Job], on executor: PromiseExecutor) {
        let current = Trampoline.current
        let trampoline = current.executor == nil ? current : Trampoline()
        ThreadLocal.trampoline = trampoline
        defer { ThreadLocal.trampoline = current }
        guard let first = jobs.first else { return }
        trampoline.waiting.append(contentsOf: jobs.dropFirst().map(Optional.init))
        trampoline.drain(first, on: executor)
    }

    /// Runs a closure that stops work, after those that this thread is already running. So promises that wait for other promises are cancelled with
    /// the stack of one.
    func stop(_ stop: @escaping @Sendable () -> Void) {
        stops.append(stop)
        guard stops.count == 1 else { return }
        var index = 0
        while index < stops.count {
            stops[index]()
            index += 1
        }
        stops = []
    }

    /// Frees the content of an object, after content that this thread is already freeing. So nested objects are freed with the stack of one.
    func release(_ content: consuming any Sendable) {
        released.append(content)
        guard !isReleasing else { return }
        isReleasing = true
        while let content = released.popLast() { _ = consume content }
        isReleasing = false
    }

    private func drain(_ first: Job, on executor: PromiseExecutor) {
        self.executor = executor
        // `take()` moves the job out of the variable; reading it would retain a copy.
        var next: Job? = first
        while let job = next.take() { next = job.consumer.react(to: job.outcome, on: self) ?? dequeue() }
        self.executor = nil
    }

    private func dequeue() -> Job? {
        guard head < waiting.count else {
            if head > 0 {
                waiting.removeAll(keepingCapacity: waiting.count < 1024)
                head = 0
            }
            return nil
        }
        let job = waiting[head].take()
        head += 1
        if head >= 1024, head * 2 > waiting.count {
            waiting.removeFirst(head)
            head = 0
        }
        return job
    }
}

/// The mark of the code of an upper layer that the current thread runs, until this code returns. Tasks do not inherit it.
package enum ThreadMark {
    package static var current: AnyObject? { Trampoline.current.mark }

    /// The mark before another one was set. The thread has the same trampoline again when the marked code returns.
    package struct Former {
        fileprivate let trampoline: Trampoline
        fileprivate let mark: AnyObject?

        package func restore() { trampoline.mark = mark }
    }

    /// Sets the mark, and returns the former one. Not a function around the code, because a generic one of another module is not specialized.
    package static func set(_ mark: AnyObject) -> Former {
        let trampoline = Trampoline.current
        defer { trampoline.mark = mark }
        return Former(trampoline: trampoline, mark: trampoline.mark)
    }
}
