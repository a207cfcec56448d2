import Foundation

/// A small server of HTTP/2 without TLS (RFC 9113 §3.3).
///
/// It allows no table of headers, and does not decode them: a value that is longer in Huffman's code, such as one with many tildes, is sent as it is.
final class PlainHTTP2Server: Sendable {
    private let listener: Listener

    var url: String { "http://127.0.0.1:\(listener.port)" }

    /// - Parameter respond: Returns the JSON for a request, which has the bytes of its header block as Latin-1.
    init(_ respond: @escaping @Sendable (_ head: String) -> String) throws {
        listener = try Listener { connection in
            var input: [UInt8] = []
            func fill(_ count: Int) -> Bool {
                while input.count < count {
                    guard let bytes = connection.receive() else { return false }
                    input += bytes
                }
                return true
            }
            // The preface of the client.
            guard fill(24) else { return }
            input.removeFirst(24)
            // SETTINGS_HEADER_TABLE_SIZE is 0.
            connection.send(Self.frame(4, 0, 0, [0, 1, 0, 0, 0, 0]))
            var heads: [Int: String] = [:]
            while fill(9) {
                let length = Int(input[0]) << 16 | Int(input[1]) << 8 | Int(input[2])
                let (kind, flags) = (input[3], input[4])
                let stream = Int(input[5] & 0x7F) << 24 | Int(input[6]) << 16 | Int(input[7]) << 8 | Int(input[8])
                guard fill(9 + length) else { return }
                let payload = input[9..<(9 + length)]
                switch kind {
                case 1, 9: heads[stream, default: ""] += String(String.UnicodeScalarView(payload.map { Unicode.Scalar($0) }))
                case 4 where flags & 1 == 0: connection.send(Self.frame(4, 1, 0))
                case 6 where flags & 1 == 0: connection.send(Self.frame(6, 1, 0, Array(payload)))
                case 7: return
                default: break
                }
                input.removeFirst(9 + length)
                guard kind <= 1, flags & 1 != 0, let head = heads.removeValue(forKey: stream) else { continue }
                // :status 200 is entry 8 of the static table, and content-type entry 31 (RFC 7541 appendix A).
                let type = Array("application/json".utf8)
                connection.send(Self.frame(1, 4, stream, [0x88, 0x0F, 16, UInt8(type.count)] + type))
                connection.send(Self.frame(0, 1, stream, Array(respond(head).utf8)))
            }
        }
    }

    private static func frame(_ kind: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8] = []) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }
        return number(payload.count, 3) + [kind, flags] + number(stream, 4) + payload
    }

    func stop() { listener.stop() }
}
