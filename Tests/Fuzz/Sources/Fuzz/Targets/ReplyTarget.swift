#if os(Linux)
import Foundation

extension FuzzTarget {
    /// Replies of a Redis. They do not depend on the cuts, have no more elements and bytes than allowed, and are equal if written and read again.
    static let replies = FuzzTarget(
        "replies",
        seeds: [
            "\u{0}\u{2}*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n*2\r\n$1\r\nA\r\n$-1\r\n", "\u{1}\u{3}+OK\r\n:1\r\n-ERR no\r\n$0\r\n\r\n",
            "\u{2}\u{1}*0\r\n*-1\r\n",
            "\u{3}\u{2}$5\r\na\r\nb\0\r\n:-9223372036854775808\r\n", "\u{4}\u{2}*1\r\n*1\r\n:1\r\n", "\u{5}\u{2}$99999999999999999999\r\nx",
            "\u{6}\u{2}*3\r\n+a\r\n",
        ],
        stepsPerByte: 400
    ) { input in
        var input = FuzzInput(input)
        let seed = input.byte()
        let most = 2 + Int(input.byte() % 4)
        let whole = read([Data(input.bytes)], most)
        expect(read(pieces(input.bytes, seed: seed), most) == whole, "the replies depend on the cuts")
        let written = whole.replies.flatMap { bytes(of: $0) }
        expect(written.count <= 4 * input.bytes.count + 32, "\(written.count) bytes of \(input.bytes.count)")
        let again = read([Data(written)], most)
        expect(again.replies == whole.replies && !again.isBroken && again.isEmpty, "\(whole.replies) are read again as \(again.replies)")
        for case .array(let elements) in whole.replies {
            expect(elements.count <= most, "\(elements.count) elements")
            expect(!elements.contains { if case .array = $0 { true } else { false } }, "an array in an array")
        }
    }

    private struct Reading: Equatable {
        var replies: [RedisReply] = []
        var isBroken = false
        var isEmpty = false
    }

    private static func read(_ pieces: [Data], _ most: Int) -> Reading {
        var reader = RedisReplyReader(mostElements: most)
        var reading = Reading()
        do {
            for piece in pieces {
                reader.append(piece)
                while let reply = try reader.next() { reading.replies.append(reply) }
            }
            reading.isEmpty = reader.isEmpty
        } catch {
            reading.isBroken = true
        }
        return reading
    }

    private static func bytes(of reply: RedisReply) -> [UInt8] {
        switch reply {
        case .nothing: Array("$-1\r\n".utf8)
        case .number(let number): Array(":\(number)\r\n".utf8)
        case .data(let data): Array("$\(data.count)\r\n".utf8) + data + Array("\r\n".utf8)
        case .text(let text): Array("+\(text)\r\n".utf8)
        case .error(let text): Array("-\(text)\r\n".utf8)
        case .array(let elements): Array("*\(elements.count)\r\n".utf8) + elements.flatMap { bytes(of: $0) }
        }
    }
}
#endif
