import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Upload pump", .limitedParallelism)
struct UploadPumpTests {
    private struct Broken: Error {}

    /// Counts the pieces that the reader requests.
    private final class Counter: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private static let size = 100_000

    /// Returns a stream of pieces, and the counter of the requested ones.
    private static func source(_ pieces: Int, failing: Bool = false) -> (BodySource, Counter) {
        let counter = Counter()
        let source = BodySource(stream: {
            AsyncThrowingStream<Data, any Error> {
                let number = counter.next()
                if number <= pieces { return Data(repeating: UInt8(truncatingIfNeeded: number), count: size) }
                if failing { throw Broken() }
                return nil
            }
        })
        return (source, counter)
    }

    @Test("the pump delivers all bytes in order, and reads ahead by a bounded number of bytes")
    func whole() async {
        let (source, counter) = Self.source(100)
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
        let pump = UploadPump(source, onBytes: { wake.yield() }, onFailure: { Issue.record("\($0)") })
        pump.start()
        var taken = Data()
        var awaken = wakes.makeAsyncIterator()
        var isOver = false
        while !isOver {
            switch pump.take(awaiting: true) {
            case .pieces(let pieces): for piece in pieces { taken.append(piece) }
            case .wait: _ = await awaken.next()
            case .end: isOver = true
            }
            #expect(counter.value * Self.size - taken.count <= UploadBuffer.room + 2 * Self.size)
        }
        var expected = Data()
        for number in 1...100 { expected.append(Data(repeating: UInt8(number), count: Self.size)) }
        #expect(taken == expected)
        pump.stop()
    }

    @Test("a failure is reported once, the bytes before it can still be taken, and no end follows")
    func failing() async {
        let (source, _) = Self.source(1, failing: true)
        let (failures, failure) = AsyncStream.makeStream(of: String.self)
        let pump = UploadPump(source, onBytes: {}, onFailure: { failure.yield("\(($0 as? APIError)?.underlying is Broken)") })
        pump.start()
        var told = failures.makeAsyncIterator()
        #expect(await told.next() == "true")
        #expect(pump.take(awaiting: true) == .pieces([Data(repeating: 1, count: Self.size)]))
        #expect(pump.take(awaiting: true) == .wait)
        pump.stop()
    }

    @Test("stopping the pump ends its reading, whether it waits for room or for the stream", arguments: [false, true])
    func stopping(isWaitingForStream: Bool) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let source = BodySource(stream: {
            let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
            continuation.onTermination = { _ in end.finish() }
            for _ in 0..<(isWaitingForStream ? 0 : 10) { continuation.yield(Data(count: Self.size)) }
            begin.finish()
            return stream
        })
        let pump = UploadPump(source, onBytes: { Issue.record("awake") }, onFailure: { Issue.record("\($0)") })
        pump.start()
        for await _ in begins {}
        pump.stop()
        for await _ in ends {}
        #expect(pump.take(awaiting: true) == .wait)
    }
}
