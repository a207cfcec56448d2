import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite(.limitedParallelism) struct SilenceTests {
    let clock = VirtualClock()
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs, clock: clock)
    }

    /// Returns a client whose transport sends the pieces of a body when the test says so.
    func client(receiving pieces: TransportBody) -> Client {
        let transport = ClosureTransport { _ in
            TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: pieces)
        }
        let client = Client(transport: transport, clock: clock)
        client.defaultHost = "https://example.com"
        return client
    }

    @Test("a response that does not begin in time ends in a timeout that says so") func firstByte() async {
        stubs.get("/a").reply(.unanswered)
        let call = client.get("/a").set(\.firstByteTimeout, .milliseconds(250)).execute()
        await clock.scheduled(.milliseconds(250))
        clock.advance(by: .milliseconds(250))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        #expect(error?.code == 110)
        #expect(error?.message == "The response did not begin within the firstByteTimeout of 0.25 seconds.")
    }

    @Test("the limit for the first byte applies to each request of a download", arguments: [412, 416])
    func firstByteOfDownload(status: Int) async throws {
        let folder = try ScratchFolder()
        let server = try FileServer(Data(repeating: 7, count: 300)) { $0.cuts = [100] }
        let target = folder.file("a")
        await #expect(throws: APIError.self) { try await Client().host(server.url).get("/file").execute(.download(to: target)).value }
        let count = Counter()
        let (asked, asking) = Promise<Void>.pending()
        let transport = ClosureTransport { [clock] _ in
            count.increment()
            if count.count == 1 { return .status(status) }
            asking.fulfill(())
            try await clock.sleep(for: .seconds(1000))
            return .status(500)
        }
        let call: Promise<Download> = Client(transport: transport, clock: clock).host(server.url).get("/file").set(
            \.firstByteTimeout, .seconds(2)
        )
        .execute(.download(to: target))
        try await asked.value
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.message == "The response did not begin within the firstByteTimeout of 2.0 seconds.")
        #expect(count.count == 2)
    }

    @Test("the head of a stub's response is its beginning, also if the body has not begun") func firstByteOfStub() async throws {
        let gate = LoopbackGate()
        stubs.get("/a").reply(.json(text: "42").stalled(after: 0, by: gate))
        let call = client.get("/a").set(\.firstByteTimeout, .seconds(1)).timeout(.seconds(100)).execute(as: Int.self)
        await gate.entered(1)
        clock.advance(by: .seconds(50))
        gate.open()
        #expect(try await call.value == 42)
    }

    @Test("the limit for the first byte does not apply after the response has begun") func firstByteIsOver() async throws {
        let (asked, asking) = Promise<Void>.pending()
        let (rest, giving) = Promise<Data>.pending()
        let isGiven = Counter()
        let pieces = AsyncThrowingStream<Data, any Error> {
            asking.fulfill(())
            let piece = try await rest.value
            isGiven.increment()
            return isGiven.count == 1 ? piece : nil
        }
        let call = client(receiving: TransportBody(pieces)).get("/a").set(\.firstByteTimeout, .seconds(1)).timeout(.seconds(100)).execute(
            as: Int.self)
        try await asked.value
        clock.advance(by: .seconds(50))
        giving.fulfill(Data("42".utf8))
        #expect(try await call.value == 42)
    }

    @Test("a body that is idle for too long ends in a timeout") func idle() async {
        let (pieces, source) = AsyncStream.makeStream(of: Data.self)
        let call = client(receiving: TransportBody(pieces)).get("/a").set(\.idleTimeout, .seconds(5)).execute()
        await clock.scheduled(.seconds(5))
        source.yield(Data("4".utf8))
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        withExtendedLifetime(source) {}
    }

    @Test("a limit that is not set starts no timer") func nothingSet() async throws {
        stubs.get("/a").reply { _ in try await PipelineTests.silence() }
        let call = client.get("/a").timeout(.seconds(9)).execute()
        await clock.scheduled(.seconds(9))
        #expect(clock.delays == [.seconds(9)])
        call.cancel()
    }

    @Test("a timeout of an idle response is retried") func isRetried() async throws {
        stubs.get("/a").sequence(.unanswered, .json(7))
        let call = client.get("/a").set(\.idleTimeout, .seconds(3)).retry(.exponential(limit: 1, baseDelay: .seconds(1))).execute(
            as: Int.self)
        await clock.scheduled(.seconds(3))
        await stubs.requestsReceived(1)
        clock.advance(by: .seconds(3))
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await call.value == 7)
    }
}
