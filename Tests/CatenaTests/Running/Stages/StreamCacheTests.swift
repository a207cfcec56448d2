import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Streams and downloads with a cache", .limitedParallelism)
struct StreamCacheTests {
    enum Terminal: CaseIterable { case data, stream, lines, jsonLines, events, download }

    let stubs = Stubs()
    let client: Client
    let folder: ScratchFolder

    init() throws {
        client = Client(testing: stubs)
        folder = try ScratchFolder()
        client.configureDefaults { defaults in
            defaults.cache = .memory(limit: 1_000_000)
            defaults.cachePolicy = .always
        }
    }

    /// Stubs a text that every terminal accepts as a response.
    private func answer(_ method: HTTPMethod?, status: Int = 200) {
        stubs.on(method, "/a").reply(.body(Data("\n".utf8), status: status, contentType: "text/event-stream"))
    }

    private func run(_ request: Request, _ terminal: Terminal) async throws {
        switch terminal {
        case .data: _ = try await request.execute(.data).value
        case .stream: _ = try await request.stream().collected()
        case .lines: _ = try await request.lines().collected()
        case .jsonLines: _ = try await request.lines(as: JSON.self).collected()
        case .events: _ = try await request.events(reconnecting: .never).collected()
        case .download: _ = try await request.execute(.download(to: folder.file("a"))).value
        }
    }

    @Test("a successful change invalidates the cached responses of its address, whatever its terminal", arguments: Terminal.allCases)
    func invalidates(terminal: Terminal) async throws {
        answer(nil)
        _ = try await client.get("/a").execute(.data).value
        _ = try await client.get("/a").execute(.data).value
        try await run(client.post("/a"), terminal)
        _ = try await client.get("/a").execute(.data).value
        #expect(stubs.requests.map(\.method) == [.get, .post, .get])
    }

    @Test("a failed change invalidates nothing", arguments: Terminal.allCases)
    func failed(terminal: Terminal) async throws {
        answer(.get)
        answer(.post, status: 500)
        _ = try await client.get("/a").execute(.data).value
        await #expect(throws: APIError.self) { try await run(client.post("/a"), terminal) }
        _ = try await client.get("/a").execute(.data).value
        #expect(stubs.requests.map(\.method) == [.get, .post])
    }

    @Test(
        "a call with `only-if-cached` sends nothing",
        arguments: Terminal.allCases, [CachePolicy.protocol, .always, .never])
    func onlyIfCached(terminal: Terminal, policy: CachePolicy) async throws {
        answer(nil)
        for request in [client.get("/a"), client.get("/a").header("Range", "bytes=0-1"), client.post("/a")] {
            let request = request.cache(policy).header("Cache-Control", "only-if-cached")
            let error = await #expect(throws: APIError.self) { try await run(request, terminal) }
            #expect(error?.kind == .status)
            #expect(error?.status == 504)
        }
        #expect(stubs.requests.isEmpty)
        #expect(folder.names.isEmpty)
    }

    @Test("streams and downloads are neither cached nor served from the cache", arguments: Terminal.allCases.filter { $0 != .data })
    func neither(terminal: Terminal) async throws {
        answer(nil)
        try await run(client.get("/a"), terminal)
        _ = try await client.get("/a").execute(.data).value
        #expect(stubs.requests.count == 2)
        try await run(client.get("/a"), terminal)
        #expect(stubs.requests.count == 3)
        _ = try await client.get("/a").execute(.data).value
        #expect(stubs.requests.count == 3)
    }
}
