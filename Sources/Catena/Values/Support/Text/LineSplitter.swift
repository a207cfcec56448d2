import CatenaPlatform

/// Splits bytes that arrive in pieces into lines, which end with LF, CRLF or CR. Pure, and linear in the number of bytes.
struct LineSplitter {
    /// Thrown if a line exceeds the limit.
    struct TooLong: Error {
        let number: Int
        let limit: Int
    }

    let limit: Int
    /// The number of the last line returned, counted from 1.
    private(set) var number = 0

    private var piece = Data()
    private var position = 0
    /// The position of the next line break of each kind in the piece, or the piece's end if there is none.
    private var nextLineFeed = 0
    private var nextReturn = 0
    /// The beginning of a line whose end has not arrived yet.
    private var begun: [UInt8] = []
    /// Whether a line feed that follows belongs to the previous line break.
    private var skipsLineFeed = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds bytes. Call only after ``next(_:)`` has returned all lines of the earlier bytes.
    mutating func append(_ piece: Data) {
        self.piece = piece
        position = 0
        nextLineFeed = -1
        nextReturn = -1
    }

    /// Returns the next whole line, converted by `read`, or `nil` if more bytes are needed.
    mutating func next<Line>(_ read: (UnsafeRawBufferPointer) throws -> Line) throws -> Line? {
        // Copy the reference to the piece, so that its bytes can be read while the other members change.
        let piece = self.piece
        return try piece.withUnsafeBytes { bytes -> Line? in
            if skipsLineFeed, position < bytes.count {
                skipsLineFeed = false
                if bytes[position] == UInt8(ascii: "\n") { position += 1 }
            }
            let end = lineEnd(in: bytes)
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
            guard begun.count + rest.count <= limit else { throw TooLong(number: number + 1, limit: limit) }
            guard end < bytes.count else {
                begun.append(contentsOf: rest)
                position = end
                return nil
            }
            position = end + 1
            skipsLineFeed = bytes[end] == UInt8(ascii: "\r")
            return try take(rest, read)
        }
    }

    /// Returns the last line if it has no line break.
    mutating func last<Line>(_ read: (UnsafeRawBufferPointer) throws -> Line) rethrows -> Line? {
        guard !begun.isEmpty else { return nil }
        return try take(UnsafeRawBufferPointer(start: nil, count: 0), read)
    }

    private mutating func lineEnd(in bytes: UnsafeRawBufferPointer) -> Int {
        // Search for each kind again only after passing it. Otherwise a piece with only one kind would be searched for the other at every
        // line.
        if nextLineFeed < position { nextLineFeed = bytes.firstIndex(of: UInt8(ascii: "\n"), from: position) }
        if nextReturn < position { nextReturn = bytes.firstIndex(of: UInt8(ascii: "\r"), from: position) }
        return min(nextLineFeed, nextReturn)
    }

    private mutating func take<Line>(_ rest: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) throws -> Line) rethrows -> Line {
        number += 1
        guard !begun.isEmpty else { return try read(withoutMark(rest)) }
        begun.append(contentsOf: rest)
        defer { begun.removeAll(keepingCapacity: true) }
        return try begun.withUnsafeBytes { try read(withoutMark($0)) }
    }

    /// Returns the line without a byte order mark, which may precede the first line.
    private func withoutMark(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) else { return line }
        return UnsafeRawBufferPointer(rebasing: line.dropFirst(3))
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the position of the next occurrence of a byte, or the end if there is none.
    fileprivate func firstIndex(of byte: UInt8, from start: Int) -> Int {
        guard start < count, let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start) else { return count }
        return UnsafeRawPointer(found) - base
    }
}
