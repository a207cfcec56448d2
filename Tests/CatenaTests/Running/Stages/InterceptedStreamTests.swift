import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Interceptors before streams and downloads", .limitedParallelism)
struct InterceptedStreamTests {
    enum Terminal: CaseIterable { case data, stream, lines, jsonLines, events, download }

    let clock = VirtualClock()
    let stubs = Stubs()
    let client: Client
    let folder: ScratchFolder

    init() throws {
        client = Client(testing: stubs, clock: clock)
        folder = try ScratchFolder()
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

    @Test(
        "an error status that an interceptor sets fails the call, with the code and message of the body", arguments: Terminal.allCases,
        [StageName.cache, .transport])
    func status(terminal: Terminal, position: StageName) async throws {
        stubs.get("/a").reply(.json(["message": "closed"]).header("X-Maintenance", "1"))
        client.intercept("maintenance", .before(position)) { call, next in
            var response = try await next(call)
            if response.headers["X-Maintenance"] != nil { response.status = 503 }
            return response
        }
        let request = client.get("/a")
        let error = await #expect(throws: APIError.self) { try await run(request, terminal) }
        let expected = await request.execute(.data).result.apiError
        #expect(error?.status == 503)
        #expect(error?.kind == .status)
        #expect(error?.code == expected?.code)
        // The body of a download is not read as an error.
        if terminal != .download {
            #expect(error?.message == "closed")
            #expect(error?.body == expected?.body)
        }
        #expect(error?.attempts == 1)
        #expect(error?.request?.url == "https://stubs.test/a")
        #expect(folder.names.isEmpty)
    }

    @Test("an interceptor's own response with an error status fails the call, and nothing is sent", arguments: Terminal.allCases)
    func ownAnswer(terminal: Terminal) async throws {
        client.intercept("maintenance", .before(.start)) { call, _ in
            HTTPResponse(status: 503, body: Data(#"{"code": 9, "msg": "closed"}"#.utf8), address: call.request.address)
        }
        let request = client.get("/a")
        let error = await #expect(throws: APIError.self) { try await run(request, terminal) }
        #expect(error?.status == 503)
        #expect(error?.code == 9)
        #expect(error?.message == "closed")
        #expect(stubs.requests.isEmpty)
        #expect(folder.names.isEmpty)
    }

    @Test(
        "a media type that an interceptor sets and the call does not accept fails the call", arguments: [Terminal.data, .stream, .download])
    func mediaType(terminal: Terminal) async throws {
        stubs.get("/a").reply(json: [1])
        client.intercept("type") { call, next in
            var response = try await next(call)
            response.headers["Content-Type"] = "text/html"
            return response
        }
        let request = client.get("/a").set(\.acceptedTypes, ["application/json"])
        let error = await #expect(throws: APIError.self) { try await run(request, terminal) }
        let expected = await request.execute(.data).result.apiError
        #expect(error?.kind == expected?.kind)
        #expect(error?.message == expected?.message)
        #expect(folder.names.isEmpty)
    }

    @Test("an interceptor's own successful body replaces a stream, and fails a download") func ownBody() async throws {
        client.intercept("own", .before(.start)) { call, _ in
            HTTPResponse(status: 200, body: Data("own".utf8), address: call.request.address)
        }
        #expect(try await client.get("/a").lines().collected() == ["own"])
        let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.download(to: folder.file("a"))).value }
        #expect(error?.kind == .invalidRequest)
        #expect(folder.names.isEmpty)
    }

    @Test(
        "the body of a response whose status an interceptor turns into an error has the limits of a whole body", arguments: [true, false])
    func limits(ends: Bool) async throws {
        let stub = ClosureTransport { _ in
            if ends { return .text(String(repeating: "x", count: 100)) }
            return TransportResponse(status: 200, body: TransportBody(AsyncStream<Data> { _ in }))
        }
        let client = Client(transport: stub, clock: clock)
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.bodyLimit = 10
        }
        let seen = Counter()
        client.intercept("maintenance") { call, next in
            var response = try await next(call)
            response.status = 503
            seen.increment()
            return response
        }
        let task = Task { try await client.get("/a").timeout(.seconds(7)).stream().collected() }
        if !ends {
            await seen.reached(1)
            // The timeout for the body, and the time that it may be idle while its reader waits.
            await clock.delays { $0 == [.seconds(7), .seconds(60)] }
            clock.advance(by: .seconds(7))
        }
        let error = await task.result.apiError
        #expect(error?.kind == (ends ? .bodyTooLarge : .timeout))
        if ends { #expect(error?.status == 503) }
    }

    @Test("an interceptor sees a download before its file is in place, and its changes reach the result") func download() async throws {
        stubs.get("/a").reply(text: "0123456789")
        let there = Recorder<Bool>()
        client.intercept("look", .before(.start)) { [folder] call, next in
            var response = try await next(call)
            there.note(folder.names.contains("a"))
            response.headers["X-Seen"] = "1"
            return response
        }
        let download = try await client.get("/a").execute(.download(to: folder.file("a"))).value
        #expect(there.events == [false])
        #expect(download.headers["X-Seen"] == "1")
        #expect(download.byteCount == 10)
        #expect(folder.names == ["a"])
    }

    @Test("the next download resumes the bytes of a download that an interceptor failed") func resumed() async throws {
        let closed = Counter()
        stubs.get("/a").header("Range", nil).reply(.text("0123456789").header("ETag", "\"1\""))
        stubs.get("/a").header("Range", "bytes=10-").reply(.status(416).header("Content-Range", "bytes */10").header("ETag", "\"1\""))
        client.intercept("maintenance") { call, next in
            var response = try await next(call)
            closed.increment()
            if closed.count == 1 { response.status = 503 }
            return response
        }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.download(to: folder.file("a"))).value }
        #expect(error?.status == 503)
        #expect(!folder.names.contains("a"))
        let download = try await client.get("/a").execute(.download(to: folder.file("a"))).value
        #expect(download.resumedFrom == 10)
        #expect(folder.names == ["a"])
    }
}
