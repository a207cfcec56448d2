import Catena
import CatenaPromise
import Foundation

/// Stores the newest calls within limits of number and memory.
///
/// Calls invoke it synchronously, so it only stores and counts them. When memory runs out, it drops bodies before calls, and the oldest first. Calls
/// that failed while no page was open are stored separately until a page opens.
final class CallStore: CallWatcher, FailureKeeper {
    struct Limits: Sendable {
        var calls = 10_000
        /// The estimated bytes of all calls.
        var bytes = 40 << 20
        /// The maximum number of bytes kept of one body.
        var body = 256 << 10
        /// The maximum number of calls that failed while no page was open.
        var unseenCalls = 1000
        /// The maximum number of bytes of their bodies.
        var unseenBytes = 8 << 20
    }

    fileprivate struct Slot {
        let inspected: InspectedCall
        /// The estimated bytes of the call, or 0 while it is in progress.
        var size = 0
    }

    fileprivate struct State {
        /// A ring in which call number `n` is at `n % limit`.
        var slots: [Slot?] = []
        /// The number of the oldest call in the ring, and the number of the next call.
        var first = 0
        var next = 0
        /// The number of the first call since the list was last cleared.
        var origin = 0
        var bytes = 0
        /// The number of the first call that still has its bodies.
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

    func began(_ inspected: InspectedCall) {
        let gone = state.withLock { state -> Slot? in
            let place = state.next % limits.calls
            var gone: Slot?
            if state.next - state.first == limits.calls { gone = state.removeFirst(limits.calls) }
            if place == state.slots.count {
                state.slots.append(Slot(inspected: inspected))
            } else {
                state.slots[place] = Slot(inspected: inspected)
            }
            state.next += 1
            return gone
        }
        _ = consume gone
    }

    func ended(_ inspected: InspectedCall) {
        let size = inspected.settle(bodyLimit: limits.body)
        // The calls and bodies that are removed are freed after the lock has been released.
        let gone = state.withLock { state -> ([InspectedCall.Contents], [Slot]) in
            guard let number = state.number(of: inspected, limits.calls) else { return ([], []) }
            state.slots[number % limits.calls]?.size = size
            state.bytes += size
            return state.bytes <= limits.bytes && number >= state.withBodies ? ([], []) : state.shrink(limits, behind: number)
        }
        withExtendedLifetime(gone) {}
    }

    func keep(_ call: FailedCall) {
        var call = call
        let size = call.settle(bodyLimit: limits.body)
        // The calls that are removed are freed after the lock has been released.
        let gone = unseen.withLock { [call] in $0.add(call, size: size) }
        withExtendedLifetime(gone) {}
    }

    // MARK: For those who look

    /// Moves the calls that failed while no page was open into the list.
    func takeIn() {
        let (calls, missed) = unseen.withLock { $0.take() }
        state.withLock { $0.origin -= missed }
        for call in calls {
            let inspected = InspectedCall(call)
            began(inspected)
            ended(inspected)
        }
    }

    struct Count: Sendable, Equatable {
        /// The numbers of calls since the list was cleared, and of those still stored.
        var total = 0
        var kept = 0
        /// The number of stored calls whose bodies were dropped to make room.
        var bodiless = 0
        var bytes = 0

        /// The number of calls that were removed.
        var dropped: Int { total - kept }
    }

    var count: Count {
        state.withLock { Count(total: $0.next - $0.origin, kept: $0.next - $0.first, bodiless: $0.bodiless, bytes: $0.bytes) }
    }

    /// The number of the next call.
    var next: Int { state.withLock { $0.next } }

    /// Returns the newest calls with at least a number, in the order in which they began.
    func calls(from number: Int = 0, atMost most: Int = .max) -> [InspectedCall] {
        state.withLock { state in
            let first = max(state.first, number, most < state.next ? state.next - most : 0)
            return first < state.next ? (first..<state.next).compactMap { state.slots[$0 % limits.calls]?.inspected } : []
        }
    }

    /// The oldest stored call.
    var oldest: InspectedCall? { state.withLock { $0.first < $0.next ? $0.slots[$0.first % limits.calls]?.inspected : nil } }

    func call(_ id: UInt64) -> InspectedCall? { calls().last { $0.callID == id } }

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
    /// Returns the number of a call, or `nil` if it is no longer stored. Searches from the newest call, near which most calls are.
    fileprivate func number(of inspected: InspectedCall, _ limit: Int) -> Int? {
        var number = next - 1
        while number >= first {
            if slots[number % limit]?.inspected === inspected { return number }
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

    /// Makes room by dropping bodies first and then calls, the oldest first. A call that ends after the bodies around it were dropped loses its own at
    /// once.
    ///
    /// - Returns: The removed contents and calls.
    fileprivate mutating func shrink(_ limits: CallStore.Limits, behind number: Int) -> ([InspectedCall.Contents], [CallStore.Slot]) {
        var gone: ([InspectedCall.Contents], [CallStore.Slot]) = ([], [])
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

    private mutating func dropBodies(_ number: Int, _ limits: CallStore.Limits) -> InspectedCall.Contents? {
        // A call in progress is handled when it ends.
        guard let slot = slots[number % limits.calls], slot.size > 0 else { return nil }
        let former = slot.inspected.contents
        let size = slot.inspected.change { $0.dropBodies() }
        bytes += size - slot.size
        slots[number % limits.calls]?.size = size
        return former
    }
}
