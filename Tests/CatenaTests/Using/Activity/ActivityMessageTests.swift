import CatenaTesting
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct ActivityQueueTests {
    typealias Priority = ActivityMessage.Priority

    @Test(
        "the shown message is the oldest one of the highest priority",
        arguments: [
            ([], nil), ([.normal], 0), ([.normal, .normal], 0), ([.normal, .high], 1), ([.high, .normal, .high], 0), ([.low, .normal], 1),
            ([.low, .low, .high, .normal, .high], 2),
        ] as [([Priority], Int?)])
    func shown(priorities: [Priority], expected: Int?) {
        var queue = ActivityQueue()
        let ids = priorities.map { queue.add("", isModal: false, $0) }
        #expect(queue.shown?.id == expected.map { ids[$0] })
    }

    @Test("a message that a higher priority replaced is shown again, and one that ended meanwhile is not") func comingBack() {
        var queue = ActivityQueue()
        let first = queue.add("a", isModal: false, .normal)
        let unseen = queue.add("b", isModal: false, .normal)
        let high = queue.add("c", isModal: true, .high)
        #expect(queue.shown?.text == "c")
        #expect(queue.shown?.isModal == true)
        queue.remove(unseen)
        queue.remove(high)
        #expect(queue.shown?.id == first)
        queue.remove(first)
        #expect(queue.shown == nil)
    }
}

@Suite(.limitedParallelism) @MainActor struct ActivityMessageTests {
    final class Overlay: ActivityPresenter {
        var shown: [String?] = []
        var isModal: [Bool] = []

        func present(_ message: ActivityMessage?) {
            shown.append(message?.text)
            isModal.append(message?.isModal ?? false)
        }
    }

    @Test("a message is shown while its call is in progress") func shown() async throws {
        let gated = GatedClient()
        let overlay = Overlay()
        gated.client.calls.presenter = overlay
        let call = gated.client.get("/a").loading(message: "Loading…", modal: true).execute(as: Int.self)
        try await mainQueueHasRun()
        #expect(overlay.shown == ["Loading…"])
        gated.open()
        _ = try await call.then { _ in #expect(overlay.shown == ["Loading…", nil]) }.value
        #expect(overlay.isModal == [true, false])
    }

    @Test("one of several messages is shown, and the end of a call with a hidden message changes nothing") func several() async throws {
        let gated = GatedClient()
        let overlay = Overlay()
        gated.client.calls.presenter = overlay
        let calls = [
            gated.client.get("/a").loading(message: "a"), gated.client.get("/b").loading(message: "b", priority: .high),
            gated.client.get("/c").loading(message: "c"), gated.client.get("/d").loading(message: ""),
        ].map { $0.execute() }
        try await mainQueueHasRun()
        for number in [2, 1, 0, 3] { calls[number].cancel() }
        try await mainQueueHasRun()
        #expect(overlay.shown == ["a", "b", "a", "", nil])
    }

    @Test("a new presenter shows the current message, and without a presenter no message is shown") func presenters() async throws {
        let gated = GatedClient()
        let call = gated.client.get("/a").loading(message: "a").execute()
        try await mainQueueHasRun()
        let overlays = [Overlay(), Overlay()]
        for overlay in overlays { gated.client.calls.presenter = overlay }
        #expect(overlays.map(\.shown) == [["a", nil], ["a"]])
        gated.client.calls.presenter = nil
        #expect(overlays[1].shown == ["a", nil])
        call.cancel()
        try await mainQueueHasRun()
        #expect(overlays[1].shown == ["a", nil])
    }
}
