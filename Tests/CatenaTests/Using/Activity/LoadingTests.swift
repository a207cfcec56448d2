import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct LoadingTests {
    @MainActor final class Model {
        let told = Recorder<Bool>()
        var isLoading = false { didSet { told.note(isLoading) } }
        var isBusy = false
        private(set) var changes: [Bool] = []
        var isWatched = false { didSet { changes.append(isWatched) } }
    }

    @MainActor class Screen {
        var isLoading = false
    }

    final class RoomScreen: Screen {}

    /// The way in which a call runs and ends.
    enum Fate: CaseIterable, Sendable {
        case success, failure, retries, refused, cancelled, dropped, awaited, streamed

        var body: String { self == .failure ? "" : "7" }
    }

    @Test("each run reports true once and false once, before its handlers", arguments: Fate.allCases) @MainActor
    func balanced(_ fate: Fate) async throws {
        let attempts = Counter()
        let gated = GatedClient(clock: VirtualClock(isAutomatic: true)) {
            attempts.increment()
            return fate == .retries && attempts.count < 3 ? .status(503) : .json(fate.body)
        }
        let told = Recorder<String>()
        var request = gated.client.get("/a").loading { told.note("\($0)") }
        var expected = ["true", "false", "handler"]
        switch fate {
        case .retries: request = request.retry(.exponential(limit: 2))
        case .refused: request = request.header("Host", "x")
        default: break
        }
        switch fate {
        case .success, .failure, .retries, .refused:
            gated.open()
            _ = await request.execute(as: Int.self).then { _ in told.note("handler") }.catch { _ in told.note("handler") }.result
        case .cancelled:
            let call = request.execute()
            call.cancel()
            expected.removeLast()
        case .dropped:
            _ = request.execute()
            gated.open()
            await told.reached(2)
            expected.removeLast()
        case .awaited:
            gated.open()
            _ = try await request.value()
            told.note("handler")
        case .streamed:
            gated.open()
            for try await _ in request.stream() {}
            expected.removeLast()
        }
        try await mainQueueHasRun()
        // The awaiting task may continue before the main actor has received `false`.
        if fate == .awaited {
            #expect(told.events.filter { $0 != "handler" } == ["true", "false"])
        } else {
            #expect(told.events == expected)
        }
        if fate == .retries { #expect(attempts.count == 3) }
    }

    @Test("each connection of an event stream is a run, and the wait between two connections is not") @MainActor
    func connections() async throws {
        let clock = VirtualClock()
        let attempts = Counter()
        let stub = ClosureTransport { _ in
            attempts.increment()
            guard attempts.count < 3 else { return .status(204) }
            return .pieces(["data: 1\n\n"], headers: ["Content-Type": "text/event-stream"])
        }
        let client = Client(transport: stub, clock: clock)
        let told = Recorder<Bool>()
        let events = client.host("https://example.com").get("/a").id("feed").loading { told.note($0) }.events()
        let reading = Task { try await events.collected() }
        for connection in 1...2 {
            await clock.scheduled(.seconds(3))
            try await mainQueueHasRun()
            #expect(told.events == Array(repeating: [true, false], count: connection).flatMap { $0 })
            // The stream can still be found and cancelled during the wait.
            #expect(client.calls.tasks(id: "feed").map(\.state) == [.running])
            clock.advance(by: .seconds(3))
        }
        #expect(try await reading.value.count == 2)
        await told.reached(6)
        #expect(told.events == [true, false, true, false, true, false])
    }

    @Test("a preview reports nothing, and a request that is executed twice reports twice") @MainActor
    func runs() async throws {
        let gated = GatedClient()
        let told = Recorder<Bool>()
        let request = gated.client.get("/a").loading { told.note($0) }
        _ = try await request.preview()
        _ = request.explain()
        try await mainQueueHasRun()
        #expect(told.events.isEmpty)
        let calls = [request.execute(), request.execute()]
        try await mainQueueHasRun()
        #expect(told.events == [true, true])
        for call in calls { call.cancel() }
        try await mainQueueHasRun()
        #expect(told.events == [true, true, false, false])
    }

    @Test("a flag is set while any of several calls is in progress", arguments: [false, true]) @MainActor
    func counted(former: Bool) async throws {
        let gated = GatedClient()
        let model = Model()
        model.isWatched = former
        let request = gated.client.get("/a").loading(\.isWatched, on: model)
        let other = gated.client.get("/b").loading(\.isWatched, on: model).loading(\.isBusy, on: model)
        let calls = [request.execute(), request.execute(), other.execute()]
        try await mainQueueHasRun()
        #expect(model.isWatched && model.isBusy && !model.isLoading)
        calls[2].cancel()
        try await mainQueueHasRun()
        #expect(model.isWatched && !model.isBusy)
        calls[0].cancel()
        try await mainQueueHasRun()
        #expect(model.isWatched)
        calls[1].cancel()
        try await mainQueueHasRun()
        #expect(!model.isWatched)
        #expect(model.changes == [former, true, false])
    }

    @Test(
        "a flag that calls name by the object's class and by its superclass is set while any of them is in progress",
        arguments: [false, true],
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    @MainActor
    func inherited(former: Bool, ends: [Int]) async throws {
        let gated = GatedClient()
        let screen = RoomScreen()
        screen.isLoading = former
        let calls = [
            gated.client.get("/a").loading(\Screen.isLoading, on: screen).execute(),
            gated.client.get("/b").loading(\RoomScreen.isLoading, on: screen).execute(),
            gated.client.get("/c").loading(\Screen.isLoading, on: screen).execute(),
        ]
        try await mainQueueHasRun()
        for end in ends {
            #expect(screen.isLoading)
            calls[end].cancel()
            try await mainQueueHasRun()
        }
        #expect(!screen.isLoading)
    }

    @Test("a flag and a closure are set on the main actor before execute() returns, so that a double tap finds them set") @MainActor
    func doubleTap() async throws {
        let gated = GatedClient()
        let model = Model()
        let told = Recorder<Bool>()
        let request = gated.client.get("/a").loading(\.isLoading, on: model).loading { told.note($0) }
        var calls: [Promise<JSON>] = []
        for _ in 0..<2 where !model.isLoading { calls.append(request.execute()) }
        #expect(calls.count == 1)
        #expect(told.events == [true])
        gated.open()
        _ = await calls[0].result
        try await mainQueueHasRun()
        #expect(!model.isLoading && told.events == [true, false])
    }

    @Test("a stream, a download and a call with after: begin as before") @MainActor
    func delayed() async throws {
        let gated = GatedClient()
        let model = Model()
        let call = gated.client.get("/a").loading(\.isLoading, on: model, after: .seconds(1)).execute()
        #expect(!model.isLoading)
        call.cancel()
        try await mainQueueHasRun()
        #expect(!model.isLoading)
    }

    @Test("two objects have separate flags, and the flags do not keep their objects alive") @MainActor func weakly() async throws {
        let gated = GatedClient()
        var first: Model? = Model()
        let second = Model()
        weak let alive = first
        let requests = [first, second].compactMap { $0 }.map { gated.client.get("/a").loading(\.isLoading, on: $0) }
        let calls = requests.map { $0.execute() }
        try await mainQueueHasRun()
        #expect(first?.isLoading == true && second.isLoading)
        first = nil
        #expect(alive == nil)
        // An object at the address of the freed one has a flag of its own.
        let later = (0..<100).map { _ in Model() }
        let more = later.map { gated.client.get("/a").loading(\.isLoading, on: $0).execute() }
        try await mainQueueHasRun()
        #expect(later.allSatisfy { $0.isLoading })
        for call in calls + more { call.cancel() }
        try await mainQueueHasRun()
        #expect(!second.isLoading && later.allSatisfy { !$0.isLoading })
    }

    // MARK: After a delay, and for a shortest time

    private static let delay = Duration.milliseconds(300)
    private static let shortest = Duration.milliseconds(500)

    /// A call whose loading state is noted, over a clock that the test advances.
    @MainActor private func timedCall(after delay: Duration, atLeast shortest: Duration) async throws -> (
        GatedClient, VirtualClock, Recorder<Bool>, Promise<JSON>
    ) {
        let clock = VirtualClock()
        let gated = GatedClient(clock: clock)
        let told = Recorder<Bool>()
        let call: Promise<JSON> = gated.client.get("/a").loading(after: delay, atLeast: shortest) { told.note($0) }.execute()
        await gated.arrived(1)
        try await mainQueueHasRun()
        return (gated, clock, told, call)
    }

    @Test("a call that ends within the delay shows nothing", arguments: [true, false]) @MainActor func quick(isCancelled: Bool) async throws
    {
        let (gated, clock, told, call) = try await timedCall(after: Self.delay, atLeast: Self.shortest)
        clock.advance(by: Self.delay - .milliseconds(1))
        if isCancelled { call.cancel() } else { gated.open() }
        _ = await call.result
        try await mainQueueHasRun()
        clock.advance(by: .seconds(10))
        await mainQueueIsEmpty()
        #expect(told.events.isEmpty)
        #expect(!clock.delays.contains(Self.delay))
    }

    @Test("a longer call is shown after the delay, and for the shortest time even if it ends at once") @MainActor
    func steady() async throws {
        let (gated, clock, told, call) = try await timedCall(after: Self.delay, atLeast: Self.shortest)
        #expect(told.events.isEmpty)
        clock.advance(by: Self.delay)
        await mainQueueIsEmpty()
        #expect(told.events == [true])
        clock.advance(by: .milliseconds(100))
        gated.open()
        _ = try await call.value
        await clock.scheduled(.milliseconds(400))
        clock.advance(by: .milliseconds(399))
        await mainQueueIsEmpty()
        #expect(told.events == [true])
        clock.advance(by: .milliseconds(1))
        await told.reached(2)
        #expect(told.events == [true, false])
    }

    @Test("a call that has been shown for the shortest time ends before its handlers") @MainActor func long() async throws {
        let (gated, clock, told, call) = try await timedCall(after: .zero, atLeast: Self.shortest)
        #expect(told.events == [true])
        clock.advance(by: Self.shortest)
        gated.open()
        _ = await call.then { _ in #expect(told.events == [true, false]) }.result
        #expect(told.events == [true, false])
    }

    /// An end of an indicator before its shortest time.
    enum Interruption: CaseIterable, Sendable { case cancel, cancelAll, shutdownBeforeEnd, shutdownAfterEnd }

    @Test("no indicator outlasts a cancelled call or a client that was shut down", arguments: Interruption.allCases) @MainActor
    func interrupted(by interruption: Interruption) async throws {
        let (gated, clock, told, call) = try await timedCall(after: Self.delay, atLeast: Self.shortest)
        clock.advance(by: Self.delay)
        await mainQueueIsEmpty()
        #expect(told.events == [true])
        switch interruption {
        case .cancel: call.cancel()
        case .cancelAll: gated.client.calls.cancelAll()
        case .shutdownBeforeEnd:
            gated.client.shutdown()
            gated.open()
        case .shutdownAfterEnd:
            gated.open()
            _ = try await call.value
            await clock.scheduled(Self.shortest)
            gated.client.shutdown()
        }
        _ = await call.result
        await told.reached(2)
        #expect(told.events == [true, false])
        clock.advance(by: .seconds(10))
        await mainQueueIsEmpty()
        #expect(told.events.count == 2)
    }

    @Test("a flag stays set for the shortest time while a newer call replaces the call that has set it") @MainActor
    func replaced() async throws {
        let clock = VirtualClock()
        let gated = GatedClient(clock: clock)
        let model = Model()
        let request = gated.client.get("/a").id("search", replacing: true)
            .loading(\.isLoading, on: model, after: Self.delay, atLeast: Self.shortest)
        let older = request.execute()
        await gated.arrived(1)
        try await mainQueueHasRun()
        clock.advance(by: Self.delay)
        await mainQueueIsEmpty()
        #expect(model.isLoading)
        let newer = request.execute()
        await #expect(throws: CancellationError.self) { try await older.value }
        await gated.arrived(2)
        await clock.scheduled(Self.shortest)
        await mainQueueIsEmpty()
        #expect(model.isLoading)
        clock.advance(by: Self.delay)
        await mainQueueIsEmpty()
        clock.advance(by: Self.shortest - Self.delay)
        await mainQueueIsEmpty()
        // The newer call has set it too, for its own shortest time.
        #expect(model.isLoading)
        gated.open()
        _ = try await newer.value
        await clock.scheduled(Self.delay)
        clock.advance(by: Self.delay)
        // A task that waits hides it, and the main queue may be empty before the task continues.
        await model.told.meets { $0.last == false }
        #expect(!model.isLoading)
    }

    @Test("a flag and a message can wait, and be shown for a shortest time, too") @MainActor func others() async throws {
        let clock = VirtualClock()
        let gated = GatedClient(clock: clock)
        let model = Model()
        let request = gated.client.get("/a").loading(\.isLoading, on: model, after: Self.delay, atLeast: Self.shortest)
            .loading(message: "Loading", after: Self.delay, atLeast: Self.shortest)
        let call = request.execute()
        await gated.arrived(1)
        try await mainQueueHasRun()
        #expect(!model.isLoading)
        clock.advance(by: Self.delay)
        await mainQueueIsEmpty()
        #expect(model.isLoading)
        gated.open()
        _ = try await call.value
        await clock.delays { $0.filter { $0 == Self.shortest }.count == 2 }
        #expect(model.isLoading)
        clock.advance(by: Self.shortest)
        await model.told.meets { $0.last == false }
        #expect(!model.isLoading)
    }

    @Test("after many concurrent calls, a flag has its former value") @MainActor func races() async throws {
        let gated = GatedClient()
        gated.open()
        let model = Model()
        let request = gated.client.get("/a").id("x").loading(\.isWatched, on: model)
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<200 {
                tasks.addTask {
                    let call = request.execute()
                    if number % 3 == 0 { call.cancel() }
                    if number % 7 == 0 { gated.client.calls.cancelAll() }
                    _ = await call.result
                }
            }
        }
        try await mainQueueHasRun()
        #expect(!model.isWatched)
        #expect(model.changes.count % 2 == 0 && !model.changes.isEmpty)
        #expect(zip(model.changes, model.changes.dropFirst()).allSatisfy { $0 != $1 })
    }
}
