import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Downloads and event streams after a change of the token", .limitedParallelism)
struct TokenResumptionTests {
    private let vault = Vault("A")

    // MARK: Downloads

    private static let content = Data((0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    /// Returns the content for a token, which differs between tokens and has one length.
    private static func content(_ token: String) -> Data { Data(repeating: UInt8(ascii: token == "A" ? "a" : "b"), count: 300) }

    @Test(
        "a download resumes with the same token, and starts again with another one",
        arguments: [("A", [nil, "bytes=100-"]), ("B", [nil, nil])] as [(String, [String?])])
    func download(second: String, ranges: [String?]) async throws {
        let folder = try ScratchFolder()
        let vault = vault
        let server = try FileServer(Self.content("A")) { $0.cuts = [100] }
        let asked = Counter()
        server.change { settings in
            settings.override = { [weak server] _ in
                asked.increment()
                guard asked.count == 1 else { return nil }
                vault.change(to: second)
                // The response to this request still has the earlier settings.
                server?.change { $0.content = Self.content(second) }
                return nil
            }
        }
        let client = Client()
        client.configureDefaults { $0.authentication = vault.authentication }
        let request = client.host(server.url).get("/file").authenticated().retry(.exponential(limit: 2, baseDelay: .zero))
        let download = try await request.execute(.download(to: folder.file("a"))).value
        #expect(download.resumedFrom == (second == "A" ? 100 : 0))
        #expect(try Data(contentsOf: folder.file("a")) == Self.content(second))
        #expect(server.server.requests.map { $0.headers["Range"] } == ranges)
        #expect(server.server.requests.map { $0.headers["Authorization"] } == ["Bearer A", "Bearer \(second)"])
    }

    @Test("a failed download with a token leaves no partial file")
    func part() async throws {
        let folder = try ScratchFolder()
        let server = try FileServer(Self.content) { $0.cuts = [100] }
        let client = Client()
        client.configureDefaults { $0.authentication = vault.authentication }
        let request = client.host(server.url).get("/file").authenticated()
        await #expect(throws: APIError.self) { try await request.execute(.download(to: folder.file("a"))).value }
        #expect(folder.names.isEmpty)
        #expect(try await request.execute(.download(to: folder.file("a"))).value.resumedFrom == 0)
    }

    // MARK: Event streams

    /// Runs an event stream and returns its result and its requests.
    ///
    /// - Parameters:
    ///   - waits: The number of waits before a new connection.
    ///   - tokens: The token after each response.
    private func events(
        waits: Int, _ tokens: [String?], _ answers: String...
    ) async -> (Result<[ServerSentEvent], any Error>, [HTTPRequest]) {
        let (clock, count, vault) = (VirtualClock(), Counter(), vault)
        let stub = ClosureTransport { _ in
            let number = count.count
            count.increment()
            if tokens.indices.contains(number) { vault.change(to: tokens[number]) }
            guard answers.indices.contains(number) else { return .status(204) }
            return answers[number] == "401" ? .status(401) : .pieces([answers[number]], headers: ["Content-Type": "text/event-stream"])
        }
        let client = Client(transport: stub, clock: clock)
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.authentication = vault.authentication
        }
        let request = client.get("/a")
        let task = Task { try await request.events().collected() }
        for _ in 0..<waits {
            await clock.scheduled(.seconds(3))
            clock.advance(by: .seconds(3))
        }
        return (await task.result, stub.requests)
    }

    @Test("an event stream whose token stays the same sends its last event id")
    func sameToken() async throws {
        let (events, requests) = await events(waits: 2, [], "id: 7\ndata: 1\n\n", "data: 2\n\n")
        #expect(try events.get() == [ServerSentEvent(data: "1", id: "7"), ServerSentEvent(data: "2", id: "7")])
        #expect(requests.map { $0.headers["Last-Event-ID"] } == [nil, "7", "7"])
    }

    @Test("an event stream with another token starts again without the last event id")
    func otherToken() async throws {
        let (events, requests) = await events(waits: 3, ["B"], "id: 7\ndata: 1\n\n", "data: 2\n\n", "id: 8\ndata: 3\n\n")
        #expect(
            try events.get() == [ServerSentEvent(data: "1", id: "7"), ServerSentEvent(data: "2"), ServerSentEvent(data: "3", id: "8")])
        #expect(requests.map { $0.headers["Authorization"] } == ["Bearer A", "Bearer B", "Bearer B", "Bearer B"])
        #expect(requests.map { $0.headers["Last-Event-ID"] } == [nil, nil, nil, "8"])
    }

    @Test("an event stream also starts again if a refusal leads to another token")
    func refusedToken() async throws {
        let (events, requests) = await events(waits: 2, ["A", "B"], "id: 7\ndata: 1\n\n", "401", "data: 2\n\n")
        #expect(try events.get() == [ServerSentEvent(data: "1", id: "7"), ServerSentEvent(data: "2")])
        #expect(requests.map { $0.headers["Last-Event-ID"] } == [nil, "7", nil, nil])
        #expect(requests.map { $0.headers["Authorization"] } == ["Bearer A", "Bearer A", "Bearer B", "Bearer B"])
    }

    @Test("the caller's own `Last-Event-ID` header is sent with every token")
    func ownID() async throws {
        let (clock, vault) = (VirtualClock(), vault)
        let stub = ClosureTransport { request in
            guard request.headers["Authorization"] == "Bearer A" else { return .status(204) }
            vault.change(to: "B")
            return .status(401)
        }
        let client = Client(transport: stub, clock: clock)
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.authentication = vault.authentication
        }
        _ = try await client.get("/a").header("Last-Event-ID", "5").events().collected()
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == ["5", "5"])
    }

    @Test("an event stream ends when there is no token")
    func signedOut() async throws {
        let (events, requests) = await events(waits: 1, [nil], "id: 7\ndata: 1\n\n")
        #expect(events.apiError?.kind == .missingCredential)
        #expect(requests.count == 1)
    }

    @Test("an event stream ends when its authentication has been replaced", arguments: [true, false])
    func otherSignIn(isClosureFirst: Bool) async throws {
        let clock = VirtualClock()
        let stub = ClosureTransport { _ in .pieces(["data: 1\n\n"], headers: ["Content-Type": "text/event-stream"]) }
        let client = Client(transport: stub, clock: clock)
        let ways: [any RequestAuthentication] = [vault.authentication, .bearer("A")]
        func use(_ way: any RequestAuthentication) {
            client.configureDefaults { defaults in
                defaults.host = "https://example.com"
                defaults.authentication = way
            }
        }
        use(ways[isClosureFirst ? 0 : 1])
        let request = client.get("/a")
        let task = Task { try await request.events().collected() }
        await clock.scheduled(.seconds(3))
        use(ways[isClosureFirst ? 1 : 0])
        clock.advance(by: .seconds(3))
        let error = await #expect(throws: APIError.self) { try await task.value }
        #expect(error?.kind == .missingCredential)
        #expect(stub.requests.count == 1)
    }
}
