import Catena
import CatenaLoopback
import CatenaPromise
import Dispatch
import Foundation

/// Tells the pages that are open what has changed, ten times a second at most and not at all while none is.
///
/// A page shows the newest calls, and no more than ``mostRows`` of them are told of at once: what it costs does not depend on how many calls there are.
final class Feed: Sendable {
    static let mostRows = 200
    static let interval = Duration.milliseconds(100)
    /// Ticks.
    private static let pingInterval = 150
    /// How many calls under way are watched for changes.
    private static let mostWatched = 1000

    private struct State {
        var pages: [Int: Page] = [:]
        var lastPage = 0
        var timer: ScheduledAction?
        var ticks = 0
        /// The number up to which calls have been looked at.
        var next = 0
        /// The calls under way, with what was told of them.
        var watched: [(trace: CallTrace, revision: Int)] = []
        var count = CallStore.Count()
        /// What was told of the effects.
        var effects = 0
        var isStopped = false
    }

    private struct Page {
        let stream: LoopbackStream
        /// Whether it has missed something and is to be told anew.
        var isBehind = false
    }

    private let store: CallStore
    private let view: @Sendable () -> CallView
    private let effects: Effects
    private let attention: Attention?
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "catena.inspector", qos: .utility)

    init(_ store: CallStore, _ effects: Effects, _ attention: Attention?, view: @escaping @Sendable () -> CallView) {
        (self.store, self.view, self.effects, self.attention) = (store, view, effects, attention)
    }

    /// The events of a page that has just come.
    func connect() -> LoopbackResponse {
        let number = state.withLock { state in
            state.lastPage += 1
            return state.lastPage
        }
        let stream = LoopbackStream { [weak self] in self?.leave(number) }
        queue.async { [self] in
            let isFirst = state.withLock { state in
                guard !state.isStopped else { return false }
                defer { state.pages[number] = Page(stream: stream) }
                return state.pages.isEmpty
            }
            if isFirst { begin() }
            stream.send(Self.event("effects", effects.json))
            stream.send(everything())
        }
        return .streaming(stream, contentType: "text/event-stream")
    }

    /// Tells all pages of something that has happened, behind what was told before.
    func tell(_ name: String, _ data: Data) {
        queue.async { [self] in send(Self.event(name, data)) }
    }

    /// What a tick does for a page, without one.
    func tellAbsentPage() {
        if let changes = changes() { withExtendedLifetime(changes) {} }
        _ = effects.revision
    }

    func stop() {
        let (pages, timer) = state.withLock { state in
            state.isStopped = true
            defer { (state.pages, state.timer, state.watched) = ([:], nil, []) }
            return (state.pages, state.timer)
        }
        timer?.cancel()
        attention?.stop()
        for page in pages.values { page.stream.finish() }
    }

    private func leave(_ number: Int) {
        queue.async { [self] in
            let timer = state.withLock { state -> ScheduledAction? in
                guard state.pages.removeValue(forKey: number) != nil, state.pages.isEmpty else { return nil }
                state.watched = []
                defer { state.timer = nil }
                return state.timer
            }
            guard let timer else { return }
            timer.cancel()
            attention?.end()
        }
    }

    private func begin() {
        attention?.begin()
        state.withLock { $0.next = 0 }
        _ = changes()
        schedule()
    }

    private func schedule() {
        let timer = SystemClock.shared.schedule(after: Self.interval) { [weak self, queue] in
            queue.async { [weak self] in
                self?.tick()
                self?.schedule()
            }
        }
        let isOver = state.withLock { state in
            if !state.pages.isEmpty { state.timer = timer }
            return state.pages.isEmpty
        }
        if isOver { timer.cancel() }
    }

    // MARK: What is told

    /// Looks for what has changed; on the queue, or where nobody else does.
    func tick() {
        let ticks = state.withLock { state in
            state.ticks += 1
            return state.ticks
        }
        if let changes = changes() { send(changes) }
        let revision = effects.revision
        let former = state.withLock { state in
            defer { state.effects = revision }
            return state.effects
        }
        if revision != former { send(Self.event("effects", effects.json)) }
        if ticks % Self.pingInterval == 0 { send(Data(": ping\n\n".utf8)) }
        catchUp()
    }

    private func send(_ event: Data) {
        let pages = state.withLock { $0.pages.filter { !$0.value.isBehind } }
        for (number, page) in pages where !page.stream.send(event) {
            state.withLock { $0.pages[number]?.isBehind = true }
        }
    }

    /// Tells pages anew that were too slow for everything, once they have taken what they had.
    private func catchUp() {
        let pages = state.withLock { $0.pages.filter { $0.value.isBehind && $0.value.stream.waitingBytes == 0 } }
        guard !pages.isEmpty else { return }
        let event = everything()
        for (number, page) in pages where page.stream.send(event) {
            state.withLock { $0.pages[number]?.isBehind = false }
        }
    }

    private func everything() -> Data {
        rows(store.calls(atMost: Self.mostRows), store.count)
    }

    /// `nil` if nothing has changed.
    private func changes() -> Data? {
        // Calls may have begun before a page was there.
        store.takeIn()
        let count = store.count
        let (next, former, formerCount) = state.withLock { state in
            defer { state.watched = [] }
            return (state.next, state.watched, state.count)
        }
        let now = store.next
        let new = store.calls(from: next, atMost: Self.mostWatched).map { (trace: $0, revision: -1) }
        var (changed, watched): ([CallTrace], [(trace: CallTrace, revision: Int)]) = ([], [])
        for (trace, revision) in former + new {
            // Before the rest is read, so that nothing is missed.
            let present = trace.revision
            if present != revision { changed.append(trace) }
            if !trace.isOver || present != trace.revision { watched.append((trace, present)) }
        }
        state.withLock { state in
            (state.next, state.count) = (now, count)
            state.watched = watched.suffix(Self.mostWatched)
        }
        if changed.isEmpty, count == formerCount { return nil }
        return rows(changed.suffix(Self.mostRows), count)
    }

    private func rows(_ traces: some Sequence<CallTrace>, _ count: CallStore.Count) -> Data {
        let view = view()
        var output = JSONOutput()
        output.object { event in
            event.key("calls")
            event.array(traces) { CallRow($1, $1.contents, view).write(into: &$0) }
            event.member("total", count.total)
            event.member("kept", count.kept)
            event.member("oldest", store.oldest.map { Int($0.callID) })
            event.member("dropped", count.dropped)
            event.member("bodiless", count.bodiless)
        }
        return Self.event("calls", output.data)
    }

    /// Server-sent events have their data on one line, which JSON that is written for programs is.
    private static func event(_ name: String, _ data: Data) -> Data {
        Data("event: \(name)\ndata: ".utf8) + data + Data("\n\n".utf8)
    }
}
