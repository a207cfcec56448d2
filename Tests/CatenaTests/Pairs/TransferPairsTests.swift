import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Downloads and other settings", .limitedParallelism)
struct TransferPairsTests {
    let sources = Recorder<AsyncThrowingStream<Data, any Error>.Continuation>()

    /// Returns a client whose bodies at `/file` last until the test ends them.
    private func client(_ change: (inout Profile) -> Void) -> Client {
        let stub = ClosureTransport { [sources] request in
            guard request.address.path == "/file" else { return .json("7") }
            let (body, source) = AsyncThrowingStream<Data, any Error>.makeStream()
            source.yield(Data("abc".utf8))
            sources.note(source)
            return TransportResponse(status: 200, body: TransportBody(body))
        }
        let client = Client(transport: stub, clock: VirtualClock())
        client.configure("forum") { forum in
            forum.host = "https://example.com"
            change(&forum)
        }
        return client
    }

    @Test("a download keeps its place until its last byte")
    func place() async throws {
        let folder = try ScratchFolder()
        let client = client { $0.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0) }
        let target = folder.file("a")
        let download = Task { try await client.tag("forum").get("/file").download(to: target).byteCount }
        await sources.reached(1)
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/b").value(as: Int.self) }
        #expect(error?.kind == .overloaded)
        sources.events.first?.finish()
        #expect(try await download.value == 3)
        #expect(try await client.tag("forum").get("/b").value(as: Int.self) == 7)
    }

    @Test("a download takes a turn of the rate")
    func turn() async throws {
        let folder = try ScratchFolder()
        let client = client { $0.rateLimits = [RateLimit(1, per: .seconds(7200))] }
        #expect(try await client.tag("forum").get("/b").value(as: Int.self) == 7)
        let target = folder.file("a")
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/file").download(to: target) }
        #expect(error?.kind == .rateLimited)
        #expect(folder.names.isEmpty)
    }

    @Test("a download that has begun ends with its file after a shutdown")
    func shutdown() async throws {
        let folder = try ScratchFolder()
        let client = client { _ in }
        let target = folder.file("a")
        let download = Task { try await client.tag("forum").get("/file").download(to: target).byteCount }
        await sources.reached(1)
        client.shutdown()
        sources.events.first?.finish()
        #expect(try await download.value == 3)
        #expect(folder.names == ["a"])
    }

    @Test("a download is one run for indicators, until its file is in place") @MainActor
    func loading() async throws {
        let folder = try ScratchFolder()
        let client = client { _ in }
        let (told, target) = (Recorder<Bool>(), folder.file("a"))
        let request = client.tag("forum").get("/file").loading { told.note($0) }
        let download = Task { try await request.download(to: target).byteCount }
        await sources.reached(1)
        await mainQueueIsEmpty()
        #expect(told.events == [true])
        sources.events.first?.finish()
        #expect(try await download.value == 3)
        await mainQueueIsEmpty()
        #expect(told.events == [true, false])
    }

    @Test("a refused credential is refreshed before a download, whose file is that of the second response")
    func refresh() async throws {
        let (folder, stubs, scheme) = (try ScratchFolder(), Stubs(), CountingScheme())
        stubs.get("/file").header("X-Token", "a0").reply(status: 401)
        stubs.get("/file").header("X-Token", "a1").reply(text: "abc")
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = Authentication(scheme, store: MemoryCredentialStore(.first)) }
        let target = folder.file("a")
        #expect(try await client.tag("forum").get("/file").download(to: target).byteCount == 3)
        #expect(scheme.refreshed.count == 1)
    }
}
