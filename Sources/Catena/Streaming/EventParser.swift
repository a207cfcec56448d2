import Foundation

/// Reads server-sent events from bytes that arrive in pieces (WHATWG HTML §9.2.6). Pure.
struct EventParser {
    private var splitter: LineSplitter
    private var fields: EventFields

    init(limit: Int) {
        splitter = LineSplitter(limit: limit)
        fields = EventFields(limit: limit)
    }

    /// For the next connection of the same events: what the last one left unfinished is no event, but its id and its reconnection time
    /// hold.
    init(after former: EventParser) {
        self.init(limit: former.fields.limit)
        fields.continue(former.fields)
    }

    /// In bytes: the longest id that is taken; one that is longer is ignored, as one with a NUL is. It goes back as a header, and servers refuse
    /// heads of 8 KB and more.
    static let longestID = 4096

    /// What an event is called to which the server gives no name.
    static let usualType = "message"

    /// The id to name when connecting again.
    var lastEventID: String { fields.lastEventID }

    /// How long the server wants its clients to wait before they connect again; `nil` if it does not say.
    var reconnectionTime: Duration? { fields.reconnectionTime }

    /// Takes more bytes. Only when ``next()`` has given all events of those before.
    mutating func append(_ piece: Data) {
        splitter.append(piece)
    }

    /// The next event; `nil` if more bytes are needed. An event that the end of the body cuts off is none.
    mutating func next() throws -> ServerSentEvent? {
        try Self.next(&splitter, &fields)
    }

    /// What the end of the body has cut off, as if an empty line stood behind it.
    var unfinishedEvent: ServerSentEvent? {
        var rest = self
        rest.append(Data("\n\n".utf8))
        return try? rest.next()
    }

    private static func next(_ splitter: inout LineSplitter, _ fields: inout EventFields) throws -> ServerSentEvent? {
        while let event = try splitter.next({ line in try fields.read(line) }) {
            if let event { return event }
        }
        return nil
    }
}

/// What has been read of the next event.
private struct EventFields {
    /// An event has more bytes than allowed.
    typealias TooLong = EventParser.TooLong

    let limit: Int
    private(set) var lastEventID = ""
    private(set) var reconnectionTime: Duration?
    /// What becomes the last id when the event is complete.
    private var id = ""
    private var type = ""
    /// The lines, each with a line feed.
    private var data: [UInt8] = []

    init(limit: Int) {
        self.limit = limit
    }

    mutating func `continue`(_ former: EventFields) {
        lastEventID = former.lastEventID
        id = former.lastEventID
        reconnectionTime = former.reconnectionTime
    }

    /// Takes a line; gives the event if it is complete with that.
    mutating func read(_ line: UnsafeRawBufferPointer) throws -> ServerSentEvent? {
        guard let first = line.first else { return dispatch() }
        // A comment.
        if first == UInt8(ascii: ":") { return nil }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        try read(name, UnsafeRawBufferPointer(rebasing: value))
        return nil
    }

    private mutating func read(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
        if name.elementsEqual("data".utf8) {
            guard data.count + value.count < limit else { throw TooLong(limit: limit) }
            data.append(contentsOf: value)
            data.append(UInt8(ascii: "\n"))
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8) {
            if !value.contains(0), value.count <= EventParser.longestID { id = String(decoding: value, as: UTF8.self) }
        } else if name.elementsEqual("retry".utf8) {
            guard !value.isEmpty, value.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return }
            if let milliseconds = Int64(String(decoding: value, as: UTF8.self)) { reconnectionTime = .milliseconds(milliseconds) }
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = id
        defer {
            type = ""
            data.removeAll(keepingCapacity: true)
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            event: type.isEmpty ? EventParser.usualType : type, data: String(decoding: data.dropLast(), as: UTF8.self), id: lastEventID)
    }
}

extension EventParser {
    /// An event has more bytes than allowed.
    struct TooLong: Error {
        let limit: Int
    }
}

/// An event that a server sent, as the WHATWG text on server-sent events has it.
public struct ServerSentEvent: Sendable, Equatable {
    /// What sort of event it is; `"message"` if the server does not say.
    public let event: String
    /// The data; several lines are joined by line feeds.
    public let data: String
    /// The id of the last event that had one; "" if none has had one.
    public let id: String

    /// Makes an event, as a test needs one.
    ///
    /// - Parameters:
    ///   - event: What sort of event it is.
    ///   - data: The data.
    ///   - id: The id of the last event that had one.
    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }
}

extension ServerSentEvent: CustomStringConvertible, CustomReflectable {
    /// The event for people, without secrets.
    public var description: String {
        let redaction = Redaction.current
        let place = id.isEmpty ? "" : ", id: \(redaction.redact(text: id))"
        return "event: \(redaction.redact(text: event))\(place), data: \(redaction.redact(text: data))"
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
