import Catena
import CatenaTesting
import Foundation

/// Measures the download of a large file compared with curl, and the parsing of text into lines and events.
func streamsGroup(_ effort: Effort) async throws {
    try await downloadMeasurement(effort)
    try await textMeasurement(effort)
}

private let megabyte = 1024 * 1024

private func downloadMeasurement(_ effort: Effort) async throws {
    let megabytes = effort.isSmoke ? 32 : 1024
    let server = try LoopbackServer()
    defer { server.stop() }
    server.get("/file") { _ in .repeated(Data(repeating: 7, count: megabyte), count: megabytes) }
    let client = Client()
    client.defaultHost = server.url
    let folder = FileManager.default.temporaryDirectory.appending(path: "catena-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "file")

    // The first download fills pools and buffers.
    _ = try await client.get("/file").execute(.download(to: file)).value
    let memory = residentMemory()
    var highest = memory
    var (own, hashed, other) = ([Double](), [Double](), [Double]())
    for _ in 0..<(effort.isSmoke ? 1 : 3) {
        let watch = Task.detached {
            var highest = 0
            while !Task.isCancelled {
                highest = max(highest, residentMemory())
                try? await Task.sleep(for: .milliseconds(20))
            }
            return highest
        }
        own.append(try await rate(megabytes) { _ = try await client.get("/file").execute(.download(to: file)).value })
        watch.cancel()
        highest = max(highest, await watch.value)
        other.append(try await rate(megabytes) { try runCurl(server.url + "/file", to: file.path) })
    }
    hashed.append(
        try await rate(megabytes) {
            // The digest does not match. The measurement ends when the mismatch is known.
            _ = try? await client.get("/file").execute(.download(to: file, sha256: String(repeating: "0", count: 64))).value
        })
    print("  \(megabytes) MB to a file")
    print("    download(to:)                    \(Int(median(own))) MB/s")
    if median(other).isFinite {
        print(
            "    curl -o                          \(Int(median(other))) MB/s   \(String(format: "%.2f", median(own) / median(other))) of it"
        )
    }
    print("    download(to:sha256:)             \(Int(median(hashed))) MB/s")
    print("    resident memory grew by          \((highest - memory) / 1024) KB at most")
}

private func rate(_ megabytes: Int, _ work: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    do {
        try await work()
    } catch is CurlIsMissing {
        return .infinity
    }
    return Double(megabytes) / ((ContinuousClock.now - start) / .seconds(1))
}

private struct CurlIsMissing: Error {}

private func runCurl(_ url: String, to path: String) throws {
    guard let curl = ExternalProgram("curl") else { throw CurlIsMissing() }
    try curl.run(["-s", "-o", path, url])
}

/// Reads text from memory and without a network, so that only the parsing is measured.
private func textMeasurement(_ effort: Effort) async throws {
    let word = String(repeating: "0123456789", count: 10)
    let megabytes = effort.isSmoke ? 4 : 256
    print("  \(megabytes) MB of text in pieces of 64 KB")
    for (name, text, read) in [
        ("events(), 100 bytes of data each", "data: \(word)\n\n", readEvents),
        ("events(), with name and id", "event: add\nid: 1234\ndata: \(word)\n\n", readEvents),
        ("lines(), 100 bytes each", "\(word)\n", readLines),
    ] {
        let piece = Data(String(repeating: text, count: 65536 / text.utf8.count).utf8)
        let client = Client(transport: Repeated(piece: piece, count: megabytes * megabyte / piece.count))
        var rates: [Double] = []
        for _ in 0..<effort.rounds { rates.append(try await rate(megabytes) { try await read(client.absoluteURL("https://example.com")) }) }
        print("    \(name.padding(toLength: 34, withPad: " ", startingAt: 0))\(Int(median(rates))) MB/s")
    }
}

private func readEvents(_ request: Request) async throws {
    var count = 0
    for try await event in request.events(reconnecting: .never) { count += event.data.utf8.count }
    keep(count)
}

private func readLines(_ request: Request) async throws {
    var count = 0
    for try await line in request.lines() { count += line.utf8.count }
    keep(count)
}

/// Responds with one piece repeatedly.
private struct Repeated: Transport {
    let piece: Data
    let count: Int

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        let pieces = Pieces(piece: piece, count: count)
        return TransportResponse(status: 200, headers: ["Content-Type": "text/event-stream"], body: TransportBody(pieces))
    }

    struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let piece: Data
        var count: Int

        mutating func next() async -> Data? {
            count -= 1
            return count >= 0 ? piece : nil
        }

        func makeAsyncIterator() -> Pieces { self }
    }
}
