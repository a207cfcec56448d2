import Catena
import CatenaTesting
import Testing

@testable import Topics

@MainActor
@Suite struct TopicListTests {
    let backend = Backend()
    var list: TopicList { backend.list }

    @Test("pages are added as the end of the list is shown")
    func pages() async throws {
        backend.stubPage(1, [Backend.tea, Backend.rain])
        backend.stubPage(2, [Backend.moss], hasMore: false)
        await list.refresh()
        await list.loadMore(after: Backend.tea)
        #expect(list.topics == [Backend.tea, Backend.rain])
        await list.loadMore(after: Backend.rain)
        await list.loadMore(after: Backend.moss)
        #expect(list.topics == [Backend.tea, Backend.rain, Backend.moss])
        #expect(!list.hasMore && !list.isLoading)
        try backend.stubs.expect(.get, "/topics").times(2)
        try backend.stubs.expect(.get, "/topics").header("Authorization", "Bearer made-up")
    }

    @Test("a refresh begins anew, and a page that was on its way is not added")
    func refresh() async throws {
        let held = Held()
        backend.stubs.get("/topics").query(["page": 2]).reply { _ in
            await held.wait()
            return .json(["code": 0, "data": ["items": [["id": 9, "title": "Late", "isStarred": false]]]])
        }
        backend.stubPage(1, [Backend.tea])
        await list.refresh()
        async let more: Void = list.loadMore(after: Backend.tea)
        await backend.stubs.requestsReceived(2)
        #expect(list.isLoading)
        await list.refresh()
        held.open()
        await more
        #expect(list.topics == [Backend.tea])
        #expect(!list.isLoading)
    }

    @Test("a failure shows an alert and leaves what is there")
    func failure() async {
        backend.stubs.get("/topics").sequence(
            .json(["code": 0, "data": ["items": [["id": 1, "title": "Tea", "isStarred": false]]]]), .offline, .offline, .offline)
        await list.refresh()
        await list.refresh()
        #expect(list.topics == [Backend.tea])
        #expect(list.alert?.isEmpty == false)
        #expect(!list.isLoading)
    }

    @Test("a star is shown before the forum knows of it")
    func star() async throws {
        backend.stubPage(1, [Backend.tea])
        backend.stubs.put("/topics/1/star").reply(code: 0)
        await list.refresh()
        let saved = list.toggleStar(1)
        #expect(list.topics.map(\.isStarred) == [true])
        try await saved.value
        #expect(list.topics.map(\.isStarred) == [true])
        #expect(list.alert == nil)
    }

    @Test("a star that the forum refuses is taken back")
    func refusedStar() async throws {
        backend.stubPage(1, [Backend.tea])
        backend.stubs.put("/topics/1/star").reply(code: 10086, message: "You have too many stars.")
        await list.refresh()
        _ = await list.toggleStar(1).result
        #expect(list.topics.map(\.isStarred) == [false])
        #expect(list.alert == "You have too many stars.")
    }

    @Test("of several taps the last one counts, one call after the other")
    func taps() async throws {
        let held = Held()
        backend.stubPage(1, [Backend.tea])
        backend.stubs.put("/topics/1/star").reply { _ in
            await held.wait()
            return .json(["code": 0])
        }
        backend.stubs.delete("/topics/1/star").reply(code: 0)
        await list.refresh()
        let saved = list.toggleStar(1)
        await backend.stubs.requestsReceived(2)
        list.toggleStar(1)
        #expect(list.topics.map(\.isStarred) == [false])
        #expect(backend.session.forum.client.calls.tasks(tag: .forum).count == 1)
        held.open()
        try await saved.value
        try await backend.stubs.verifyWhenIdle()
        try backend.stubs.expect(.put, "/topics/1/star").then(.delete, "/topics/1/star")
        #expect(list.topics.map(\.isStarred) == [false])
    }
}
