import Catena
import CatenaPromise
import Foundation

/// The calls that are kept: the newest so many, in so much memory.
///
/// It is told of calls in their way, so it only puts them in their place and counts. Bodies go before calls do, and the oldest go first. What has
/// failed while nobody watched is put aside until somebody looks.
final class CallStore: CallWatcher, FailureKeeper {
    struct Limits: Sendable {
        var calls = 10_000
        /// Of everything, estimated.
        var bytes = 40 << 20
        /// Of one body.
        var body = 256 << 10
        /// Of the failed calls that nobody watched.
        var unseenCalls = 1000
        /// Of their bodies.
        var unseenBytes = 8 << 20
    }

    fileprivate struct Slot {
        let trace: CallTrace
        /// 0 until the call is over.
        var size = 0
    }

    fileprivate struct State {
        /// A ring: the call with the number `n` is at `n % limit`.
        var slots: [Slot?] = []
        /// The number of the oldest call that is kept, and the one that the next call gets.
        var first = 0
        var next = 0
        /// The number that counting has begun with since the list was last cleared.
        var origin = 0
        var bytes = 0
        /// The calls before this one have no bodies any more.
        var withBodies = 0
        var bodiless = 0
    }

    let limits: Limits
    private let state = Mutex(State())
    private let unseen: Mutex<UnseenCalls>

    init(_ limits: Limits) {
        var limits = limits
        limits.calls = max(limits.calls, 1)
        self.limits = limits
        unseen = Mutex(UnseenCalls(most: min(limits.calls, limits.unseenCalls), bytes: limits.unseenBytes))
    }

    // MARK: In the way of calls

    func began(_ trace: CallTrace) {
        let gone = state.withLock { state -> Slot? in
            let place = state.next % limits.calls
            var gone: Slot?
            if state.next - state.first == limits.calls { gone = state.removeFirst(limits.calls) }
            if place == state.slots.count { state.slots.append(Slot(trace: trace)) } else { state.slots[place] = Slot(trace: trace) }
            state.next += 1
            return gone
        }
        _ = consume gone
    }

    func ended(_ trace: CallTrace) {
        let size = trace.settle(bodyLimit: limits.body)
        // What goes is freed behind the lock.
        let gone = state.withLock { state -> ([CallTrace.Contents], [Slot]) in
            guard let number = state.number(of: trace, limits.calls) else { return ([], []) }
            state.slots[number % limits.calls]?.size = size
            state.bytes += size
            return state.bytes <= limits.bytes && number >= state.withBodies ? ([], []) : state.shrink(limits, behind: number)
        }
        withExtendedLifetime(gone) {}
    }

    func keep(_ call: FailedCall) {
        var call = call
        let size = call.settle(bodyLimit: limits.body)
        // What goes is freed behind the lock.
        let gone = unseen.withLock { [call] in $0.add(call, size: size) }
        withExtendedLifetime(gone) {}
    }

    // MARK: For those who look

    /// Puts the failed calls that nobody watched with the others.
    func takeIn() {
        let (calls, missed) = unseen.withLock { $0.take() }
        state.withLock { $0.origin -= missed }
        for call in calls {
            let trace = CallTrace(call)
            began(trace)
            ended(trace)
        }
    }

    struct Count: Sendable, Equatable {
        /// How many calls there have been since the list was cleared, and how many of them are here.
        var total = 0
        var kept = 0
        /// How many of these have lost their bodies to make room.
        var bodiless = 0
        var bytes = 0

        /// How many calls had to go.
        var dropped: Int { total - kept }
    }

    var count: Count {
        state.withLock { Count(total: $0.next - $0.origin, kept: $0.next - $0.first, bodiless: $0.bodiless, bytes: $0.bytes) }
    }

    /// The number that the next call gets.
    var next: Int { state.withLock { $0.next } }

    /// The calls from a number on, the newest of them last, and no more than the newest so many.
    func calls(from number: Int = 0, atMost most: Int = .max) -> [CallTrace] {
        state.withLock { state in
            let first = max(state.first, number, most < state.next ? state.next - most : 0)
            return first < state.next ? (first..<state.next).compactMap { state.slots[$0 % limits.calls]?.trace } : []
        }
    }

    /// The oldest call that is kept.
    var oldest: CallTrace? { state.withLock { $0.first < $0.next ? $0.slots[$0.first % limits.calls]?.trace : nil } }

    func call(_ id: UInt64) -> CallTrace? { calls().last { $0.callID == id } }

    func clear() {
        let unseen = unseen.withLock { $0.take() }
        withExtendedLifetime(unseen) {}
        let former = state.withLock { state -> [Slot?] in
            defer {
                state.slots = state.slots.map { _ in nil }
                (state.first, state.origin, state.withBodies) = (state.next, state.next, state.next)
                (state.bytes, state.bodiless) = (0, 0)
            }
            return state.slots
        }
        _ = consume former
    }
}

extension CallStore.State {
    /// Where a call is, which is seldom far from the newest; `nil` if it is not kept any more.
    fileprivate func number(of trace: CallTrace, _ limit: Int) -> Int? {
        var number = next - 1
        while number >= first {
            if slots[number % limit]?.trace === trace { return number }
            number -= 1
        }
        return nil
    }

    fileprivate mutating func removeFirst(_ limit: Int) -> CallStore.Slot? {
        let slot = slots[first % limit].take()
        bytes -= slot?.size ?? 0
        if first < withBodies { bodiless -= 1 }
        first += 1
        withBodies = max(withBodies, first)
        return slot
    }

    /// Makes room: bodies first, then calls, the oldest first. A call that ends after its turn has come loses its bodies at once.
    ///
    /// - Returns: What has gone.
    fileprivate mutating func shrink(_ limits: CallStore.Limits, behind number: Int) -> ([CallTrace.Contents], [CallStore.Slot]) {
        var gone: ([CallTrace.Contents], [CallStore.Slot]) = ([], [])
        if number < withBodies, let former = dropBodies(number, limits) { gone.0.append(former) }
        while bytes > limits.bytes, withBodies < next {
            if let former = dropBodies(withBodies, limits) { gone.0.append(former) }
            withBodies += 1
            bodiless += 1
        }
        while bytes > limits.bytes, next - first > 1 {
            if let slot = removeFirst(limits.calls) { gone.1.append(slot) }
        }
        return gone
    }

    private mutating func dropBodies(_ number: Int, _ limits: CallStore.Limits) -> CallTrace.Contents? {
        // One that is under way is dealt with when it ends.
        guard let slot = slots[number % limits.calls], slot.size > 0 else { return nil }
        let former = slot.trace.contents
        let size = slot.trace.change { $0.dropBodies() }
        bytes += size - slot.size
        slots[number % limits.calls]?.size = size
        return former
    }
}
