import Foundation
import Synchronization

/// A part of a body whose bytes come from an asynchronous sequence.
final class BodyStream: Sendable, Equatable {
    let length: Int64?
    let isReplayable: Bool
    private let start: @Sendable () -> BodySource.Next
    private let isTaken = Atomic(false)

    init<Pieces: AsyncSequence & Sendable>(
        length: Int64?, isReplayable: Bool, _ make: @escaping @Sendable () -> Pieces
    ) where Pieces.Element == Data {
        self.length = length
        self.isReplayable = isReplayable
        start = {
            var iterator = make().makeAsyncIterator()
            return { try await iterator.next() }
        }
    }

    static func == (left: BodyStream, right: BodyStream) -> Bool { left === right }

    /// Begins a reading that ends with the stream and as announced, or throws.
    func open() throws -> BodySource.Next {
        guard !isTaken.exchange(true, ordering: .relaxed) || isReplayable else {
            throw APIError.requestBody("its stream can be read only once; give a closure that makes the stream to send it again")
        }
        let next = start()
        var count: Int64 = 0
        var isOver = false
        return { [length] in
            guard !isOver, let piece = try await next() else {
                isOver = true
                if let length, count < length { throw APIError.requestBody("its stream ended after \(count) of \(length) bytes") }
                return nil
            }
            count += Int64(piece.count)
            guard let length, count >= length else { return piece }
            // Nothing may follow what makes the body whole for the server.
            var isLonger = count > length
            while !isLonger, let excess = try await next() { isLonger = !excess.isEmpty }
            if isLonger { throw APIError.requestBody("its stream is longer than \(length) bytes") }
            isOver = true
            return piece
        }
    }
}
