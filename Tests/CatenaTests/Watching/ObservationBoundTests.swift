import CatenaTesting
import Dispatch
import Foundation
import Testing

@testable import Catena
@testable import CatenaArchive

@Suite("Bounds of logs, archives and observers", .limitedParallelism)
struct ObservationBoundTests {
    // A queue holds at most `ObservationQueue.defaultLimit`, which is 24 MiB. The tests allow 32 MiB.

    /// Makes bodies and counts those that are still in memory.
    private final class Bodies: Sendable {
        private let size: Int
        private let kept = AtomicCounter()

        init(size: Int) {
            self.size = size
        }

        var count: Int { kept.count }

        func make() throws -> Data {
            let bytes = try #require(calloc(size, 1))
            kept.add(1)
            return Data(
                bytesNoCopy: bytes, count: size,
                deallocator: .custom { [self] bytes, _ in
                    free(bytes)
                    kept.add(-1)
                })
        }
    }

    /// Responds without keeping the request.
    private struct Forgetful: Transport {
        func send(_ request: HTTPRequest) async throws -> TransportResponse { .status(200) }
    }

    /// Blocks each thread that passes until it is opened.
    private final class Barrier: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func pass() {
            semaphore.wait()
            semaphore.signal()
        }

        func open() { semaphore.signal() }
    }

    @Test("the entries that wait for a blocked log are bounded, and a line gives the number of dropped entries")
    func slowLog() async throws {
        let client = Client(transport: Forgetful())
        let bodies = Bodies(size: 5_000_000)
        let barrier = Barrier()
        let (lines, sink) = AsyncStream<String>.makeStream()
        let log = CallLogWriter(
            detail: .verbose,
            sink: LogSink { line in
                barrier.pass()
                sink.yield(line)
            })
        _ = client.add(CallObserver(isImmediate: true) { log.note($0) })
        let calls = 1800
        for _ in 0..<calls {
            try await client.host("https://forum.test").post("/a").body(try bodies.make(), contentType: "text/plain").execute(.void).value
            #expect(log.queue.waiting <= 32 * 1024 * 1024)
        }
        // The bodies that the log has taken are freed, except those that the last call may still hold.
        #expect(bodies.count * 5_000_000 <= 32 * 1024 * 1024, "\(bodies.count)")
        barrier.open()
        var (written, missing) = (0, 0)
        for await line in lines {
            if line.hasPrefix("("), let count = Int(line.dropFirst().prefix { $0.isNumber }) { missing += count } else { written += 1 }
            if written + missing == calls { break }
        }
        #expect(missing > 0 && written > 0)
    }

    @Test("the attempts that wait to be recorded are bounded, and the archive gives the number of dropped attempts")
    func slowRecorder() async throws {
        let client = Client(transport: Forgetful())
        let recorder = HARRecorder()
        client.record(into: recorder)
        let barrier = Barrier()
        recorder.queue.add { barrier.pass() }
        // A body with a content coding is stored, but not read for secrets, which would take long.
        let request = client.host("https://forum.test").post("/a").header("Content-Encoding", "gzip")
            .body(Data(count: 64 * 1024), contentType: "text/plain")
        let calls = 500
        var longest = 0
        for _ in 0..<calls {
            try await request.execute(.void).value
            longest = max(longest, recorder.queue.waiting)
        }
        #expect(longest <= 24 * 1024 * 1024)
        barrier.open()
        await client.waitUntilIdle()
        let log = try JSON(parsing: try await recorder.archive()).log
        let recorded = log.entries.array?.count ?? 0
        #expect((1..<calls).contains(recorded))
        #expect(log.comment.string == "\(calls - recorded) attempts are missing: too much was waiting to be recorded.")
    }

    @Test("an archive keeps the start of a long body and gives its length")
    func archive() async throws {
        let stub = ClosureTransport { _ in
            TransportResponse(
                status: 200, headers: ["Content-Type": "application/json"],
                body: TransportBody(Data(#"{"token":""#.utf8) + Data(repeating: UInt8(ascii: "x"), count: 1_000_000)))
        }
        let client = Client(transport: stub)
        let recorder = HARRecorder()
        client.record(into: recorder)
        _ = try await client.host("https://forum.test").post("/a")
            .body(Data(String(repeating: "é", count: 100_000).utf8), contentType: "text/plain").execute(.string).value
        let log = try JSON(parsing: try await recorder.archive()).log
        #expect(log.creator.version.string == API.version)
        let entry = log.entries[0]
        #expect(entry.response.content["text"].string == #"{"token":"***""#)
        #expect(entry.response.content.size.int == 1_000_010)
        #expect(entry.response.content.comment.string == "the start of 1000010 bytes")
        #expect(entry.request.bodySize.int == 200_000)
        #expect(entry.request.postData["text"].string?.utf8.count == 65_536)
        #expect(entry.request.postData.comment.string == "the start of 200000 bytes")
    }

    @Test("a blocked observer receives all events, some of them without bodies")
    func slowObserver() async throws {
        let client = Client(transport: Forgetful())
        let bodies = Bodies(size: 5_000_000)
        let barrier = Barrier()
        let (events, sink) = AsyncStream<CallEvent>.makeStream()
        client.observe { event in
            barrier.pass()
            sink.yield(event)
        }
        for _ in 0..<50 {
            try await client.host("https://forum.test").post("/a").body(try bodies.make(), contentType: "text/plain").execute(.void).value
            #expect(client.observation.waiting <= 32 * 1024 * 1024)
        }
        #expect(bodies.count * 5_000_000 <= 40 * 1024 * 1024, "\(bodies.count)")
        barrier.open()
        var (finished, whole, shortened) = (0, 0, 0)
        for await event in events {
            if event.leavesOutBodies { shortened += 1 } else { whole += 1 }
            #expect(event.request?.body == nil || !event.leavesOutBodies)
            if case .finished = event.kind { finished += 1 }
            if finished == 50 { break }
        }
        #expect(whole > 0 && shortened > 0)
    }

    @Test(
        "an observer receives the body of a single call in each of its events, whatever the size of the body",
        arguments: [13_000_000, 26_000_000])
    func largeBody(size: Int) async throws {
        let stub = ClosureTransport { _ in TransportResponse(status: 200, headers: [:], body: TransportBody(Data(count: size))) }
        let client = Client(transport: stub)
        let barrier = Barrier()
        let (events, sink) = AsyncStream<CallEvent>.makeStream()
        client.observe { event in
            barrier.pass()
            sink.yield(event)
        }
        #expect(try await client.host("https://forum.test").get("/a").execute(.data).value.count == size)
        barrier.open()
        var sizes: [Int] = []
        for await event in events {
            #expect(!event.leavesOutBodies)
            switch event.kind {
            case .answered(let response): sizes.append(response.body.count)
            case .finished(.success(let response)): sizes.append(response.body.count)
            default: continue
            }
            if sizes.count == 2 { break }
        }
        #expect(sizes == [size, size])
    }

    /// Documents for which a reader with quadratic work would not end in reasonable time.
    static let laborious: [(name: String, contentType: String?, unit: String)] = [
        ("separators", "text/plain", "a="), ("quotes", "text/plain", "\"=\""), ("names", "text/plain", "token: \n"),
        ("spaces", "text/plain", "digest "),
        ("slashes", "text/plain", "//a@"), ("backslashes", "text/plain", "token=\\\""), ("brackets", "application/json", "["),
        ("objects", "application/json", #"{"a":"#), ("keys", "application/json", #"{"token":{"#),
        ("strings", "application/json", #"["\"{\\\"","#),
        ("tags", "text/xml", "<a>"), ("ends", "text/xml", "<a></b>"), ("attributes", "text/xml", "<a b='"),
        ("comments", "text/xml", "<!--"),
        ("references", "text/xml", "<a>&#"), ("parts", "multipart/form-data; boundary=b", "--b\n"),
        ("heads", "multipart/form-data; boundary=b", "--b\nname=\"a\"\n\n--b "), ("events", "text/event-stream", "data: {\n"),
        ("pairs", "application/x-www-form-urlencoded", "a=%7B&"), ("blanks", "text/plain", "token:\n\n"), ("bytes", nil, "\u{0}token="),
    ]

    @Test("a curl command reads a long body once", arguments: laborious.indices)
    func linear(row: Int) async throws {
        let document = Self.laborious[row]
        let body = Data(String(repeating: document.unit, count: 200_000 / document.unit.utf8.count).utf8)
        let request = Client(transport: ClosureTransport { _ in .status(200) }).host("https://forum.test").post("/a")
            .body(body, contentType: document.contentType ?? "application/octet-stream")
        #expect(try await request.curl().contains("'https://forum.test/a'"))
    }
}
