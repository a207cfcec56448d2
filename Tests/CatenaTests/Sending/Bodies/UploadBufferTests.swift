import Foundation
import Testing

@testable import Catena

@Suite("Upload buffer", .limitedParallelism)
struct UploadBufferTests {
    @Test("the buffer returns all its bytes at once, and then the end")
    func order() {
        var buffer = UploadBuffer()
        let large = Data(repeating: 1, count: 20_000)
        let wakes = [buffer.put(large), buffer.put(Data("a".utf8)), buffer.put(Data("b".utf8)), buffer.put(Data())]
        #expect(!wakes.contains(true))
        #expect(buffer.count == 20_002)
        #expect(buffer.taken == 0)
        var taken = buffer.take(awaiting: true)
        #expect(taken == .pieces([large, Data("ab".utf8)]))
        #expect(buffer.taken == 20_002)
        let wakesAtEnd = buffer.finish()
        #expect(!wakesAtEnd)
        taken = buffer.take(awaiting: true)
        #expect(taken == .end)
    }

    @Test("a waiting transport is woken once, by the next bytes or by the end", arguments: [false, true])
    func waiting(byTheEnd: Bool) {
        var buffer = UploadBuffer()
        let taken = buffer.take(awaiting: true)
        #expect(taken == .wait)
        let wakes = byTheEnd ? buffer.finish() : buffer.put(Data([1]))
        #expect(wakes)
        let wakesAgain = [buffer.put(Data([2])), buffer.finish()]
        #expect(!wakesAgain.contains(true))
    }

    @Test("a transport that does not wait is not woken")
    func looking() {
        var buffer = UploadBuffer()
        let taken = buffer.take(awaiting: false)
        #expect(taken == .wait)
        let wakes = buffer.put(Data([1]))
        #expect(!wakes)
    }

    @Test("a buffer is full at its bound, and a closed one takes no bytes and wakes no transport")
    func bounds() {
        var buffer = UploadBuffer()
        _ = buffer.put(Data(count: UploadBuffer.room - 1))
        #expect(!buffer.isFull)
        _ = buffer.put(Data([1]))
        #expect(buffer.isFull)
        _ = buffer.take(awaiting: false)
        #expect(!buffer.isFull)
        let taken = buffer.take(awaiting: true)
        #expect(taken == .wait)
        buffer.close()
        _ = buffer.take(awaiting: true)
        let wakes = [buffer.put(Data([1])), buffer.finish()]
        #expect(!wakes.contains(true))
        // A cancelled reading ends too, and the server must not take that for the end of the body.
        let takenAtLast = buffer.take(awaiting: false)
        #expect(takenAtLast == .wait)
    }
}
