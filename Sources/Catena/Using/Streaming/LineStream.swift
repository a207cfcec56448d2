import CatenaPlatform

/// The lines of a response as they arrive.
///
/// ```swift
/// for try await line in API.get("/log").lines() { print(line) }
/// ```
///
/// A line ends with LF, CRLF or CR; the last one may end with the body. The text is decoded in the charset that the response declares,
/// otherwise as UTF-8. As with ``ByteStream``, each loop sends the request, and leaving it stops the transfer.
public struct LineStream: AsyncSequence, Sendable {
    public typealias Element = String

    /// The default maximum length of a line, in bytes.
    public static let usualLimit = 1024 * 1024

    let bytes: ByteStream
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(bytes, limit: limit) }

    /// Sends the request when the first line is requested, then reads line by line.
    public struct Iterator: AsyncIteratorProtocol {
        private var reader: LineReader

        fileprivate init(_ bytes: ByteStream, limit: Int) {
            reader = LineReader(bytes, limit: limit)
        }

        /// Returns the next line without its line break, or `nil` at the end; throws if it is too long.
        public mutating func next() async throws -> String? {
            // An asynchronous call for each line would take longer than the line.
            if let line = reader.arrived(BodyText.string) { return line }
            return try await reader.next(BodyText.string)
        }
    }
}

/// Reads the body of a response line by line.
struct LineReader {
    private let bytes: ByteStream
    /// The response, available once a line has been read. Retained to the end, because a reader may find a fault in the last line.
    private(set) var streamed: StreamedResponse?
    private var pieces: StreamedResponse.Iterator?
    private var encoding: String.Encoding?
    private var splitter: LineSplitter
    private var isOver = false

    init(_ bytes: ByteStream, limit: Int) {
        self.bytes = ByteStream(request: bytes.request.aged)
        splitter = LineSplitter(limit: limit)
    }

    /// The number of the last line, counted from 1.
    var number: Int { splitter.number }

    /// Returns the next line if it has arrived together with an earlier one, as most lines have. Leaves a line that is too long to
    /// ``next(_:)``.
    mutating func arrived<Line>(_ read: (UnsafeRawBufferPointer, String.Encoding?) -> Line) -> Line? {
        guard !isOver, pieces != nil else { return nil }
        return try? splitter.next { [encoding] in read($0, encoding) }
    }

    /// Returns the next line, converted by `read` from its bytes and their encoding.
    ///
    /// It is not specialized, because it waits for the server, while ``arrived(_:)`` returns most lines.
    @_semantics("optimize.sil.specialize.generic.never")
    mutating func next<Line>(_ read: (UnsafeRawBufferPointer, String.Encoding?) throws -> Line) async throws -> Line? {
        guard !isOver else { return nil }
        do {
            if pieces == nil { try await open() }
            while true {
                if let line = try splitter.next({ [encoding] in try read($0, encoding) }) { return line }
                guard let piece = try await pieces?.next() else { break }
                splitter.append(piece)
            }
            end()
            return try splitter.last { [encoding] in try read($0, encoding) }
        } catch let error as LineSplitter.TooLong {
            let message = "Line \(error.number) is longer than the \(error.limit) bytes that are allowed."
            let failure = await streamed?.failure(.bodyTooLarge, message)
            end()
            throw failure ?? error
        } catch {
            end()
            throw error
        }
    }

    private mutating func open() async throws {
        let streamed = try await bytes.open()
        self.streamed = streamed
        pieces = streamed.makeAsyncIterator()
        encoding = BodyText.declaredEncoding(of: streamed.response)
        if let encoding, !BodyText.hasPlainLineBreaks(encoding) {
            throw await streamed.failure(
                .decoding, "The response declares the charset \(encoding), of which lines cannot be read piece by piece.")
        }
    }

    /// Stops the transfer.
    mutating func end() {
        isOver = true
        pieces = nil
    }
}

/// The values of a response in which each line is JSON, as they arrive.
///
/// Blank lines are skipped. A line that cannot be decoded throws an error that names the line. As with ``ByteStream``, each loop sends the
/// request, and leaving it stops the transfer.
public struct JSONLineStream<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let request: Request
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(request, limit: limit) }

    /// Sends the request when the first value is requested, then decodes line by line.
    public struct Iterator: AsyncIteratorProtocol {
        private let decoder: PartDecoder<Value>
        private var lines: LineReader

        fileprivate init(_ request: Request, limit: Int) {
            decoder = PartDecoder(CallRun(request))
            lines = LineReader(request.stream(), limit: limit)
        }

        /// Returns the value of the next line, or `nil` at the end. Throws if the line cannot be decoded or is too long.
        public mutating func next() async throws -> Value? {
            while let line = try await lines.next({ line, encoding in BodyText.utf8(line, encoding) }), let streamed = lines.streamed {
                if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                do {
                    return try decoder.value(of: line, named: "Line \(lines.number)", in: streamed.response)
                } catch {
                    let failure = await streamed.failure(error)
                    lines.end()
                    throw failure
                }
            }
            return nil
        }
    }
}
