import Catena
import CatenaLoopback
import CatenaPromise
import Dispatch
import Foundation

/// Sends changes to the open pages, at most ten times a second.
///
/// An event has at most ``mostRows`` calls, so its cost does not depend on the number of calls.
final class Feed: Sendable {
    static let mostRows = 200
    static let interval = Duration.milliseconds(100)
    /// In ticks.
    private static let pingInterval = 150
    /// The maximum number of calls in progress that are watched for changes.
    private static let mostWatched = 1000

    private struct State {
        var pages: [Int: Page] = [:]
        var lastPage = 0
        var timer: ScheduledAction?
        var ticks = 0
        /// The number of the first call that has not been examined.
        var next = 0
        /// The calls in progress, with the revision that was last sent.
        var watched: [(inspected: InspectedCall, revision: Int)] = []
        var count = CallStore.Count()
        /// The revision of the effects that was last sent.
        var effects = 0
        var isStopped = false
    }

    private struct Page {
        let stream: LoopbackStream
        /// Whether the page has missed an event and needs all rows again.
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

    /// Returns the event stream of a new page.
    func connect() -> StubReply {
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

    /// Sends an event to all pages, after the earlier events.
    func tell(_ name: String, _ data: Data) {
        queue.async { [self] in send(Self.event(name, data)) }
    }

    /// Collects the changes of a tick without sending them, for measurements without a page.
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

    /// Collects and sends changes. Runs on the queue, or in a test without it.
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

    /// Sends all rows to the pages that missed an event, once their buffers are empty.
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

    /// Returns the rows that have changed, or `nil` if there are none.
    private func changes() -> Data? {
        // Calls may have failed before a page was open.
        store.takeIn()
        let count = store.count
        let (next, former, formerCount) = state.withLock { state in
            defer { state.watched = [] }
            return (state.next, state.watched, state.count)
        }
        let now = store.next
        let new = store.calls(from: next, atMost: Self.mostWatched).map { (inspected: $0, revision: -1) }
        var (changed, watched): ([InspectedCall], [(inspected: InspectedCall, revision: Int)]) = ([], [])
        for (inspected, revision) in former + new {
            // Read the revision before the rest, so that no later change is missed.
            let present = inspected.revision
            if present != revision { changed.append(inspected) }
            if !inspected.isOver || present != inspected.revision { watched.append((inspected, present)) }
        }
        state.withLock { state in
            (state.next, state.count) = (now, count)
            state.watched = watched.suffix(Self.mostWatched)
        }
        if changed.isEmpty, count == formerCount { return nil }
        return rows(changed.suffix(Self.mostRows), count)
    }

    private func rows(_ traces: some Sequence<InspectedCall>, _ count: CallStore.Count) -> Data {
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

    /// The data of a server-sent event must be on one line. `JSONOutput` writes no line breaks.
    private static func event(_ name: String, _ data: Data) -> Data {
        Data("event: \(name)\ndata: ".utf8) + data + Data("\n\n".utf8)
    }
}
