#if os(Linux) && canImport(Glibc)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Bodies that take turns with the other transfers of their loop.
@Suite(.limitedParallelism) struct CurlTurnTests {
    /// Pieces, the limit for each of them, and the pieces that begin another turn.
    static let rows: [(pieces: [Int], limits: [Int], turns: [Int])] = [
        ([16, 16, 16, 16, 16], [64, 64, 64, 64, 64], [4]),
        // A turn that is over begins again with the bytes that were refused.
        ([16, 16, 16, 16, 16], [32, 32, 32, 32, 32], [2, 4]),
        // Even if others wait, each turn includes a piece.
        ([16, 16, 16], [0, 0, 0], [1, 2]),
        ([100, 1], [64, 64], [1]),
        // The limit changes when another transfer begins.
        ([16, 16, 16, 16], [64, 64, 32, 32], [2]),
        ([.max, 1, .max], [.max, .max, .max], [1, 2]),
        ([0, 0, 0], [0, 0, 0], []),
    ]

    @Test("a turn begins with each round of the loop")
    func rounds() {
        var turn = CurlTurn()
        for round in 1...5 {
            let isTaken = turn.takes(60, atMost: 64, in: round)
            #expect(isTaken)
        }
    }

    @Test("a turn ends before the piece that exceeds its limit, and includes at least one", arguments: rows)
    func turns(pieces: [Int], limits: [Int], turns: [Int]) {
        var turn = CurlTurn()
        var begun: [Int] = []
        for (index, (piece, limit)) in zip(pieces, limits).enumerated() where !turn.takes(piece, atMost: limit, in: 1) {
            begun.append(index)
            let isTakenThen = turn.takes(piece, atMost: limit, in: 1)
            #expect(isTakenThen)
        }
        #expect(begun == turns)
    }

    /// The ways in which a server delimits a body.
    enum Form: CaseIterable {
        case length, chunks, largeChunks, close

        func response(_ body: Data) -> StubReply {
            switch self {
            case .length: .body(body)
            case .chunks: .chunked(body.pieces(of: 1000))
            case .largeChunks: .chunked(body.pieces(of: 300_000))
            case .close: .raw(Data("HTTP/1.1 200 OK\r\n\r\n".utf8) + body)
            }
        }
    }

    @Test(
        "bodies longer than many turns arrive whole, in order and in bounded pieces beside many small calls", .needsEngine,
        arguments: Form.allCases, [false, true])
    func beside(form: Form, isSecure: Bool) async throws {
        let server = try LoopbackServer(security: isSecure && Engine.offersTLS ? .tls : .plain)
        let body = Data((0..<750_000).flatMap { (number: UInt32) in withUnsafeBytes(of: number.bigEndian) { Array($0) } })
        server.get("/large") { _ in form.response(body) }
        server.get("/small") { _ in .json(text: "1") }
        var configuration = CurlConfiguration()
        configuration.certificateAuthorityFile = server.certificateAuthorityFile
        let client = Client(transport: try CurlTransport(configuration))
        client.defaultHost = server.url
        try await withThrowingTaskGroup { group in
            for isRead in [true, false, true, false] {
                group.addTask {
                    guard isRead else {
                        let whole = try await client.get("/large").data()
                        #expect(whole == body)
                        return
                    }
                    var received = Data()
                    for try await piece in client.get("/large").stream() {
                        #expect(piece.count < BodyPipe.capacity + CurlTurn.longest)
                        received += piece
                    }
                    #expect(received == body)
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<20 {
                        let value = try await client.get("/small").value(as: Int.self)
                        #expect(value == 1)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a stream that is stopped between turns leaves the client usable", .needsEngine)
    func stopped() async throws {
        let server = try LoopbackServer()
        server.get("/large") { _ in .repeated(Data(count: 1 << 20), count: 1000) }
        server.get("/small") { _ in .json(text: "1") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        for pieces in 1...20 {
            var left = pieces
            for try await _ in client.get("/large").stream() {
                left -= 1
                if left == 0 { break }
            }
            #expect(try await client.get("/small").value(as: Int.self) == 1)
        }
    }
}

extension Data {
    fileprivate func pieces(of size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
#endif
