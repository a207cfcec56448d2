import Catena
import CatenaTesting
import Foundation

/// Measures the upload of a large multipart form whose file is read while it is sent, and the same with `curl` if it is installed.
func uploadGroup(_ effort: Effort) async throws {
    var limits = LoopbackServer.Limits()
    limits.bodyBytes = .max
    limits.recordedBodyBytes = 0
    limits.recordedRequests = 10
    let server = try LoopbackServer(limits: limits)
    defer { server.stop() }
    server.post("/upload") { .json(text: "\($0.bodyLength)") }

    let megabytes = effort.isSmoke ? 32 : 1024
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("catena-bench-\(UUID()).bin")
    try writeFile(file, megabytes: megabytes)
    defer { try? FileManager.default.removeItem(at: file) }

    let client = Client(transport: PlatformTransportUnderTest.make())
    client.defaultHost = server.url
    let request = client.post("/upload").timeout(.seconds(600)).multipart { form in
        form.field("name", "value")
        form.file(file, name: "file")
    }
    // The first upload fills pools and the page cache.
    let length = try await request.value(as: Int.self)
    var catena: [Double] = []
    var curl: [Double] = []
    let memory = residentMemory()
    var peak = memory
    for _ in 0..<(effort.isSmoke ? 1 : 5) {
        let watch = Task {
            var peak = 0
            while !Task.isCancelled {
                peak = max(peak, residentMemory())
                try? await Task.sleep(for: .milliseconds(5))
            }
            return peak
        }
        catena.append(
            try await megabytesPerSecond(megabytes) {
                guard try await request.value(as: Int.self) == length else { throw UploadMismatch() }
            })
        watch.cancel()
        peak = max(peak, await watch.value)
        if let rate = try await curlRate(file, to: server.url + "/upload", megabytes: megabytes) { curl.append(rate) }
    }
    print("  \(megabytes) MB in a multipart form")
    print("    Catena                 \(Int(median(catena))) MB/s, resident memory grew by \((peak - memory) / 1024) KB")
    if curl.isEmpty {
        print("    curl                   is not installed")
    } else {
        let ratio = median(catena) / median(curl)
        print("    curl                   \(Int(median(curl))) MB/s, Catena at \(String(format: "%.2f", ratio)) of it")
    }
}

private struct UploadMismatch: Error {}

private func writeFile(_ url: URL, megabytes: Int) throws {
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
    let handle = try FileHandle(forWritingTo: url)
    defer { try? handle.close() }
    let megabyte = Data(repeating: 7, count: 1024 * 1024)
    for _ in 0..<megabytes { try handle.write(contentsOf: megabyte) }
}

private func megabytesPerSecond(_ megabytes: Int, _ body: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    try await body()
    return Double(megabytes) / ((ContinuousClock.now - start) / .seconds(1))
}

/// Returns the rate of the upload with `curl`, including its start, or `nil` if it is not installed.
private func curlRate(_ file: URL, to address: String, megabytes: Int) async throws -> Double? {
    guard let curl = ExternalProgram("curl") else { return nil }
    return try await megabytesPerSecond(megabytes) {
        try curl.run(["-s", "-o", "/dev/null", "-H", "Expect:", "-F", "name=value", "-F", "file=@\(file.path)", address])
    }
}
