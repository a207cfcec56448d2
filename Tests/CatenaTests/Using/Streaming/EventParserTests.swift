import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct EventParserTests {
    static func events(_ pieces: [Data], limit: Int = 1000) throws -> [ServerSentEvent] {
        var parser = EventParser(limit: limit)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            parser.append(piece)
            while let event = try parser.next() { events.append(event) }
        }
        return events
    }

    static func parser(after text: String) throws -> EventParser {
        var parser = EventParser(limit: 1000)
        parser.append(Data(text.utf8))
        while try parser.next() != nil {}
        return parser
    }

    /// The rules and examples of WHATWG HTML §9.2.6.
    @Test(
        "events are read as the WHATWG standard defines them, in one piece and cut anywhere",
        arguments: [
            ("data: 1\n\n", [ServerSentEvent(data: "1")]),
            ("data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n", ["1", "2", "3"].map { ServerSentEvent(data: $0) }),
            ("\u{FEFF}data: 1\n\n", [ServerSentEvent(data: "1")]),
            ("data\n\ndata\ndata\n\ndata:", [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")]),
            ("data:test\n\ndata: test\n\ndata:  test\n\n", ["test", "test", " test"].map { ServerSentEvent(data: $0) }),
            ("data: YHOO\ndata: +2\ndata: 10\n\n", [ServerSentEvent(data: "YHOO\n+2\n10")]),
            (": a comment\n\ndata: a: b\n\n", [ServerSentEvent(data: "a: b")]),
            (
                "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n",
                [
                    ServerSentEvent(event: "add", data: "73857293"), ServerSentEvent(event: "remove", data: "2153"),
                ]
            ),
            ("event: add\n\ndata: 1\n\n", [ServerSentEvent(data: "1")]),
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                [
                    ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event"),
                    ServerSentEvent(data: " third event"),
                ]
            ),
            ("id: 1\n\ndata: a\n\ndata: b\n\n", [ServerSentEvent(data: "a", id: "1"), ServerSentEvent(data: "b", id: "1")]),
            ("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", [ServerSentEvent(data: "a", id: "1"), ServerSentEvent(data: "b", id: "1")]),
            ("Data: 1\nDATA: 2\n data: 3\nunknown: 4\n\n", []),
            ("data: cut off\n", []), ("data: 1\n\ndata: cut off", [ServerSentEvent(data: "1")]), ("", []), ("\n\n\n", []),
            ("data: é€😀\n\n", [ServerSentEvent(data: "é€😀")]),
        ])
    func stream(text: String, events: [ServerSentEvent]) throws {
        let bytes = Data(text.utf8)
        #expect(try Self.events([bytes]) == events)
        #expect(try Self.events(bytes.map { Data([$0]) }) == events, "byte by byte")
        for cut in 0...bytes.count {
            #expect(try Self.events([bytes.prefix(cut), bytes.dropFirst(cut)]) == events, "cut after \(cut)")
        }
    }

    @Test("bytes that are not UTF-8 are replaced") func malformed() throws {
        #expect(try Self.events([Data([0x64, 0x61, 0x74, 0x61, 0x3A, 0xFF, 0x0A, 0x0A])]) == [ServerSentEvent(data: "\u{FFFD}")])
    }

    @Test(
        "a retry field counts only if its value consists of digits",
        arguments: [
            ("retry: 100\n", 100), ("retry:0\n", 0), ("retry: 100\nretry: 200\n", 200), ("retry: 1.5\n", nil), ("retry: -1\n", nil),
            ("retry: +1\n", nil), ("retry:  1\n", nil), ("retry\n", nil), ("retry: 99999999999999999999\n", nil), ("retry: ١\n", nil),
            ("retry: 100", nil),
        ] as [(String, Int?)])
    func retry(text: String, milliseconds: Int?) throws {
        #expect(try Self.parser(after: text).reconnectionTime == milliseconds.map { .milliseconds($0) })
    }

    @Test("an id takes effect once its event is complete, with or without data")
    func lastID() throws {
        #expect(try Self.parser(after: "id: 1\ndata: a\n\nid: 2\ndata: b\n").lastEventID == "1")
        #expect(try Self.parser(after: "id: 1\ndata: a\n\nid: 2\n\n").lastEventID == "2")
        #expect(try Self.parser(after: "id: 1\ndata: a\n\nid\n\n").lastEventID == "")
    }

    @Test("the next connection continues with the last id and the retry time, but without the unfinished event")
    func continuing() throws {
        var parser = EventParser(after: try Self.parser(after: "retry: 7\nid: 1\ndata: a\n\nid: 2\nevent: x\ndata: unfinished\n"))
        #expect(parser.reconnectionTime == .milliseconds(7))
        parser.append(Data("data: b\n\n".utf8))
        #expect(try parser.next() == ServerSentEvent(data: "b", id: "1"))
    }

    @Test("an event or a line over the limit is refused") func tooLong() throws {
        #expect(try Self.events([Data("data: 12345\n\n".utf8)], limit: 20).count == 1)
        #expect(throws: EventParser.TooLong.self) {
            try Self.events([Data(String(repeating: "data: 12345\n", count: 5).utf8)], limit: 20)
        }
        #expect(throws: LineSplitter.TooLong.self) { try Self.events([Data("data: 123456789012345678901".utf8)], limit: 20) }
    }
}
