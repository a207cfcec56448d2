/// Runs the work that settling a promise sets free, one piece after the other, so that a chain of any length needs the stack
/// of one link.
///
/// There is one for each thread. Work that arises while the trampoline runs waits its turn behind the work already there,
/// which also gives the order that callers see: handlers run in the order of attachment.
final class Trampoline {
    struct Job {
        let consumer: Consumer
        let outcome: Outcome
    }

    // Only the owning thread touches these, and never while it is inside one of the few lines that change them; the run-time check
    // of that would cost as much as the work.

    /// Where the work runs at the moment; `nil` while there is none.
    @exclusivity(unchecked) private(set) var executor: PromiseExecutor?
    @exclusivity(unchecked) private var waiting: [Job?] = []
    @exclusivity(unchecked) private var head = 0
    @exclusivity(unchecked) private var stops: [@Sendable () -> Void] = []
    @exclusivity(unchecked) private var released: [any Sendable] = []
    @exclusivity(unchecked) private var isReleasing = false
    /// Whether the thread is describing an error that is made of others.
    @exclusivity(unchecked) var isDescribing = false

    /// The trampoline of the calling thread.
    static var current: Trampoline { ThreadLocal.trampoline }

    /// Runs a job now, or after the jobs that this thread is running already.
    func run(_ job: Job) {
        guard executor == nil else { return enqueue(job) }
        drain(job, on: .inline)
    }

    /// Runs several jobs in order, behind those that this thread is running already.
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
    /// They never wait behind jobs below them on the stack: those may be blocked in a handler that spins this very run loop.
    static func arrive(_ jobs: [Job], on executor: PromiseExecutor) {
        let current = Trampoline.current
        let trampoline = current.executor == nil ? current : Trampoline()
        ThreadLocal.trampoline = trampoline
        defer { ThreadLocal.trampoline = current }
        guard let first = jobs.first else { return }
        trampoline.waiting.append(contentsOf: jobs.dropFirst().map(Optional.init))
        trampoline.drain(first, on: executor)
    }

    /// Runs what stops the work behind a promise, after what this thread is stopping already: promises that wait for promises that wait
    /// for promises are cancelled with the stack of one.
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

    /// Lets go of what something held that is being freed, after what this thread is letting go of already: things that hold things that
    /// hold things are freed with the stack of one.
    func release(_ content: consuming any Sendable) {
        released.append(content)
        guard !isReleasing else { return }
        isReleasing = true
        while let content = released.popLast() { _ = consume content }
        isReleasing = false
    }

    private func drain(_ first: Job, on executor: PromiseExecutor) {
        self.executor = executor
        // Taken out of its place for each turn: what could be overwritten meanwhile would be copied.
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
