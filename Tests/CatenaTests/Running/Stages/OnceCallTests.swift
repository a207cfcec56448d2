import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Calls that join an identical one", .limitedParallelism)
struct OnceCallTests {
    let bench = OnceBench()

    struct Order: Codable, Sendable, Equatable {
        var room = 7
        var guests = ["Ann", "Bob"]
        var note = "late"
        var isPaid = true
        var nested = ["b": 1, "a": 2]
    }

    @Test(
        "identical calls of any method join the first one while it runs, and a later one sends again",
        arguments: [HTTPMethod.post, "PUT", "PATCH", "DELETE", "GET", "SEARCH"])
    func joined(method: HTTPMethod) async throws {
        var request = bench.client.request.path("/orders").method(method).once()
        if method != .get, method != .delete { request = request.json(["room": 7]) }
        let calls = (0..<3).map { _ in request.execute(as: Int.self) }
        try await bench.joined(3, request)
        bench.open()
        for call in calls { #expect(try await call.value == 1) }
        #expect(try await request.value(as: Int.self) == 2)
        #expect(bench.stubs.requests.count == 2)
    }

    /// Bodies that are encoded again for each call.
    private static let bodies: [(name: String, step: @Sendable (Request) -> Request)] = [
        ("params", { $0.params(["room": 7, "guests": ["Ann", "Bob"]]) }),
        ("json", { $0.json(Order()) }),
        ("form", { $0.form(["room": 7]) }),
        ("propertyList", { $0.body(propertyList: ["room": 7]) }),
        ("bytes", { $0.body(Data("room".utf8), contentType: "text/plain") }),
        (
            "multipart",
            { request in
                request.multipart { form in
                    form.field("room", 7)
                    form.data(Data("photo".utf8), name: "photo", filename: "a.png")
                }
            }
        ),
        ("idempotencyKey", { $0.json(["room": 7]).set(\.idempotencyKey, .random) }),
        ("own envelope", { $0.json(["room": 7]).envelope(.standard) }),
        ("own interceptor", { $0.json(["room": 7]).set(\.interceptors, [Interceptor("call") { call, next in try await next(call) }]) }),
        ("progress", { $0.json(["room": 7]).onProgress { _ in } }),
        ("group", { $0.json(["room": 7]).group("orders") }),
        ("hedge", { $0.json(["room": 7]).set(\.idempotencyKey, .random).set(\.hedgeDelay, .seconds(3600)) }),
        ("dedupe", { $0.json(["room": 7]).set(\.dedupe, true) }),
    ]

    @Test("calls are identical if their contents are, however they are encoded, and whatever follows them", arguments: bodies.map(\.name))
    func identical(name: String) async throws {
        let step = try #require(Self.bodies.first { $0.name == name }).step
        let requests = (0..<8).map { _ in step(bench.client.post("/orders")).once() }
        let calls = requests.map { $0.execute(as: Int.self) }
        try await bench.joined(8, requests[0])
        bench.open()
        for call in calls { #expect(try await call.value == 1) }
        #expect(bench.stubs.requests.count == 1)
    }

    @Test("multipart calls whose media types differ in more than the boundary are different")
    func mediaType() async throws {
        let requests = ["<a>", "<b>", "<a>"].map { start in
            bench.client.post("/orders").multipart(boundary: "made-up") { $0.field("room", 7) }
                .header("Content-Type", "multipart/related; boundary=made-up; start=\"\(start)\"").once()
        }
        let calls = requests.map { $0.execute(as: Int.self) }
        try await bench.joined(2, requests[0])
        bench.open()
        for call in calls { _ = try await call.value }
        #expect(bench.stubs.requests.count == 2)
        #expect(bench.stubs.requests.allSatisfy { $0.headers["Content-Type"]?.contains("; start=\"<") == true })
    }

    @Test(
        "a call that differs, or that does not join, sends its own request",
        arguments: ["body", "form", "param", "query", "header", "tag", "method", "cookie", "not once", "dedupe alone"])
    func different(difference: String) async throws {
        let client = bench.client
        let jar = CookieJar()
        client.configureDefaults { $0.cookieJar = jar }
        let first = client.tag("forum").post("/orders").json(["room": 7]).once()
        let one = first.execute(as: Int.self)
        try await bench.joined(1, first)
        var second = first
        switch difference {
        case "body": second = second.json(["room": 8])
        case "form": second = second.form(["room": 7])
        case "param": second = second.param("page", 2)
        case "query": second = second.query("page", 2)
        case "header": second = second.header("X-Room", "8")
        case "tag": second = second.tag("wallet")
        case "method": second = second.put("/orders")
        case "cookie": jar.set(try #require(Cookie(parsing: "sid=2", from: HTTPAddress(parsing: "https://stubs.test/"), at: Date())))
        case "not once": second = second.once(false)
        default: second = client.tag("forum").get("/orders").set(\.dedupe, true)
        }
        let two = second.execute(as: Int.self)
        await bench.stubs.requestsReceived(2)
        bench.open()
        #expect(try await Set([one.value, two.value]) == [1, 2])
    }

    @Test("calls with idempotency keys of their own are operations of their own", arguments: ["option", "header", "mixed"])
    func ownKeys(way: String) async throws {
        func request(_ key: String, byHeader: Bool) -> Request {
            let request = bench.client.post("/orders").json(["room": 7]).once()
            return byHeader ? request.header("Idempotency-Key", key) : request.set(\.idempotencyKey, IdempotencyKey(key))
        }
        let one = request("order-1", byHeader: way == "header").execute(as: Int.self)
        let again = request("order-1", byHeader: way != "option").execute(as: Int.self)
        let other = request("order-2", byHeader: way == "header").execute(as: Int.self)
        try await bench.joined(2, request("order-1", byHeader: way == "header"))
        await bench.stubs.requestsReceived(2)
        bench.open()
        #expect(try await one.value == again.value)
        #expect(try await Set([one.value, other.value]) == [1, 2])
    }

    @Test("each call decodes the response as its own type, with its own envelope, also if one needs no payload")
    func types() async throws {
        let request = bench.client.post("/orders").once()
        let void: Promise<Void> = request.execute(.void)
        try await bench.joined(1, request)
        let number = request.execute(as: Int.self)
        let whole = request.envelope(.raw).execute()
        let wrong = request.execute(as: [String].self)
        let text: Promise<String> = request.execute(.string)
        try await bench.joined(5, request)
        bench.open()
        try await void.value
        #expect(try await number.value == 1)
        #expect(try await whole.value.data.int == 1)
        #expect(await wrong.result.apiError?.kind == .decoding)
        #expect(try await text.value.contains("1"))
        #expect(bench.stubs.requests.count == 1)
    }

    @Test("joined calls share a failure, also a timeout, and do not send again", arguments: ["code", "status", "timeout", "lost"])
    func failures(kind: String) async throws {
        bench.stubs.post("/busy").reply { [bench] _ in
            if kind == "timeout" { await untilCancelled() } else { try await bench.gate.promise.value }
            switch kind {
            case "code": return .reply(code: 5, message: "busy")
            case "lost": return .failure(.connectionLost)
            default: return .status(503)
            }
        }
        let request = bench.client.post("/busy").timeout(.seconds(5)).once()
        let calls = (0..<3).map { _ in request.execute(as: Int.self) }
        try await bench.joined(3, request)
        await bench.stubs.requestsReceived(1)
        if kind == "timeout" { bench.clock.advance(by: .seconds(5)) } else { bench.open() }
        var errors: [APIError?] = []
        for call in calls { errors.append(await call.result.apiError) }
        #expect(errors[0] != nil)
        #expect(errors.allSatisfy { $0?.kind == errors[0]?.kind && $0?.code == errors[0]?.code })
        #expect(bench.stubs.requests.count == 1)
    }

    @Test("a thousand taps from many threads send one order")
    func crowd() async throws {
        let request = bench.client.post("/orders").json(Order()).once()
        let values = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 { group.addTask { values.note(try await request.value(as: Int.self)) } }
            try await bench.joined(1000, request)
            bench.open()
            try await group.waitForAll()
        }
        #expect(values.events == Array(repeating: 1, count: 1000))
        #expect(bench.stubs.requests.count == 1)
    }

    @Test("`explain()` and the watchers of a call show that it joins")
    func shown() async throws {
        #expect(bench.client.post("/orders").once().explain().contains("joins an identical call under way, whatever its method"))
        #expect(!bench.client.post("/orders").once(false).explain().contains("joins"))
    }
}

/// Counts from 1. Calls at the same time receive different numbers.
final class OrderNumbers: Sendable {
    private let last = Mutex(0)

    func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}

/// A client with a server that counts orders, and responds when the test opens its gate.
struct OnceBench: Sendable {
    let stubs = Stubs()
    let clock = VirtualClock()
    let client: Client
    let gate = Promise<Void>.pending()
    private let keeper: Promise<Void>

    init() {
        client = Client(testing: stubs, clock: clock)
        client.configure("forum") { _ in }
        client.configure("wallet") { _ in }
        let numbers = OrderNumbers()
        let promise = gate.promise
        // A consumer of the gate during the test, because cancelled calls withdraw their interest in the gate.
        keeper = promise.map {}
        stubs.on(nil, "/orders").reply { _ in
            let number = numbers.next()
            try await promise.value
            return .reply(data: number)
        }
    }

    func open() { gate.resolver.fulfill(()) }

    /// Waits until so many calls wait for the response to a request.
    func joined(_ count: Int, _ request: Request) async throws {
        let run = CallRun(request)
        let call = try await Preparation.call(of: run)
        let key = try #require(try DedupeKey(once: call))
        await run.tagState.flights.waiters(of: key, count: count)
    }
}
