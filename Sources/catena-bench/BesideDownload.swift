import Catena
import Foundation

/// Measures a download that is read and discarded, and small calls beside it. For comparison, curl makes the same download in a process of its own.
func besideGroup(_ effort: Effort) async throws {
    let megabytes = effort.isSmoke ? 50 : 1024
    let server = try BenchServer.start(
        files: ["/item": BenchServer.item], megabytes: megabytes)
    defer { server.stop() }
    print("  against \(server.name)")
    let transport = PlatformTransportUnderTest.make()
    let client = Client(transport: transport)
    client.configure("bench") { $0.host = server.url }
    let small = try await client.tag("bench").get("/item").preview()
    let large = try await client.tag("bench").get("/large").preview()
    let download: @Sendable () async throws -> Void = { for try await _ in try await transport.send(large).body {} }

    try await download()
    try await throughput(of: download, large.url.absoluteString, megabytes, effort)
    let (alone, own, curl) = (Latencies(), Latencies(), Latencies())
    for _ in 0..<effort.rounds {
        try await alone.add(small, transport) { $0 < effort.iterations(2_000) }
        try await own.add(small, transport, beside: download)
        if ExternalProgram("curl") != nil {
            try await curl.add(small, transport) { _ = try curlThroughput(large.url.absoluteString) }
        }
    }
    print("  small calls one after the other, 50th and 99th percentile; the parts of the latter")
    alone.show("alone")
    own.show("beside a download of the same client", comparedWith: alone)
    curl.show("beside a download of curl", comparedWith: alone)
}

private func throughput(
    of download: @escaping @Sendable () async throws -> Void, _ url: String, _ megabytes: Int, _ effort: Effort
) async throws {
    var (own, curl, work): ([Double], [Double], [Double]) = ([], [], [])
    let memory = residentMemory()
    for _ in 0..<effort.rounds {
        let (start, used) = (ContinuousClock.now, processorSeconds())
        try await download()
        own.append(Double(megabytes) / ((ContinuousClock.now - start) / .seconds(1)))
        work.append((processorSeconds() - used) / Double(megabytes) * 1e6)
        if let rate = try curlThroughput(url) { curl.append(rate / 1_048_576) }
    }
    print("  a download of \(megabytes) MB")
    print("    \(Int(median(own))) MB/s, \(Int(median(work))) us of processor time per MB")
    print("    resident memory grew by \((residentMemory() - memory) / 1024) KB")
    if !curl.isEmpty { print("    curl: \(Int(median(curl))) MB/s; the ratio is \(String(format: "%.2f", median(own) / median(curl)))") }
    let (start, used, width) = (ContinuousClock.now, processorSeconds(), 8)
    try await concurrently(width, width: width, download)
    let rate = Double(width * megabytes) / ((ContinuousClock.now - start) / .seconds(1))
    print("    \(width) at a time: \(Int(rate)) MB/s, \(Int((processorSeconds() - used) / Double(width * megabytes) * 1e6)) us per MB")
}

/// The times of small calls in microseconds.
private final class Latencies: Sendable {
    private struct Row {
        let total: Double
        let queue: Double
        let firstByte: Double
        let transfer: Double
    }

    private let rows = Mutex<[Row]>([])

    /// Makes small calls for as long as `goesOn` returns `true` for their number.
    func add(_ request: HTTPRequest, _ transport: any Transport, while goesOn: (Int) -> Bool) async throws {
        var count = 0
        while goesOn(count) {
            let start = ContinuousClock.now
            let response = try await transport.send(request)
            keep(try await response.body.collect(limit: 1_000_000))
            let total = (ContinuousClock.now - start) / .microseconds(1)
            let timings = response.timings ?? CallTimings()
            func part(_ time: Duration?) -> Double { (time ?? .zero) / .microseconds(1) }
            let row = Row(
                total: total, queue: part(timings.queue), firstByte: part(timings.firstByte), transfer: part(timings.transfer))
            rows.withLock { $0.append(row) }
            count += 1
        }
    }

    /// Makes small calls for as long as other work takes.
    func add(_ request: HTTPRequest, _ transport: any Transport, beside work: @escaping @Sendable () async throws -> Void) async throws {
        let isOver = Mutex(false)
        async let end: Void = {
            defer { isOver.withLock { $0 = true } }
            try await work()
        }()
        try await add(request, transport) { _ in !isOver.withLock { $0 } }
        try await end
    }

    private func row(at percent: Double) -> Row? {
        let sorted = rows.withLock { $0 }.sorted { $0.total < $1.total }
        return sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(Double(sorted.count) * percent / 100))]
    }

    func show(_ name: String, comparedWith other: Latencies? = nil) {
        guard let middle = row(at: 50), let high = row(at: 99) else { return }
        let ratio = other?.row(at: 99).map { String(format: ", %.2f x", high.total / $0.total) } ?? ""
        let rest = high.total - high.queue - high.firstByte - high.transfer
        print("    \(name.padding(toLength: 38, withPad: " ", startingAt: 0)) \(Int(middle.total)) us, \(Int(high.total)) us\(ratio)")
        print(
            "      queue \(Int(high.queue)), first byte \(Int(high.firstByte)), transfer \(Int(high.transfer)), rest \(Int(rest))")
    }
}
