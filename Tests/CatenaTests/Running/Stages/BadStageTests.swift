import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Badly behaved stages, and events while a call enters its stages", .limitedParallelism)
struct BadStageTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case awaited, promised, streamed, downloaded

        var testDescription: String { rawValue }
    }

    /// A stage that runs a closure before the stages behind it: in the task of the call, or as work for which it waits.
    private struct Acting: Stage {
        let waits: Bool
        let act: @Sendable () async throws -> Void

        var name: StageName { .authentication }
        var explanation: String { "acting" }

        func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
            if waits { try await call.wait(for: act) } else { try await act() }
            return try await next(call)
        }
    }

    private struct Doubling: Stage {
        var name: StageName { .authentication }
        var explanation: String { "doubling" }

        func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
            _ = try await next(call)
            return try await next(call)
        }
    }

    /// A stubbed backend with all stages that acquire something for a call.
    private final class Scene: Sendable {
        let stubs = Stubs()
        let clock = VirtualClock()
        let client: Client
        let signIn = Authentication(
            BearerAuthenticator { _ in BearerToken(accessToken: "new") }, store: MemoryCredentialStore(BearerToken(accessToken: "made-up")))
        let ends = Counter()
        let attempts = Counter()

        init(
            _ stage: (any Stage)? = nil, at place: Int = 0, first: StubReply? = nil, reply: StubReply = .json(1),
            change: (inout Profile) -> Void = { _ in }
        ) {
            client = Client(testing: stubs, clock: clock)
            if let first { stubs.get("/a").sequence(first) }
            stubs.get("/a").reply(reply)
            client.configure("forum") { forum in
                forum.host = "https://forum.example.com"
                forum.maxConcurrentCalls = ConcurrencyLimit(1)
                forum.rateLimits = [RateLimit(1000, per: .seconds(1))]
                forum.circuitBreaker = CircuitBreakerPolicy()
                forum.sendsTraceparent = true
                forum.signer = ParameterSigner(.md5, placement: .header("X-Sign"))
                forum.authentication = signIn
                change(&forum)
            }
            if let stage { client.install { $0.addStages = { stages in stages.insert(stage, at: place) } } }
            client.observe { [ends, attempts] event in
                switch event.kind {
                case .attempt: attempts.increment()
                case .finished: ends.increment()
                default: break
                }
            }
        }

        var request: Request { client.tag("forum").get("/a") }

        /// The number of stages in the plan, and the index of the sign-in.
        static var places: (count: Int, signIn: Int) {
            let names = Stages.plan(of: CallRun(Scene().request)).map { "\(type(of: $0))" }
            return (names.count, names.firstIndex(of: "AuthenticationStage") ?? 0)
        }

        func send(_ kind: Kind, _ request: Request, to folder: ScratchFolder) async throws {
            switch kind {
            case .awaited: _ = try await request.value(as: Int.self)
            case .promised: _ = try await request.execute(as: Int.self).value
            case .streamed: for try await _ in request.stream() {}
            case .downloaded: _ = try await request.execute(.download(to: folder.url.appending(path: "a"))).value
            }
        }

        func withdraw(by withdrawal: Withdrawal) throws {
            switch withdrawal {
            case .shutdown: client.shutdown()
            case .signOut: try signIn.signOut()
            }
        }

        /// Checks that the call has ended once and has released everything.
        func hasEnded(_ note: Comment) async {
            await client.hasNoCalls()
            // A cancelled call may release its place only after its caller has continued.
            await ends.reached(1)
            await CallRun(request).tagState.concurrency?.reached { $0.running == 0 }
            client.observation.queue.sync {}
            #expect(ends.count == 1, note)
            #expect(CallRun(request).tagState.breaker?.isClosed == true, note)
        }
    }

    @Test(
        "an error that a stage throws ends the call and releases what other stages have acquired", arguments: Kind.allCases,
        [true, false])
    func throwing(kind: Kind, waits: Bool) async throws {
        let folder = try ScratchFolder()
        for place in 0...Scene.places.count {
            let refusal = APIError(.invalidRequest, message: "refused")
            let scene = Scene(Acting(waits: waits, act: { throw refusal }), at: place)
            let error = await #expect(throws: APIError.self) { try await scene.send(kind, scene.request, to: folder) }
            #expect(error?.message == "refused" && error?.attempts == 0, "at \(place)")
            #expect(scene.stubs.requests.isEmpty, "at \(place)")
            await scene.hasEnded("at \(place)")
        }
    }

    enum End: String, CaseIterable, CustomTestStringConvertible {
        case deadline, cancel, cancelAll, cancelledTask

        var testDescription: String { rawValue }
    }

    @Test(
        "deadline, `cancel()`, `cancelAll()` and a cancelled task end a call whose stage never continues", arguments: Kind.allCases,
        End.allCases)
    func waiting(kind: Kind, end: End) async throws {
        let folder = try ScratchFolder()
        for place in 0...Scene.places.count {
            let code = HangingCode()
            let scene = Scene(Acting(waits: true) { await code.run() }, at: place)
            let request = end == .deadline ? scene.request.deadline(.milliseconds(200)) : scene.request
            let task = Task { try await scene.send(kind, request, to: folder) }
            await code.arrived()
            switch end {
            case .deadline:
                await scene.clock.scheduled(.milliseconds(200))
                scene.clock.advance(by: .milliseconds(200))
                let error = await #expect(throws: APIError.self) { try await task.value }
                #expect(error?.kind == .timeout && error?.attempts == 0, "at \(place)")
            case .cancel, .cancelAll, .cancelledTask:
                switch end {
                case .cancel: for call in scene.client.calls.tasks() { call.cancel() }
                case .cancelAll: scene.client.calls.cancelAll()
                default: task.cancel()
                }
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            code.release()
            #expect(scene.stubs.requests.isEmpty, "at \(place)")
            await CallRun(scene.request).tagState.concurrency?.reached { $0.running == 0 }
            await scene.hasEnded("at \(place)")
            #expect(scene.stubs.requests.isEmpty, "at \(place)")
        }
    }

    enum Withdrawal: String, CaseIterable, CustomTestStringConvertible {
        case shutdown, signOut

        var testDescription: String { rawValue }
    }

    @Test(
        "after a shutdown or a sign-out, `cancelAll()` ends a call whose stage never continues", arguments: Kind.allCases,
        Withdrawal.allCases)
    func withdrawn(kind: Kind, withdrawal: Withdrawal) async throws {
        let folder = try ScratchFolder()
        for place in 0...Scene.places.count {
            let code = HangingCode()
            let scene = Scene(Acting(waits: true) { await code.run() }, at: place)
            let task = Task { try await scene.send(kind, scene.request, to: folder) }
            await code.arrived()
            try scene.withdraw(by: withdrawal)
            scene.client.calls.cancelAll()
            await #expect(throws: CancellationError.self, "at \(place)") { try await task.value }
            code.release()
            await scene.hasEnded("at \(place)")
            #expect(scene.stubs.requests.isEmpty, "at \(place)")
        }
    }

    @Test(
        "a stage that continues after a shutdown sends the call, and after a sign-out only if the call has its credential",
        arguments: Kind.allCases, Withdrawal.allCases)
    func continued(kind: Kind, withdrawal: Withdrawal) async throws {
        let folder = try ScratchFolder()
        let (count, signIn) = Scene.places
        for place in 0...count {
            let code = HangingCode()
            let scene = Scene(Acting(waits: true) { await code.run() }, at: place)
            let task = Task { try await scene.send(kind, scene.request, to: folder) }
            await code.arrived()
            try scene.withdraw(by: withdrawal)
            code.release()
            let isSent = withdrawal == .shutdown || place > signIn
            if isSent {
                try await task.value
            } else {
                let error = await #expect(throws: APIError.self, "at \(place)") { try await task.value }
                #expect(error?.kind == .missingCredential, "at \(place)")
            }
            await scene.hasEnded("at \(place)")
            #expect(scene.stubs.requests.count == (isSent ? 1 : 0), "at \(place)")
        }
    }

    @Test("a stage that calls `next` twice sends twice, and observers receive both attempts", arguments: Kind.allCases)
    func doubled(kind: Kind) async throws {
        let folder = try ScratchFolder()
        for place in 0...Scene.places.count {
            let scene = Scene(Doubling(), at: place) { $0.maxConcurrentCalls = ConcurrencyLimit(2) }
            try await scene.send(kind, scene.request, to: folder)
            #expect(scene.stubs.requests.count == 2, "at \(place)")
            await scene.hasEnded("at \(place)")
            #expect(scene.attempts.count == 2, "at \(place)")
        }
    }

    enum Happening: String, CaseIterable, CustomTestStringConvertible {
        case cancelling, deadline, shutdown, signOut

        var testDescription: String { rawValue }
    }

    @Test(
        "cancelling, deadline, shutdown and sign-out work at every stage that a call enters", arguments: Kind.allCases, Happening.allCases)
    func happening(kind: Kind, happening: Happening) async throws {
        let folder = try ScratchFolder()
        let (count, signIn) = Scene.places
        for place in 0...count {
            for waits in [true, false] {
                let place: (number: Int, note: Comment) = (place, "at \(place), \(waits ? "awaited" : "at once")")
                let scene = Mutex<Scene?>(nil)
                let act: @Sendable () throws -> Void = {
                    guard let scene = scene.withLock({ $0 }) else { return }
                    switch happening {
                    case .cancelling: scene.client.calls.cancelAll()
                    case .deadline: scene.clock.advance(by: .milliseconds(200))
                    case .shutdown: try scene.withdraw(by: .shutdown)
                    case .signOut: try scene.withdraw(by: .signOut)
                    }
                }
                let here = Scene(Acting(waits: waits) { try act() }, at: place.number)
                scene.withLock { $0 = here }
                defer { scene.withLock { $0 = nil } }
                let request = here.request.deadline(.milliseconds(200))
                let send = { try await here.send(kind, request, to: folder) }
                switch happening {
                case .cancelling: await #expect(throws: CancellationError.self, place.note) { try await send() }
                case .deadline:
                    let error = await #expect(throws: APIError.self, place.note) { try await send() }
                    #expect(error?.kind == .timeout, place.note)
                case .shutdown: try await send()
                case .signOut where place.number > signIn: try await send()
                case .signOut:
                    let error = await #expect(throws: APIError.self, place.note) { try await send() }
                    #expect(error?.kind == .missingCredential, place.note)
                }
                let isSent = happening == .shutdown || happening == .signOut && place.number > signIn
                #expect(here.stubs.requests.count == (isSent ? 1 : 0), place.note)
                #expect(here.stubs.requests.allSatisfy { $0.headers["Authorization"] == "Bearer made-up" }, place.note)
                await here.hasEnded(place.note)
            }
        }
    }

    // MARK: Interceptors behind the signature

    static let positions: [Interceptor.Position] = [.after(.signing), .before(.transport), .after(.transport)]

    @Test(
        "a change that an interceptor makes after signing is sent, with the signature of the unchanged request", arguments: positions,
        [Kind.awaited, .promised])
    func changed(position: Interceptor.Position, kind: Kind) async throws {
        let folder = try ScratchFolder()
        let (plain, scene) = (Scene(), Scene())
        scene.client.intercept("late", position) { call, next in
            var call = call
            call.request.headers["X-Late"] = "1"
            return try await next(call)
        }
        for scene in [plain, scene] { try await scene.send(kind, scene.request, to: folder) }
        #expect(scene.stubs.requests.map { $0.headers["X-Late"] } == ["1"])
        #expect(scene.stubs.requests.map { $0.headers["X-Sign"] } == plain.stubs.requests.map { $0.headers["X-Sign"] })
        await scene.hasEnded("")
    }

    @Test("an interceptor after signing changes each attempt, and each attempt has its own signature", arguments: positions)
    func retried(position: Interceptor.Position) async throws {
        let scene = Scene(first: .status(503)) { $0.retry = .exponential(limit: 1) }
        let count = Counter()
        scene.client.commonParams { _ in
            count.increment()
            return ["n": count.count]
        }
        scene.client.intercept("late", position) { call, next in
            var call = call
            call.request.headers["X-Late"] = call.request.headers["X-Sign"]
            return try await next(call)
        }
        let task = Task { try await scene.request.value(as: Int.self) }
        await scene.clock.scheduled(.milliseconds(500))
        scene.clock.advance(by: .milliseconds(500))
        #expect(try await task.value == 1)
        let signatures = scene.stubs.requests.map { $0.headers["X-Sign"] }
        #expect(signatures.count == 2 && Set(signatures).count == 2)
        #expect(scene.stubs.requests.map { $0.headers["X-Late"] } == signatures)
    }

    @Test("a request that an interceptor after signing moves to another origin has neither credential nor signature", arguments: positions)
    func moved(position: Interceptor.Position) async throws {
        let scene = Scene()
        scene.stubs.get("https://other.example.com/a").reply(json: 1)
        scene.client.intercept("elsewhere", position) { call, next in
            var call = call
            call.request.address = try HTTPAddress(parsing: "https://other.example.com/a")
            return try await next(call)
        }
        _ = try await scene.request.value(as: Int.self)
        #expect(scene.stubs.requests.count == 1)
        #expect(
            scene.stubs.requests.allSatisfy {
                $0.headers["Authorization"] == nil && $0.headers["X-Sign"] == nil && $0.headers["traceparent"] == nil
            })
    }

    @Test("an invalid header from an interceptor after signing fails the call, and nothing is sent", arguments: positions, Kind.allCases)
    func invalid(position: Interceptor.Position, kind: Kind) async throws {
        let folder = try ScratchFolder()
        let scene = Scene()
        scene.client.intercept("wrong", position) { call, next in
            var call = call
            call.request.headers["X-Late"] = "a\r\nHost: other.example.com"
            return try await next(call)
        }
        let error = await #expect(throws: APIError.self) { try await scene.send(kind, scene.request, to: folder) }
        #expect(error?.kind == .invalidRequest)
        #expect(scene.stubs.requests.isEmpty)
        await scene.hasEnded("")
    }

    @Test("the response to a request that an interceptor changed after signing is not cached", arguments: positions)
    func unkept(position: Interceptor.Position) async throws {
        let scene = Scene(reply: .json(1).header("Cache-Control", "max-age=60")) { $0.cache = .memory(limit: 1 << 20) }
        scene.client.intercept("late", position) { call, next in
            var call = call
            call.request.headers["X-Late"] = "1"
            return try await next(call)
        }
        for _ in 0..<2 { _ = try await scene.request.value(as: Int.self) }
        #expect(scene.stubs.requests.count == 2)
    }
}
