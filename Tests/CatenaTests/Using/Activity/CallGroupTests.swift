import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct CallGroupTests {
    final class Screen {
        let calls = CallGroup()
    }

    @Test("the calls of a group are cancelled when the object that holds the group is freed") func lifetime() async {
        let gated = GatedClient()
        var screen: Screen? = Screen()
        let calls = (0..<3).map { [calls = screen?.calls] _ in
            calls.map { gated.client.get("/a").group($0).execute() }
        }.compactMap { $0 }
        let other = gated.client.get("/b").execute(as: Int.self)
        await gated.arrived(4)
        #expect(screen?.calls.tasks.count == 3)
        screen = nil
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(calls.count == 3)
        #expect(gated.client.calls.tasks().count == 1)
        gated.open()
        await #expect(throws: Never.self) { try await other.value }
    }

    @Test("calls end with an object that their closures hold weakly, and keep one that they hold strongly", arguments: [true, false])
    @MainActor func closures(isWeak: Bool) async {
        let gated = GatedClient()
        var screen: Screen? = Screen()
        weak let freed = screen
        let request = screen.map { gated.client.get("/a").group($0.calls) }
        let call: Promise<JSON>? =
            if isWeak {
                request?.execute().then { [weak screen] _ in withExtendedLifetime(screen) {} }
            } else {
                request?.execute().then { [screen] _ in withExtendedLifetime(screen) {} }
            }
        await gated.arrived(1)
        screen = nil
        #expect((freed == nil) == isWeak)
        #expect(gated.client.calls.tasks().isEmpty == isWeak)
        gated.open()
        let result = await call?.result
        #expect((try? result?.get()) == (isWeak ? nil : 7))
        await mainQueueIsEmpty()
        #expect(freed == nil)
    }

    @Test("neither requests nor calls keep a group alive") func weakly() async {
        let gated = GatedClient()
        var group: CallGroup? = CallGroup()
        weak let alive = group
        let request = group.map { gated.client.get("/a").group($0) }
        let call = request?.execute()
        #expect(alive != nil)
        group = nil
        #expect(alive == nil)
        #expect(call?.isPending == false)
    }

    @Test("a request of a freed group is never sent") func afterTheEnd() async throws {
        let gated = GatedClient()
        gated.open()
        let request = gated.client.get("/a").group(CallGroup())
        await #expect(throws: CancellationError.self) { try await request.value() }
        await #expect(throws: CancellationError.self) { try await request.execute().value }
        await #expect(throws: CancellationError.self) { try await request.stream().collected() }
        await giveChances()
        #expect(gated.stub.requests.isEmpty)
        #expect(gated.client.calls.tasks().isEmpty)
    }

    @Test("a group can be cancelled any number of times and used again") func cancelling() async throws {
        let gated = GatedClient()
        let group = CallGroup()
        for _ in 0..<2 {
            let call = gated.client.get("/a").group(group).group("named").execute()
            #expect(group.tasks.count == 1 && gated.client.calls.tasks(group: "named").count == 1)
            group.cancel()
            #expect(group.tasks.isEmpty && gated.client.calls.tasks(group: "named").isEmpty)
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        gated.open()
        #expect(try await gated.client.get("/a").group(group).value(as: Int.self) == 7)
        #expect(group.tasks.isEmpty)
    }

    @Test("a group may contain calls of several clients, and suspends all of them") func suspending() async throws {
        let group = CallGroup()
        let gated = [GatedClient(), GatedClient()]
        let calls = gated.map { $0.client.get("/a").group(group).execute(as: Int.self) }
        let tasks = group.tasks
        #expect(tasks.count == 2)
        group.suspend()
        #expect(tasks.map(\.state) == [.suspended, .suspended])
        group.resume()
        #expect(tasks.map(\.state) == [.running, .running])
        for gate in gated { gate.open() }
        for call in calls { #expect(try await call.value == 7) }
    }
}
