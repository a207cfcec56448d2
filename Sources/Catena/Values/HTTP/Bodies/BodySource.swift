public import CatenaPlatform

/// A body that is read while it is sent: a sequence of parts, each of them bytes, a file or a stream.
///
/// The source stores the locations and lengths of the parts. Every iteration reads them again, piece by piece, so that a retry or a
/// redirect can send the body again. If a body is shorter or longer than announced, or a file changes meanwhile, the iteration throws
/// before the last piece. The error is an ``APIError`` of kind ``APIError/Kind/requestBody``.
///
/// ```swift
/// let source = try BodySource(joining: [BodySource(Data("head\n".utf8)), BodySource(file: log)])
/// API.tag(.files).put("/log").body(source, contentType: "text/plain").execute(.void)
/// ```
public struct BodySource: Sendable {
    enum Part: Sendable, Equatable {
        case data(Data)
        case file(FileRange)
        case stream(BodyStream)
    }

    let parts: [Part]

    /// Receives, from a background task, the number of bytes that the transport has taken in this attempt, and the total if it is known.
    package var onSent: (@Sendable (_ sent: Int64, _ total: Int64?) -> Void)?

    init(parts: [Part]) {
        self.parts = parts
    }

    /// Makes a body from bytes in memory.
    public init(_ data: Data) {
        parts = [.data(data)]
    }

    /// Makes a body from a stream that can be read once; a second iteration fails.
    ///
    /// - Parameters:
    ///   - stream: The sequence of the bytes, which is iterated once.
    ///   - length: The number of bytes, if it is known.
    public init<Pieces: AsyncSequence & Sendable>(stream: Pieces, length: Int64? = nil) where Pieces.Element == Data {
        parts = [.stream(BodyStream(length: length, isReplayable: false) { stream })]
    }

    /// Makes a body from a stream that is created again for every iteration.
    ///
    /// - Parameters:
    ///   - stream: Creates the sequence of the bytes.
    ///   - length: The number of bytes, if it is known.
    public init<Pieces: AsyncSequence & Sendable>(
        stream: @escaping @Sendable () -> Pieces, length: Int64? = nil
    ) where Pieces.Element == Data {
        parts = [.stream(BodyStream(length: length, isReplayable: true, stream))]
    }

    /// Joins bodies in order.
    public init(joining sources: [BodySource]) {
        parts = sources.flatMap(\.parts)
    }

    /// The number of bytes, or `nil` if the length of a stream is unknown.
    public var length: Int64? {
        var total: Int64 = 0
        for part in parts {
            guard let length = part.length else { return nil }
            let (sum, overflows) = total.addingReportingOverflow(length)
            guard !overflows else { return nil }
            total = sum
        }
        return total
    }

    /// Whether the body can be read more than once, as retries and some redirects require.
    public var isReplayable: Bool {
        parts.allSatisfy { part in
            if case .stream(let stream) = part { stream.isReplayable } else { true }
        }
    }
}

extension BodySource {
    /// The path of the file that is the whole body, or `nil` for another body.
    var wholeFile: String? {
        guard parts.count == 1, case .file(let range)? = parts.first, range.isWhole else { return nil }
        return range.path
    }
}

extension BodySource.Part {
    fileprivate var length: Int64? {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(let range): range.length
        case .stream(let stream): stream.length
        }
    }
}

extension BodySource: Equatable {
    /// Returns whether both read the same bytes from the same places.
    public static func == (left: BodySource, right: BodySource) -> Bool { left.parts == right.parts }
}

extension BodySource: CustomReflectable {
    /// A mirror without the bytes.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension BodySource: CustomStringConvertible {
    /// The parts of the body, without reading them.
    public var description: String {
        let kinds = parts.prefix(Self.longestList).map { part in
            switch part {
            case .data(let data): "\(data.count) bytes"
            case .file(let range): "\(range.length) bytes of \"\(range.name)\""
            case .stream(let stream): stream.length.map { "a stream of \($0) bytes" } ?? "a stream"
            }
        }
        return "[" + kinds.joined(separator: ", ") + (parts.count > kinds.count ? ", …]" : "]")
    }

    private static let longestList = 20
}

/// A part of a body whose bytes come from an asynchronous sequence.
final class BodyStream: Sendable, Equatable {
    let length: Int64?
    let isReplayable: Bool
    let start: @Sendable () -> (() async throws -> Data?)
    let isTaken = AtomicFlag()

    init<Pieces: AsyncSequence & Sendable>(
        length: Int64?, isReplayable: Bool, _ make: @escaping @Sendable () -> Pieces
    ) where Pieces.Element == Data {
        self.length = length
        self.isReplayable = isReplayable
        start = {
            var iterator = make().makeAsyncIterator()
            return { try await iterator.next() }
        }
    }

    static func == (left: BodyStream, right: BodyStream) -> Bool { left === right }
}
