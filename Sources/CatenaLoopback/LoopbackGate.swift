import CatenaPromise

/// A gate that holds responses back until the test opens it: a delay without a clock.
///
/// ```swift
/// let gate = LoopbackGate()
/// server.get("/slow") { _ in .text("done").held(by: gate) }
/// let call = Task { try await client.host(server.url).get("/slow").value() }
/// await gate.entered(1)       // the request is there, and has no response yet
/// gate.open()
/// ```
public final class LoopbackGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let entries = ServerCounter()
    private let openings = ServerCounter()

    /// Makes a closed gate.
    public init() {}

    /// Lets all responses pass that wait now or arrive later. Opening the gate again has no effect.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
        openings.increment()
    }

    /// Waits until `count` responses have reached the gate since it was made. Returns early if the task is cancelled.
    public func entered(_ count: Int) async {
        await entries.reach(count)
    }

    /// The number of responses that have reached the gate so far, including those that have passed it.
    public var entryCount: Int {
        entries.value
    }

    /// Waits until the gate opens. Returns early if the task is cancelled.
    package func pass() async {
        entries.increment()
        await openings.reach(1)
    }

    /// Returns whether the gate is open. If it is closed, calls `resume` once when it opens.
    func passes(orElse resume: @escaping @Sendable () -> Void) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(resume) }
            return state.isOpen
        }
        // Counted last, so that a test that has awaited the entry finds the response waiting.
        entries.increment()
        return isOpen
    }
}
