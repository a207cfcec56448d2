import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Terminals that can be awaited, and that also return a promise.
@Suite("Awaited terminals", .limitedParallelism)
struct RequestAwaitedTests {
    enum Word: CaseIterable {
        case void, data, string, response, download
    }

    private func client(_ body: String, status: Int = 200) -> (client: Client, stub: ClosureTransport) {
        let stub = ClosureTransport { _ in .json(body, status: status) }
        let client = Client(transport: stub)
        client.defaultHost = "https://example.com"
        return (client, stub)
    }

    private func send(_ request: Request, _ word: Word, to folder: ScratchFolder) async throws {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: folder.file("a"))
        }
    }

    @Test("an awaited terminal sends once and waits for the response", arguments: Word.allCases)
    func once(_ word: Word) async throws {
        let (client, stub) = client(#"{"code":0,"data":7}"#)
        let folder = try ScratchFolder()
        try await send(client.get("/a"), word, to: folder)
        #expect(stub.requests.count == 1)
    }

    @Test("an awaited terminal throws the error of the call", arguments: Word.allCases)
    func failure(_ word: Word) async throws {
        let (client, stub) = client(#"{"code":9,"msg":"closed"}"#, status: 500)
        let folder = try ScratchFolder()
        let error = await #expect(throws: APIError.self) { try await send(client.get("/a"), word, to: folder) }
        #expect(error?.code == 9 && error?.status == 500)
        #expect(stub.requests.count == 1)
    }

    @Test("an awaited terminal returns the value itself")
    func values() async throws {
        let body = #"{"code":0,"msg":"fine","data":7}"#
        let (client, _) = client(body)
        let folder = try ScratchFolder()
        let request = client.get("/a")
        #expect(try await request.data() == Data(body.utf8))
        #expect(try await request.string() == body)
        let response = try await request.response(as: Int.self)
        #expect(response.payload == 7 && response.message == "fine")
        let download = try await request.download(to: folder.file("a"))
        #expect(try Data(contentsOf: download.url) == Data(body.utf8))
    }

    @Test("cancelling the task cancels the call that it awaits", arguments: Word.allCases)
    func cancelling(_ word: Word) async throws {
        let began = Promise<Void>.pending()
        let client = Client(
            transport: ClosureTransport { _ in
                began.resolver.fulfill(())
                await untilCancelled()
                throw CancellationError()
            })
        client.defaultHost = "https://example.com"
        let folder = try ScratchFolder()
        let task = Task { try await send(client.get("/a"), word, to: folder) }
        try await began.promise.value
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("an awaited terminal throws the error of an endpoint unwrapped", arguments: Word.allCases)
    func ownError(_ word: Word) async throws {
        struct Refused: Error {}
        struct Refusing: Endpoint {
            typealias Response = JSON
            var path: Path { "/a" }
            func error(in reading: EnvelopeResult) -> (any Error)? { reading.code == 9 ? Refused() : nil }
        }
        let (client, _) = client(#"{"code":9}"#, status: 500)
        let folder = try ScratchFolder()
        await #expect(throws: Refused.self) { try await send(client.request(for: Refusing()).request, word, to: folder) }
    }

    @Test("a terminal returns a promise in a chain, and where the type is a promise")
    func promised() async throws {
        let (client, stub) = client(#"{"code":0,"data":7}"#)
        let request = client.get("/a")
        let later: Promise<Void> = request.execute(.void)
        let payload = request.execute(.response(as: Int.self)).map(\.payload)
        let whole = try await request.execute(.response(as: Int.self)).value
        #expect(whole.payload == 7)
        #expect(try await payload.value == 7)
        try await later.value
        #expect(stub.requests.count == 3)
    }
}
