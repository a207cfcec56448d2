import Catena
import CatenaInspector
import CatenaTesting
import Dispatch
import Foundation

private struct Item: Codable, Sendable {
    let id: Int
    let name: String
}

/// An error that Catena does not know.
private struct Foreign: Error {
    let number: Int
}

/// Responds at once, so that only the layers above the transport are counted.
private struct Canned: Transport {
    let keepsLimits = true

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        TransportResponse(
            status: 200, headers: ["Content-Type": "application/json"],
            body: TransportBody(Data(#"{"code":0,"msg":"","data":{"id":7,"name":"a name"}}"#.utf8)))
    }
}

/// Counts down to zero, for which one thread waits.
private final class Countdown: Sendable {
    private let left: Mutex<Int>
    private let isZero = DispatchSemaphore(value: 0)

    init(_ count: Int) { left = Mutex(count) }

    func decrement() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { isZero.signal() }
    }

    func wait() { isZero.wait() }
}

/// Runs `count(_:times:)`, and ends the process.
///
/// The main thread waits here, because Dispatch would end it otherwise. Dispatch would then wait for signals with a mask in read-only memory, to which
/// valgrind writes, and the process would crash.
func countAndExit(_ operation: String, times: Int) -> Never {
    let isOver = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            try await count(operation, times: times)
            isOver.signal()
        } catch {
            print(error)
            exit(1)
        }
    }
    isOver.wait()
    exit(0)
}

