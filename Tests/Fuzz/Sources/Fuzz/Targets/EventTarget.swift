import Foundation

@testable import Catena

extension FuzzTarget {
    /// Events and lines. The result does not depend on how the bytes are split, and equals a simple implementation of WHATWG HTML §9.2.6.
    static let events = FuzzTarget(
        "events",
        seeds: [
            "\u{2}data: one\n\ndata: two\ndata: three\n\n", "\u{3}\u{FEFF}event: add\r\nid: 7\r\nretry: 1500\r\ndata:x\r\n\r\n",
            "\u{4}: a comment\rdata\r\rid\rdata: \rdata:  two spaces\r\r", "\u{5}id: a\u{0}b\nretry: 99999999999999999999\ndata: cut",
            "\u{6}event\ndata: é\n\nevent: x\n\ndata: y\r\n\n",
        ],
        stepsPerByte: 4000
    ) { input in
        var input = FuzzInput(input)
        let seed = input.byte()
        let bytes = input.bytes
        let whole = events(bytes, cut: 0, limit: 1 << 20)
        expect(!whole.isTooLong && whole.events == plainEvents(bytes), "\(whole.events) instead of \(plainEvents(bytes))")
        for limit in [1 << 20, 64] {
            let whole = events(bytes, cut: 0, limit: limit)
            expect(whole.events.allSatisfy { $0.data.utf8.count <= 3 * limit && $0.id.utf8.count <= 3 * EventParser.longestID }, "too long")
            for cut in [1, max(seed, 2)] {
                let other = events(bytes, cut: cut, limit: limit)
                expect(other == whole, "cut \(cut), limit \(limit): \(other) instead of \(whole)")
            }
        }
        let lines = lines(bytes, cut: 0)
        expect(lines == Self.lines(bytes, cut: 1) && lines == Self.lines(bytes, cut: max(seed, 2)), "lines differ by how they are cut")
        expect(lines == plainLines(bytes, withRest: true), "\(lines)")
    }

    private struct Heard: Equatable {
        var events: [ServerSentEvent] = []
        var isTooLong = false
        var id = ""
        var wait: Duration?
    }

    private static func events(_ bytes: [UInt8], cut: UInt8, limit: Int) -> Heard {
        var parser = EventParser(limit: limit)
        var heard = Heard()
        do {
            for piece in pieces(bytes, seed: cut) {
                parser.append(piece)
                while let event = try parser.next() { heard.events.append(event) }
            }
        } catch {
            heard.isTooLong = true
        }
        heard.id = parser.lastEventID
        heard.wait = parser.reconnectionTime
        return heard
    }

    private static func lines(_ bytes: [UInt8], cut: UInt8) -> [[UInt8]] {
        var splitter = LineSplitter(limit: 1 << 20)
        var lines: [[UInt8]] = []
        do {
            for piece in pieces(bytes, seed: cut) {
                splitter.append(piece)
                while let line = try splitter.next({ Array($0) }) { lines.append(line) }
            }
            if let line = splitter.last({ Array($0) }) { lines.append(line) }
        } catch {
            expect(false, "\(error)")
        }
        return lines
    }

    /// Returns the terminated lines and, if wanted, the rest.
    private static func plainLines(_ bytes: [UInt8], withRest: Bool) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        var former: UInt8 = 0
        for byte in bytes {
            if byte == 0x0A && former == 0x0D {
                // It belongs to the end of the previous line.
            } else if byte == 0x0A || byte == 0x0D {
                lines.append(line)
                line = []
            } else {
                line.append(byte)
            }
            former = byte
        }
        if withRest, !line.isEmpty { lines.append(line) }
        if lines.first?.starts(with: [0xEF, 0xBB, 0xBF]) == true { lines[0].removeFirst(3) }
        return lines
    }

    private static func plainEvents(_ bytes: [UInt8]) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var (data, type, id): ([UInt8], String, String) = ([], "", "")
        for line in plainLines(bytes, withRest: false) {
            if line.isEmpty {
                if !data.isEmpty {
                    let text = String(decoding: data.dropLast(), as: UTF8.self)
                    events.append(ServerSentEvent(event: type.isEmpty ? "message" : type, data: text, id: id))
                }
                (data, type) = ([], "")
                continue
            }
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            var value = line[name.endIndex...].dropFirst()
            if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
            switch String(decoding: name, as: UTF8.self) {
            case "data": data += value + [0x0A]
            case "event": type = String(decoding: value, as: UTF8.self)
            case "id" where !value.contains(0) && value.count <= EventParser.longestID: id = String(decoding: value, as: UTF8.self)
            default: break
            }
        }
        return events
    }
}
