#if canImport(Observation)
import CatenaTesting
import Observation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) @MainActor struct RequestStateTests {
    let state = RequestState<Int>()

    /// The phase as a text.
    var phase: String {
        switch state.phase {
        case .idle: "idle"
        case .loading: "loading"
        case .value(let value): "\(value)"
        case .failure(let error): "\(error.kind)"
        }
    }

    /// Waits until the state has the outcome, which it receives independently of the tasks that await the promise.
    func settled(_ promise: Promise<Int>) async throws {
        _ = await promise.result
        while state.isLoading {
            await withCheckedContinuation { change in
                withObservationTracking {
                    _ = state.isLoading
                } onChange: {
                    change.resume()
                }
            }
            try await mainQueueHasRun()
        }
    }

    @Test("a state is idle, then loading, then has a value or a failure") func phases() async throws {
        let gated = GatedClient()
        #expect(phase == "idle" && state.value == nil && !state.isLoading)
        let call = gated.client.get("/a").execute(as: Int.self)
        state.load(call)
        #expect(phase == "loading" && state.isLoading)
        gated.open()
        try await settled(call)
        #expect(phase == "7" && state.value == 7 && state.error == nil && !state.isLoading)
        let failing = Promise<Int>(error: APIError(.offline))
        state.load(failing)
        #expect(phase == "loading" && state.value == 7)
        try await settled(failing)
        #expect(phase == "offline" && state.error?.kind == .offline && state.value == 7)
    }

    @Test("a state also shows a failure that the call's own chain has caught") func caught() async throws {
        let call = Promise<Int>(error: APIError(.offline)).catch { _ in }
        state.load(call)
        try await settled(call)
        #expect(phase == "offline" && state.error?.kind == .offline)
    }

    @Test("a cancellation that arrives as an error also restores the former phase") func cancelledError() async throws {
        let call = Promise<Int>(error: APIError(.cancelled))
        state.load(call)
        try await settled(call)
        #expect(phase == "idle" && state.error == nil)
    }

    @Test("cancelling restores the former phase", arguments: ["state", "promise", "client"]) func cancelling(way: String) async throws {
        let gated = GatedClient()
        let value = Promise(value: 1)
        state.load(value)
        try await settled(value)
        let call = gated.client.get("/a").execute(as: Int.self)
        state.load(call)
        switch way {
        case "state": state.cancel()
        case "promise": call.cancel()
        default: gated.client.calls.cancelAll()
        }
        try await settled(call)
        #expect(phase == "1" && state.value == 1)
        #expect(gated.client.calls.tasks().isEmpty)
    }

    @Test("a new load replaces and cancels the former one, whichever settles first") func replacing() async throws {
        let gated = GatedClient()
        let first = gated.client.get("/a").execute(as: Int.self)
        let wanted = Promise<Int>.pending()
        let keeper = wanted.promise.map { $0 }
        let last = Promise<Int>.pending()
        state.load(first)
        state.load(wanted.promise)
        #expect(!first.isPending)
        state.load(last.promise)
        #expect(wanted.promise.isPending)
        wanted.resolver.fulfill(2)
        #expect(try await keeper.value == 2)
        try await mainQueueHasRun()
        #expect(phase == "loading")
        state.cancel()
        #expect(phase == "idle")
        last.resolver.fulfill(3)
        try await mainQueueHasRun()
        #expect(phase == "idle")
    }

    @Test("a freed state cancels its call, unless the call has another consumer") func freed() async {
        let gated = GatedClient()
        let calls = (0..<2).map { _ in gated.client.get("/a").execute(as: Int.self) }
        let keeper = calls[1].map { $0 }
        var states: [RequestState<Int>] = calls.map { call in
            let state = RequestState<Int>()
            state.load(call)
            return state
        }
        weak let alive = states[0]
        states = []
        #expect(alive == nil)
        #expect(calls.map(\.isPending) == [false, true])
        keeper.cancel()
    }

    @Test("the changes of a state can be observed") func observed() {
        let changed = Counter()
        withObservationTracking {
            _ = state.isLoading
        } onChange: {
            changed.increment()
        }
        state.load(Promise.pending().promise)
        #expect(changed.count == 1)
    }
}
#endif
