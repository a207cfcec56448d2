#if os(Linux)
import CatenaFleet
import Foundation

/// A reply of the server.
enum RedisReply: Sendable, Equatable {
    case nothing
    case number(Int64)
    case data(Data)
    case text(String)
    case array([RedisReply])
    case error(String)

    /// The stored value, or `nil` if the reply is of another type.
    var data: Data? { if case .data(let data) = self { data } else { nil } }

    /// The number in a value, which Redis stores as text.
    var number: Int64? { data.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } }
}

/// Reads replies of version 2 of Redis's protocol (RESP2) from bytes that arrive in any pieces. Pure.
///
/// The server is not trusted: what is kept is bounded, each byte is looked at once, and a reply that no command of Catena has is an error. Those have
/// no arrays in arrays, and announce no more than can be read.
struct RedisReplyReader {
    /// The longest reply in bytes, the longest line of one, and the longest replies to all commands that are sent together.
    static let longestReply = 64 * 1024 * 1024
    static let longestLine = 64 * 1024
    static let longestBatch = 256 * 1024 * 1024

    /// The replies to the commands that were sent together are longer than all of them may be.
    struct Excess: Error {}

    private static let (carriageReturn, lineFeed): (UInt8, UInt8) = (13, 10)

    private let mostElements: Int
    /// The number of bytes that the values of further replies may have.
    private var room: Int
    private var buffer: [UInt8] = []
    /// The place of the first byte that was not read, and the place before which there is no end of a line.
    private var start = 0
    private var searched = 0
    /// The length of the value that is being received.
    private var length: Int?
    /// The array that is being received, and the number of its elements.
    private var array: (elements: [RedisReply], count: Int)?
    /// The bytes of the values of this reply so far.
    private var size = 0

    /// - Parameters:
    ///   - mostElements: The number of elements in the longest expected array.
    ///   - longest: The number of bytes that the values of all replies may have together.
    init(mostElements: Int, longest: Int = Self.longestBatch) { (self.mostElements, room) = (mostElements, longest) }

    /// Whether all bytes belong to complete replies.
    var isEmpty: Bool { start == buffer.count && length == nil && array == nil }

    mutating func append(_ bytes: some Collection<UInt8>) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= Self.longestLine)
            (start, searched) = (0, 0)
        }
        buffer += bytes
    }

    /// Returns the next reply, or `nil` if it is incomplete.
    mutating func next() throws -> RedisReply? {
        while let reply = try element() {
            array?.elements.append(reply)
            if let open = array, open.elements.count < open.count { continue }
            defer { (array, size) = (nil, 0) }
            return array.map { .array($0.elements) } ?? reply
        }
        return nil
    }

    /// Returns the next reply that is no array of elements, or `nil` if it is incomplete.
    private mutating func element() throws -> RedisReply? {
        while length == nil {
            guard let line = try line(), let kind = line.first else { return nil }
            let text = String(decoding: line.dropFirst(), as: UTF8.self)
            switch (kind, Int64(text)) {
            case (UInt8(ascii: "+"), _): return .text(text)
            case (UInt8(ascii: "-"), _): return .error(text)
            case (UInt8(ascii: ":"), let number?): return .number(number)
            case (UInt8(ascii: "$"), -1), (UInt8(ascii: "*"), -1): return .nothing
            case (UInt8(ascii: "*"), 0) where array == nil: return .array([])
            case (UInt8(ascii: "*"), let count?) where array == nil && (1...Int64(mostElements)).contains(count):
                array = ([], Int(count))
            case (UInt8(ascii: "$"), let count?) where (0...Int64(Self.longestReply - size)).contains(count):
                guard count <= room else { throw Excess() }
                room -= Int(count)
                size += Int(count)
                length = Int(count)
            default: throw Self.fault
            }
        }
        return try value()
    }

    /// Returns the value of the announced length, or `nil` if it is incomplete.
    private mutating func value() throws -> RedisReply? {
        guard let count = length, buffer.count - start >= count + 2 else { return nil }
        let end = start + count
        guard buffer[end] == Self.carriageReturn, buffer[end + 1] == Self.lineFeed else { throw Self.fault }
        defer { (start, searched, length) = (end + 2, end + 2, nil) }
        return .data(Data(buffer[start..<end]))
    }

    /// Returns the next line without its end, or `nil` if it is incomplete.
    private mutating func line() throws -> ArraySlice<UInt8>? {
        // The bytes of another protocol need not have an end of a line.
        if start < buffer.count, !"+-:$*".utf8.contains(buffer[start]) { throw Self.fault }
        guard let end = buffer[searched...].firstIndex(of: Self.lineFeed) else {
            searched = buffer.count
            guard searched - start <= Self.longestLine else { throw Self.fault }
            return nil
        }
        guard end > start + 1, buffer[end - 1] == Self.carriageReturn else { throw Self.fault }
        defer { (start, searched) = (end + 1, end + 1) }
        return buffer[start..<(end - 1)]
    }

    private static var fault: SharedStoreError {
        SharedStoreError("The server does not speak the protocol of Redis, or its reply is too long.")
    }
}
#endif
