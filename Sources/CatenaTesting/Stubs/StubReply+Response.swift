import Catena
import CatenaLoopback
import CatenaPlatform

extension StubReply {
    /// Longer than any time limit, so that a limit ends the call if it has one.
    fileprivate static let forever = Duration.seconds(1_000_000_000)

    /// Waits for the delay and the gate, and returns the response.
    func response(in context: StubContext) async throws -> TransportResponse {
        if let delay = faults.delay { try await context.clock.sleep(for: delay) }
        if let gate = faults.gate {
            await gate.pass()
            try Task.checkCancellation()
        }
        if case .silence = content {
            try await context.clock.sleep(for: Self.forever)
            throw APIError(.timeout, message: "The stub does not answer.")
        }
        return try started(in: context)
    }

    /// Returns the response, or `nil` if it or its body needs a wait.
    func immediateResponse(in context: StubContext) throws -> TransportResponse? {
        guard faults.delay ?? .zero <= .zero, faults.gate == nil, !changesBody else { return nil }
        return switch content {
        case .bytes, .made, .failure: try started(in: context)
        case .chunks, .repeated, .raw, .stream, .silence: nil
        }
    }

    /// Whether the body arrives in another way than at once and whole.
    private var changesBody: Bool {
        faults.pace != nil || faults.cut != nil || faults.contentLength != nil || !faults.stalls.isEmpty
    }

    private func started(in context: StubContext) throws -> TransportResponse {
        if faults.cut?.isInHead == true { throw APIError(.connectionLost, message: "The connection ended without a response.") }
        var response = TransportResponse(status: status, headers: headers, body: try body(in: context))
        response.source = .stub
        return response
    }

    private func body(in context: StubContext) throws -> TransportBody {
        switch content {
        case .failure(let error): throw error
        case .bytes(let bytes): return body(bytes, on: context.clock)
        case .made(let make): return body(try make(context), on: context.clock)
        case .chunks(let pieces, _):
            var (whole, ends) = (Data(), [Int]())
            for piece in pieces {
                whole.append(piece)
                ends.append(whole.count)
            }
            return body(whole, inPiecesTo: faults.pace == nil ? ends : [], on: context.clock)
        case .repeated(let bytes, let count): return TransportBody(RepeatedBody(bytes: bytes, count: count))
        case .raw, .stream, .silence:
            throw APIError(.unstubbed, message: "A stub has no connection for these bytes: use a LoopbackServer.")
        }
    }

    private func body(_ whole: Data, inPiecesTo ends: [Int] = [], on clock: any TimerClock) -> TransportBody {
        guard changesBody || !ends.isEmpty else { return TransportBody(whole) }
        let announced = faults.contentLength ?? whole.count
        let arriving = whole.prefix(min(announced, faults.cut?.position ?? .max))
        let isLost = announced > whole.count || faults.cut.map { $0.position < whole.count } ?? false
        return TransportBody(StubBody(bytes: Data(arriving), ends: ends, faults: faults, isLost: isLost, clock: clock))
    }
}

/// A body that arrives in pieces and may not arrive whole.
private struct StubBody: AsyncSequence, Sendable {
    typealias Element = Data

    let bytes: Data
    /// The positions at which a piece ends, in ascending order; the rest is one piece.
    let ends: [Int]
    let faults: StubFaults
    let isLost: Bool
    let clock: any TimerClock

    struct Iterator: AsyncIteratorProtocol {
        let body: StubBody
        var position = 0
        var isFirst = true
        var stalls: ArraySlice<StubFaults.Stall>

        mutating func next() async throws -> Data? {
            while let stall = stalls.first, stall.position <= position || body.bytes.count <= position {
                stalls.removeFirst()
                try await wait(at: stall)
            }
            guard position < body.bytes.count else {
                guard body.isLost else { return nil }
                throw APIError(.connectionLost, message: "The connection ended after \(position) bytes of the body.")
            }
            if !isFirst, let pace = body.faults.pace { try await body.clock.sleep(for: pace.interval) }
            let next =
                body.faults.pace.map { position + Swift.min($0.bytes, body.bytes.count) } ?? body.ends.first { $0 > position } ?? .max
            let end = Swift.min(next, body.bytes.count, stalls.first?.position ?? .max)
            isFirst = false
            defer { position = end }
            return body.bytes.subdata(in: position..<end)
        }

        private func wait(at stall: StubFaults.Stall) async throws {
            guard let gate = stall.gate else { return try await body.clock.sleep(for: StubReply.forever) }
            await gate.pass()
            try Task.checkCancellation()
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(body: self, stalls: faults.stalls.sorted { $0.position < $1.position }[...])
    }
}

/// Bytes that are repeated and not stored as a whole.
private struct RepeatedBody: AsyncSequence, Sendable {
    let bytes: Data
    let count: Int

    struct Iterator: AsyncIteratorProtocol {
        let bytes: Data
        var left: Int

        mutating func next() async -> Data? {
            guard left > 0 else { return nil }
            left -= 1
            return bytes
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes, left: count) }
}
