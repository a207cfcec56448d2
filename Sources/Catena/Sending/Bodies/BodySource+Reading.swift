public import CatenaPlatform

extension BodySource: AsyncSequence {
    public typealias Element = Data

    typealias Next = () async throws -> Data?

    /// The maximum number of bytes read at once.
    static let pieceSize = 256 * 1024

    /// Reads the body piece by piece; no piece is empty.
    public struct Iterator: AsyncIteratorProtocol {
        private var parts: ArraySlice<Part>
        private var reader: Next?

        fileprivate init(_ parts: [Part]) {
            self.parts = parts[...]
        }

        /// Returns the next piece of the body, or `nil` at its end.
        public mutating func next() async throws -> Data? {
            while true {
                if let reader {
                    if let piece = try await reader() {
                        if piece.isEmpty { continue }
                        return piece
                    }
                    self.reader = nil
                }
                guard let part = parts.popFirst() else { return nil }
                reader = try part.open()
            }
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(parts) }

    /// Returns all bytes. Throws an ``APIError`` if there are more than `limit`.
    public func collect(limit: Int) async throws -> Data {
        guard let body = try await bytes(upTo: limit) else { throw APIError.requestBody("it is longer than \(limit) bytes") }
        return body
    }

    /// Returns all bytes, or `nil` if there are more than `limit`.
    package func bytes(upTo limit: Int) async throws -> Data? {
        var body = Data()
        for try await piece in self {
            guard body.count + piece.count <= limit else { return nil }
            body.append(piece)
        }
        return body
    }
}

extension BodySource.Part {
    fileprivate func open() throws -> BodySource.Next {
        switch self {
        case .data(let data):
            var rest = data
            return {
                let piece = rest.prefix(BodySource.pieceSize)
                rest = rest.dropFirst(piece.count)
                return piece.isEmpty ? nil : piece
            }
        case .file(let range):
            var reader = FileReader(range)
            return { try await reader.next() }
        case .stream(let stream):
            let next = try stream.open()
            return {
                do {
                    return try await next()
                } catch let error as APIError where error.kind == .requestBody {
                    throw error
                } catch {
                    try Task.checkCancellation()
                    throw APIError.requestBody("its stream failed: \(APIError.wrapping(error).message)", underlying: error)
                }
            }
        }
    }
}

extension APIError {
    /// Returns the error of a body that cannot be read.
    static func requestBody(_ reason: String, underlying: (any Error)? = nil) -> APIError {
        APIError(.requestBody, message: "The body cannot be sent: \(reason).", underlying: underlying)
    }
}

extension BodySource {
    /// Makes a body from a file or a range of its bytes.
    ///
    /// - Throws: An ``APIError`` if the file cannot be read, is not a regular file or ends before the range does.
    public init(file: URL, range: Range<Int64>? = nil) throws {
        do throws(BodyFault) {
            parts = [.file(try FileRange(file, range: range))]
        } catch {
            throw APIError.requestBody(error.reason)
        }
    }
}

extension BodyStream {
    /// Starts reading the stream. The returned closure throws unless the stream has the announced length.
    func open() throws -> BodySource.Next {
        guard !isTaken.set() || isReplayable else {
            throw APIError.requestBody("its stream can be read only once; give a closure that makes the stream to send it again")
        }
        let next = start()
        var count: Int64 = 0
        var isOver = false
        return { [length] in
            guard !isOver, let piece = try await next() else {
                isOver = true
                if let length, count < length { throw APIError.requestBody("its stream ended after \(count) of \(length) bytes") }
                return nil
            }
            count += Int64(piece.count)
            guard let length, count >= length else { return piece }
            // Check for excess bytes before this piece is sent, because it completes the body for the server.
            var isLonger = count > length
            while !isLonger, let excess = try await next() { isLonger = !excess.isEmpty }
            if isLonger { throw APIError.requestBody("its stream is longer than \(length) bytes") }
            isOver = true
            return piece
        }
    }
}