/// Runs one operation repeatedly, for a counter of instructions or allocations. The difference between two runs with different numbers is the cost of the
/// operation:
///
///   valgrind --tool=callgrind catena-bench count map 1000
///   valgrind --tool=callgrind catena-bench count map 2000
///
/// `.ci/counts` does so, and compares.
func count(_ operation: String, times: Int) async throws {
    switch operation {
    case "map": for _ in 0..<times { keep(chain(10)) }
    case "all": for _ in 0..<times { keep(all(100)) }
    case "wrap":
        let promise = Promise<Int>(error: Foreign(number: 7))
        for _ in 0..<times { keep(promise.recover { $0.underlying is Foreign ? 1 : 0 }) }
    case "await":
        let promise = Promise(value: 1)
        for _ in 0..<times { keep(try await promise.value) }
    case "prepare":
        let client = Client()
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        client.commonParams { _ in ["app": "ios", "v": "3.2"] }
        client.commonHeaders { _ in ["Authorization": "Bearer made-up"] }
        let base = client.tag("forum")
        for index in 0..<times {
            keep(try await base.get("/v1/rooms/\(index)/users").params(["page": 1, "size": 20, "q": "caf\u{e9} & cr\u{e8}me"]).preview())
        }
    case "query":
        let params: Params = ["page": 1, "size": 20, "q": "caf\u{e9} & cr\u{e8}me"]
        let style = ParameterStyle()
        for _ in 0..<times { keep(try URLQueryEncoder.encode(params, style: style)) }
    case "call":
        let client = Client(transport: Canned())
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        let request = client.tag("forum").get("/item")
        for _ in 0..<times { keep(try await request.value(as: Item.self)) }
    case "staged":
        let client = Client(transport: Canned())
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com/api"
            forum.retry = .exponential(limit: 3)
            forum.maxConcurrentCalls = ConcurrencyLimit(64)
            forum.circuitBreaker = CircuitBreakerPolicy()
            forum.sendsTraceparent = true
        }
        let request = client.tag("forum").get("/item")
        for _ in 0..<times { keep(try await request.value(as: Item.self)) }
    case "body", "promised":
        let client = Client(transport: Canned())
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        let request = client.tag("forum").get("/item")
        for _ in 0..<times { keep(operation == "body" ? try await request.data() : try await request.execute(.data).value) }
    case "inspected", "watched", "unwatched":
        let client = Client(transport: Canned())
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        let request = client.tag("forum").get("/item")
        let (inspector, tellPages) = try Inspector.startForCounting(client, isWatched: operation != "unwatched")
        for index in 1...times {
            keep(try await request.value(as: Item.self))
            // Approximately the number of calls that one core makes between two ticks.
            if operation == "inspected", index % 10_000 == 0 { tellPages() }
        }
        inspector.stop()
    case "logged", "hiding", "logged-line", "hiding-line":
        // Every line is written before the process ends, with a secret that the library knows by its value or without one.
        let client = Client(transport: Canned())
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com/api"
            if operation.hasPrefix("hiding") { forum.secrets.add(values: "made-up-installation-key") }
        }
        let written = Countdown(times)
        client.log(operation.hasSuffix("-line") ? .oneLine : .verbose, to: LogSink { _ in written.decrement() })
        let request = client.tag("forum").get("/item")
        for _ in 0..<times { keep(try await request.value(as: Item.self)) }
        written.wait()
    case "kept":
        // Prints, without counting, the memory that stored calls with bodies of 20 KB need while a page is open.
        let body = Data(#"{"code":0,"data":"\#(String(repeating: "a", count: 20_000))"}"#.utf8)
        let client = Client(transport: ClosureTransport { _ in TransportResponse(status: 200, body: TransportBody(Data([UInt8](body)))) })
        let (inspector, tellPages) = try Inspector.startForCounting(client, keeps: 10_000)
        for _ in 0..<100 { keep(try await client.absoluteURL("https://forum.example.com/item").execute(.data).value) }
        let before = residentMemory()
        for index in 1...times {
            keep(try await client.absoluteURL("https://forum.example.com/item?number=\(index)").execute(.data).value)
            if index % 1000 == 0 { tellPages() }
        }
        print("\(times) calls kept take \((residentMemory() - before) / 1_000_000) MB")
        inspector.stop()
    case "hit":
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code":0,"data":7}"#, headers: ["Cache-Control": "max-age=3600"]) })
        client.configureDefaults { defaults in
            defaults.host = "https://forum.example.com/api"
            defaults.cache = .memory(limit: 1_000_000)
        }
        let request = client.get("/item")
        for _ in 0..<times { keep(try await request.value(as: Int.self)) }
    case "bare":
        // Uses a server in another process, so that only the client is counted. CATENA_BENCH_URL is its address, CATENA_BENCH_WIDTH the number of concurrent
        // requests.
        let environment = ProcessInfo.processInfo.environment
        let transport = PlatformTransportUnderTest.make()
        let request = try await Client().absoluteURL(environment["CATENA_BENCH_URL"] ?? "").preview()
        try await concurrently(times, width: Int(environment["CATENA_BENCH_WIDTH"] ?? "") ?? 1) {
            keep(try await transport.send(request).body.collect(limit: 1_000_000))
        }
    #if os(Linux)
    case "request", "request-body", "request-promised":
        // Like "bare", with all stages of a client's call. CATENA_BENCH_AUTHORITY is a file of certificate authorities for a server with TLS.
        let environment = ProcessInfo.processInfo.environment
        var configuration = CurlConfiguration()
        configuration.certificateAuthorityFile = environment["CATENA_BENCH_AUTHORITY"]
        let width = Int(environment["CATENA_BENCH_WIDTH"] ?? "") ?? 1
        configuration.transfersPerOrigin = max(configuration.transfersPerOrigin, width)
        let client = Client(transport: try CurlTransport(configuration))
        let url = environment["CATENA_BENCH_URL"].flatMap { URL(string: $0) }
        client.configure("forum") { $0.host = url.flatMap { URL(string: "/", relativeTo: $0)?.absoluteString } }
        client.commonParams { _ in ["app": "ios", "v": "3.2"] }
        client.commonHeaders { _ in ["X-App": "bench"] }
        let path = url?.path ?? "/"
        try await concurrently(times, width: width) {
            let request = client.tag("forum").get(path)
            switch operation {
            case "request-body": keep(try await request.data())
            case "request-promised": keep(try await request.execute(.data).value)
            default: keep(try await request.value(as: Item.self))
            }
        }
    #endif
    case "json":
        let document = jsonDocument(100_000)
        for _ in 0..<times { keep(try JSON(parsing: document)) }
    case "jsonserialization":
        let document = jsonDocument(100_000)
        for _ in 0..<times { keep(try JSONSerialization.jsonObject(with: document)) }
    case "byhand", "envelope":
        let sample = times < 100 ? EnvelopeSample.all[1] : .small
        let decoder = JSONDecoder()
        let response = try await sample.response()
        if operation == "byhand" {
            for _ in 0..<times { keep(try sample.decodeByHand(decoder)) }
        } else {
            for _ in 0..<times { keep(try Envelope.standard.value(of: response, as: [EnvelopeSample.User].self, decoder: decoder)) }
        }
    case "sent":
        let client = Client(transport: Canned())
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        let item = Item(id: 7, name: "a name")
        for _ in 0..<times { keep(try await client.tag("forum").post("/items").json(item).preview()) }
    case "encoded", "jsonencoder":
        let users = EncodingSample.users(times < 100 ? 900 : 1)
        let encoder = JSONEncoder()
        let own = JSONPayloadEncoder(encoder)
        for _ in 0..<times { keep(try operation == "encoded" ? own.encode(users) : encoder.encode(users)) }
    case "small-byhand", "small-envelope", "small-jsondecoder", "small-decoder":
        try await countSmall(operation, times)
    default:
        print(
            """
            count map | all | wrap | await | prepare | query | call | watched | inspected | unwatched | logged | hiding | logged-line \
            | hiding-line | kept | hit | bare | request | request-body | request-promised | json | jsonserialization | byhand \
            | envelope | sent | encoded | jsonencoder | small-byhand | small-envelope | small-jsondecoder | small-decoder [times]
            """)
    }
}

/// Decodes one object in an envelope of 150 bytes, by hand and as a call does, and the object alone with both decoders.
private func countSmall(_ operation: String, _ times: Int) async throws {
    let sample = EnvelopeSample.single
    let decoder = JSONDecoder()
    let own = JSONPayloadDecoder(decoder)
    let response = try await sample.response()
    for _ in 0..<times {
        switch operation {
        case "small-byhand": keep(try sample.decodeOneByHand(decoder))
        case "small-envelope": keep(try Envelope.standard.value(of: response, as: EnvelopeSample.User.self, decoder: decoder))
        case "small-jsondecoder": keep(try decoder.decode(EnvelopeSample.User.self, from: sample.payload))
        default: keep(try own.decode(EnvelopeSample.User.self, from: sample.payload))
        }
    }
}
