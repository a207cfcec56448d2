import CatenaPlatform

/// Parses server-sent events from bytes that arrive in pieces (WHATWG HTML §9.2.6). Pure.
struct EventParser {
    private var splitter: LineSplitter
    private var fields: EventFields

    init(limit: Int) {
        splitter = LineSplitter(limit: limit)
        fields = EventFields(limit: limit)
    }

    /// Makes the parser of the next connection. Discards an unfinished event, but keeps the last id and the reconnection time.
    init(after former: EventParser) {
        self.init(limit: former.fields.limit)
        fields.continue(former.fields)
    }

    /// The maximum length of an id in bytes. A longer id is ignored, like one with a NUL. Ids are returned in a header, and servers reject
    /// heads of 8 KB and more.
    static let longestID = 4096

    /// The type of an event without a name.
    static let usualType = "message"

    /// The id to send when reconnecting.
    var lastEventID: String { fields.lastEventID }

    /// The wait before a reconnection that the server requests, or `nil` if it requests none.
    var reconnectionTime: Duration? { fields.reconnectionTime }

    /// Adds bytes. Call only after ``next()`` has returned all events of the earlier bytes.
    mutating func append(_ piece: Data) {
        splitter.append(piece)
    }

    /// Returns the next event, or `nil` if more bytes are needed. An event that the end of the body truncates is discarded.
    mutating func next() throws -> ServerSentEvent? {
        try Self.next(&splitter, &fields)
    }

    /// The event that the end of the body truncated, as if an empty line followed it.
    var unfinishedEvent: ServerSentEvent? {
        var rest = self
        return try? rest.finishEvent()
    }

    /// Returns the event that the end of the body truncated, as if an empty line followed it, or `nil` if there is none.
    mutating func finishEvent() throws -> ServerSentEvent? {
        append(Data("\n\n".utf8))
        return try next()
    }

    private static func next(_ splitter: inout LineSplitter, _ fields: inout EventFields) throws -> ServerSentEvent? {
        while let event = try splitter.next({ line in try fields.read(line) }) {
            if let event { return event }
        }
        return nil
    }
}

/// The fields read so far of the next event.
private struct EventFields {
    let limit: Int
    private(set) var lastEventID = ""
    private(set) var reconnectionTime: Duration?
    /// The id that becomes the last id when the event is complete.
    private var id = ""
    private var type = ""
    /// The data lines, each followed by a line feed.
    private var data: [UInt8] = []

    init(limit: Int) {
        self.limit = limit
    }

    mutating func `continue`(_ former: EventFields) {
        lastEventID = former.lastEventID
        id = former.lastEventID
        reconnectionTime = former.reconnectionTime
    }

    /// Reads a line, and returns the event if the line completes it.
    mutating func read(_ line: UnsafeRawBufferPointer) throws -> ServerSentEvent? {
        guard let first = line.first else { return dispatch() }
        if first == UInt8(ascii: ":") { return nil }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        try read(name, UnsafeRawBufferPointer(rebasing: value))
        return nil
    }

    private mutating func read(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
        if name.equals("data") {
            guard data.count + value.count < limit else { throw EventParser.TooLong(limit: limit) }
            data.append(contentsOf: value)
            data.append(UInt8(ascii: "\n"))
        } else if name.equals("event") {
            type = String(decoding: value, as: UTF8.self)
        } else if name.equals("id") {
            if !value.contains(0), value.count <= EventParser.longestID { id = String(decoding: value, as: UTF8.self) }
        } else if name.equals("retry") {
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
    /// Thrown if an event exceeds the limit.
    struct TooLong: Error {
        let limit: Int
    }
}

/// A server-sent event, as defined by the WHATWG.
public struct ServerSentEvent: Sendable, Equatable {
    /// The type of the event; `"message"` if the server names none.
    public let event: String
    /// The data; lines are joined by line feeds.
    public let data: String
    /// The id of the last event that had one, or "" if none had one.
    public let id: String

    /// Makes an event, as a test needs one.
    ///
    /// - Parameters:
    ///   - event: The type of the event.
    ///   - data: The data.
    ///   - id: The id of the last event that had one.
    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }
}

extension ServerSentEvent {
    /// Whether the data is empty or white space.
    var isBlank: Bool { data.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A } }
}

extension ServerSentEvent: CustomStringConvertible, CustomReflectable {
    /// The event as text, without secrets.
    public var description: String {
        let redaction = Redaction.current
        let place = id.isEmpty ? "" : ", id: \(redaction.redact(text: id))"
        return "event: \(redaction.redact(text: event))\(place), data: \(redaction.redact(text: data))"
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
