/// A handle that suspends and resumes a call.
///
/// ```swift
/// let control = TransferControl()
/// API.get("/film").set(\.control, control).execute(.download(to: file))
/// control.suspend()
/// control.resume()
/// ```
///
/// A suspended request that has not been sent yet waits. If the response is arriving, Catena stops reading it, and the server has to wait
/// once the buffers are full. The connection stays open, and the server may close it. Meanwhile the time limits of the attempt and the call
/// continue. One control can suspend any number of requests.
public final class TransferControl: Sendable {
    private struct State {
        var isSuspended = false
        var waiting: [Int: Resolver<Void>] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Makes a control that is not suspended.
    public init() {}

    /// Whether the requests that have this control are suspended.
    public var isSuspended: Bool { state.withLock { $0.isSuspended } }

    /// Suspends the requests that have this control.
    public func suspend() {
        state.withLock { $0.isSuspended = true }
    }

    /// Resumes the requests that have this control.
    public func resume() {
        let waiting = state.withLock { state in
            state.isSuspended = false
            defer { state.waiting = [:] }
            return state.waiting.valuesInOrder()
        }
        for resolver in waiting { resolver.fulfill(()) }
    }

    /// Waits while the control is suspended. Cancelling the task ends the wait.
    func waitWhileSuspended() async throws {
        while isSuspended {
            let (promise, resolver) = Promise<Void>.pending()
            let number: Int? = state.withLock { state in
                guard state.isSuspended else { return nil }
                state.lastNumber += 1
                state.waiting[state.lastNumber] = resolver
                return state.lastNumber
            }
            guard let number else { return }
            // A cancelled task no longer waits.
            defer { _ = state.withLock { $0.waiting.removeValue(forKey: number) } }
            try await promise.value
        }
    }
}
