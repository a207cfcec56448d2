import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Part files that downloads hold", .limitedParallelism)
struct HeldPartsTests {
    private let folder: ScratchFolder
    private let target: URL

    init() throws {
        folder = try ScratchFolder()
        target = folder.file("a")
    }

    @Test("a download continues that of a cancelled call whose task has not ended") func takenOver() async throws {
        let gate = Promise<Void>.pending()
        let client = Client(
            transport: ClosureTransport { request in
                guard request.headers["Range"] == nil else {
                    return .text("56789", status: 206, headers: ["Content-Range": "bytes 5-9/10"])
                }
                let body = HeldBody(piece: Data("01234".utf8), gate: Task { _ = await gate.promise.result })
                return TransportResponse(status: 200, headers: ["ETag": "\"1\"", "Content-Length": "10"], body: TransportBody(body))
            })
        let request = client.host("https://example.com").get("/file")
        let cancelled: Promise<Download> = request.execute(.download(to: target))
        try await folder.waits { $0.size(".a.part") >= 5 }
        cancelled.cancel()
        let download = try await request.download(to: target)
        gate.resolver.fulfill(())
        #expect(download.resumedFrom == 5)
        #expect(try Data(contentsOf: target) == Data("0123456789".utf8))
        #expect(folder.names == ["a"])
    }

    @Test("a file system without locks keeps no empty part file", arguments: [(ENOTSUP, []), (ENOLCK, []), (EWOULDBLOCK, ["a.part"])])
    func noLocks(code: Int32, names: [String]) throws {
        let opened = try FileSystem.openLocked(folder.file("a.part").path(), making: true) { _, _ in
            errno = code
            return -1
        }
        #expect(opened == nil)
        #expect(folder.names == names)
    }
}

/// A body of one piece whose end waits for a task, whatever is cancelled meanwhile.
private struct HeldBody: AsyncSequence, AsyncIteratorProtocol {
    var piece: Data?
    let gate: Task<Void, Never>

    func makeAsyncIterator() -> HeldBody { self }

    mutating func next() async -> Data? {
        guard let piece else {
            await gate.value
            return nil
        }
        self.piece = nil
        return piece
    }
}
