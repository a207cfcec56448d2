#if os(Linux)
import Catena
import CatenaTesting
import Foundation
import Testing

/// Short bodies that unpack to very long ones, over the engine, which unpacks them no faster than their reader reads.
@Suite(.needsEngine, .limitedParallelism) struct CompressedStreamTests {
    /// The largest number of bytes that a reader may receive at a time.
    static let longestPiece = 2 * 1024 * 1024

    static func client(of server: LoopbackServer) throws -> Client {
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        return client
    }

    static func server(_ bomb: CompressionBomb, status: Int = 200, size: Int = 64 * 1024 * 1024) throws -> (LoopbackServer, size: Int) {
        let (body, size) = bomb.body(unpackingTo: size)
        let server = try LoopbackServer()
        server.get("/bomb") { _ in
            .body(body, status: status, contentType: "text/event-stream").header("Content-Encoding", bomb.coding)
        }
        server.get("/fine") { _ in .json(text: "1") }
        return (server, size)
    }

    @Test("a reader receives the whole unpacked body, in pieces of bounded length", arguments: CompressionBomb.allCases)
    func pieces(bomb: CompressionBomb) async throws {
        let (server, size) = try Self.server(bomb)
        var received = 0
        var longest = 0
        for try await piece in try Self.client(of: server).get("/bomb").stream() {
            received += piece.count
            longest = max(longest, piece.count)
            guard longest <= Self.longestPiece else { break }
        }
        #expect(longest <= Self.longestPiece)
        #expect(received == size)
    }

    @Test("a compressed body with a wrong checksum fails once its reader has caught up", arguments: 0..<5)
    func malformed(round: Int) async throws {
        // The checksum is wrong, because `CompressionBomb` has none for this length.
        let (body, _) = CompressionBomb.gzip.body(unpackingTo: 32 * 1024 * 1024)
        let server = try LoopbackServer()
        server.get("/bomb") { _ in .body(body).header("Content-Encoding", "gzip") }
        let error = await #expect(throws: APIError.self) {
            for try await _ in try Self.client(of: server).get("/bomb").stream() {}
        }
        #expect(error?.kind == .decompression)
    }

    @Test("a reader that stops also stops the unpacking, and the client can be used further", arguments: CompressionBomb.allCases)
    func stopped(bomb: CompressionBomb) async throws {
        let (server, _) = try Self.server(bomb)
        let client = try Self.client(of: server)
        for try await piece in client.get("/bomb").stream() {
            #expect(piece.count <= Self.longestPiece)
            break
        }
        #expect(try await client.get("/fine").value(as: Int.self) == 1)
    }

    @Test("a line or an event that unpacks to more than the limit fails the call", arguments: CompressionBomb.allCases)
    func lines(bomb: CompressionBomb) async throws {
        let (server, _) = try Self.server(bomb)
        let client = try Self.client(of: server)
        let line = await #expect(throws: APIError.self) { for try await _ in client.get("/bomb").lines() {} }
        #expect(line?.kind == .bodyTooLarge)
        let event = await #expect(throws: APIError.self) { for try await _ in client.get("/bomb").events() {} }
        #expect(event?.kind == .bodyTooLarge)
    }

    @Test("the body of an error status is read no further than 8 MB, whatever the limit of bodies is", arguments: CompressionBomb.allCases)
    func errorStatus(bomb: CompressionBomb) async throws {
        let (server, _) = try Self.server(bomb, status: 500)
        let client = try Self.client(of: server)
        let calls: [@Sendable () async throws -> Void] = [
            { try await client.get("/bomb").execute(.void).value },
            { for try await _ in client.get("/bomb").stream() {} },
            { for try await _ in client.get("/bomb").events() {} },
            {
                _ = try await client.get("/bomb").execute(.download(to: FileManager.default.temporaryDirectory.appending(path: "unused")))
                    .value
            },
        ]
        for call in calls {
            let error = await #expect(throws: APIError.self) { try await call() }
            #expect(error?.kind == .bodyTooLarge)
            #expect(error?.status == 500)
            #expect(error?.message.contains("8388608 bytes") == true)
        }
    }

    @Test("a fault at the end of a compressed body is reported after the bytes before it", arguments: [CompressionBomb.gzip, .zstd])
    func cut(bomb: CompressionBomb) async throws {
        let (body, size) = bomb.body(unpackingTo: 64 * 1024 * 1024)
        let server = try LoopbackServer()
        server.get("/cut") { _ in .body(body.dropLast(bomb == .gzip ? 9 : 4)).header("Content-Encoding", bomb.coding) }
        let client = try Self.client(of: server)
        var received = 0
        let error = await #expect(throws: APIError.self) {
            for try await piece in client.get("/cut").stream() { received += piece.count }
        }
        #expect(error?.kind == .decompression)
        #expect(received >= size - 128 * 1024)
    }

    // MARK: On demand

    @Test(
        "a body of 2 MB that unpacks to 2 GB takes at most 32 MB of memory",
        .enabled(if: ProcessInfo.processInfo.environment["CATENA_MEMORY"] != nil),
        arguments: CompressionBomb.allCases)
    func memory(bomb: CompressionBomb) async throws {
        let (server, _) = try Self.server(bomb, size: 2 << 30)
        let (failing, _) = try Self.server(bomb, status: 500, size: 2 << 30)
        let client = try Self.client(of: server)
        let folder = try ScratchFolder()
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("stream", { for try await _ in client.get("/bomb").stream() {} }),
            ("lines", { for try await _ in client.get("/bomb").lines() {} }),
            ("events", { for try await _ in client.get("/bomb").events() {} }),
            ("download", { _ = try await client.get("/bomb").execute(.download(to: folder.file("a"))).value }),
            ("status of a call", { try await client.host(failing.url).get("/bomb").execute(.void).value }),
            ("status of a stream", { for try await _ in client.host(failing.url).get("/bomb").stream() {} }),
        ]
        for (name, call) in calls {
            // Memory that was freed before would hide the growth.
            Self.trim()
            try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
            let start = try Self.kilobytes("VmRSS")
            _ = try? await call()
            let growth = try Self.kilobytes("VmHWM") - start
            print("\(bomb), \(name): \(growth) KB")
            #expect(growth <= 32 * 1024, "\(name)")
        }
    }

    /// Returns freed memory to the system.
    private static func trim() {
        typealias Trim = @convention(c) (Int) -> Int32
        if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
    }

    private static func kilobytes(_ key: String) throws -> Int {
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(key) })
        return try #require(line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first)
    }
}
#endif
