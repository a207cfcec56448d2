import Catena
import CatenaLogging
import CatenaTesting
import Logging
import Testing

@Suite("swift-log") struct LoggerSinkTests {
    /// A handler whose entries a test can wait for.
    private struct Handler: LogHandler {
        let entries: AsyncStream<LogEvent>.Continuation
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?

        init(_ entries: AsyncStream<LogEvent>.Continuation, metadataProvider: Logger.MetadataProvider? = nil) {
            self.entries = entries
            self.metadataProvider = metadataProvider
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { entries.yield(event) }
    }

    private let stubs = Stubs()
    private let client: Client
    private let logger: Logger
    private let logged: AsyncStream<LogEvent>

    init() {
        client = Client(testing: stubs)
        client.configure("forum") { $0.host = "https://forum.test" }
        let (logged, entries) = AsyncStream<LogEvent>.makeStream()
        self.logged = logged
        logger = Logger(label: "calls") { _ in Handler(entries) }
    }

    private func entries(_ count: Int) async -> [LogEvent] {
        var found: [LogEvent] = []
        for await entry in logged.prefix(count) { found.append(entry) }
        return found
    }

    @Test("an entry has the level of its outcome, and metadata")
    func success() async throws {
        client.log(to: .logger(logger))
        stubs.get("/rooms").reply(data: [1])
        try await client.tag("forum").get("/rooms").void()
        let entry = try #require(await entries(1).first)
        #expect(entry.level == .info)
        #expect(entry.message.description.hasPrefix("GET https://forum.test/rooms → 200"))
        var metadata = try #require(entry.metadata)
        #expect(metadata.removeValue(forKey: "call") != nil)
        #expect(metadata == ["tag": "forum", "method": "GET", "status": "200", "attempt": "1", "source": "stub"])
    }

    @Test("attempts of one call have one ID, and each its number and level")
    func attempts() async throws {
        client.log(to: .logger(logger))
        client.configure("forum") { $0.retry = .exponential(limit: 1) }
        stubs.get("/rooms").sequence(.status(503), .reply(data: [1]))
        try await client.tag("forum").get("/rooms").void()
        let entries = await entries(2)
        #expect(entries.map(\.level) == [.error, .info])
        #expect(entries.map { $0.metadata?["attempt"] } == ["1", "2"])
        #expect(entries.map { $0.metadata?["failure"] } == ["status", nil])
        #expect(entries[0].metadata?["call"] == entries[1].metadata?["call"])
    }

    @Test("failures that the caller can correct are warnings, and those without a response are errors")
    func failures() async throws {
        client.log(to: .logger(logger))
        stubs.get("/a").reply(status: 404)
        stubs.get("/b").reply(.failure(.connect))
        for path in ["/a", "/b"] { _ = await client.tag("forum").get(path).execute(.void).result }
        let entries = await entries(2)
        #expect(entries.map(\.level) == [.warning, .error])
        #expect(entries.map { $0.metadata?["failure"] } == ["status", "connect"])
    }

    @Test("a call whose request could not be built has an entry as well")
    func unbuilt() async throws {
        client.log(to: .logger(logger))
        _ = await client.tag("forum").get("/a").header("X-A", "a\nb").execute(.void).result
        let entry = try #require(await entries(1).first)
        #expect(entry.level == .error)
        #expect(entry.metadata?["failure"] == "invalidRequest")
        #expect(entry.metadata?["method"] == nil)
    }

    @Test("secrets are neither in the message nor in the metadata, however much is logged")
    func secrets() async throws {
        client.log(.verbose, to: .logger(logger))
        stubs.post("/me").reply(data: ["token": "made-up"])
        try await client.tag("forum").post("/me").query(["token": "made-up"]).json(["password": "made-up"]).void()
        let entry = try #require(await entries(1).first)
        #expect(entry.message.description.contains("token=***"))
        #expect(!"\(entry.message) \(String(describing: entry.metadata))".contains("made-up"))
    }

    @TaskLocal private static var caller: String?

    @Test("a metadata provider runs in the caller's context, and does not replace the entry's own metadata")
    func provider() async throws {
        let (logged, entries) = AsyncStream<LogEvent>.makeStream()
        let provider = Logger.MetadataProvider { Self.caller.map { ["caller": "\($0)", "status": "made-up"] } ?? [:] }
        client.log(to: .logger(Logger(label: "calls") { _ in Handler(entries, metadataProvider: provider) }))
        stubs.get("/a").reply(data: 1)
        let request = client.tag("forum").get("/a")
        try await Self.$caller.withValue("awaited") { _ = try await request.value(as: Int.self) }
        try await Self.$caller.withValue("promised") { request.retry(.exponential(limit: 1)).execute(.void) }.value
        try await request.void()
        var found: [LogEvent] = []
        for await entry in logged.prefix(3) { found.append(entry) }
        #expect(found.map { $0.metadata?["caller"] } == ["awaited", "promised", nil])
        #expect(found.map { $0.metadata?["status"] } == ["200", "200", "200"])
    }

    @Test("a custom level is used, and the logger keeps its own metadata")
    func ownLevel() async throws {
        var logger = logger
        logger[metadataKey: "service"] = "rooms"
        client.log(to: .logger(logger) { $0.failure == nil ? .trace : .critical })
        stubs.get("/a").reply(status: 404)
        _ = await client.tag("forum").get("/a").execute(.void).result
        #expect(await entries(1).map(\.level) == [.critical])
        #expect(logger[metadataKey: "service"] == "rooms")
    }
}
