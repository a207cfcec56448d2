public import Foundation

/// A body that is read while it is sent: parts in a row, each of them bytes, a file or a stream.
///
/// It says where the bytes are and how many; every iteration reads them anew, piece by piece, so that a body can be sent again on a
/// retry or a redirect. A body that turns out to be shorter or longer than announced, or a file that changes meanwhile, ends the
/// iteration with an ``APIError`` of the kind ``APIError/Kind/requestBody`` before the last piece is given.
///
/// ```swift
/// let source = try BodySource(joining: [BodySource(Data("head\n".utf8)), BodySource(file: log)])
/// API.tag(.files).put("/log").body(source, contentType: "text/plain").void()
/// ```
public struct BodySource: Sendable {
    enum Part: Sendable, Equatable {
        case data(Data)
        case file(FileRange)
        case stream(BodyStream)
    }

    let parts: [Part]

    /// Is told, from a background task, how many bytes the transport has taken so far in this attempt, and of how many if that is known.
    package var onSent: (@Sendable (_ sent: Int64, _ total: Int64?) -> Void)?

    init(parts: [Part]) {
        self.parts = parts
    }

    /// Bytes that are in memory.
    public init(_ data: Data) {
        parts = [.data(data)]
    }

    /// A stream that can be read once: a second reading fails.
    ///
    /// - Parameters:
    ///   - stream: The sequence that gives the bytes; it is iterated once.
    ///   - length: How many bytes it has, if that is known.
    public init<Pieces: AsyncSequence & Sendable>(stream: Pieces, length: Int64? = nil) where Pieces.Element == Data {
        parts = [.stream(BodyStream(length: length, isReplayable: false) { stream })]
    }

    /// A stream that is made anew for every reading.
    ///
    /// - Parameters:
    ///   - stream: Makes the sequence that gives the bytes.
    ///   - length: How many bytes it has, if that is known.
    public init<Pieces: AsyncSequence & Sendable>(
        stream: @escaping @Sendable () -> Pieces, length: Int64? = nil
    ) where Pieces.Element == Data {
        parts = [.stream(BodyStream(length: length, isReplayable: true, stream))]
    }

    /// One body after the other.
    public init(joining sources: [BodySource]) {
        parts = sources.flatMap(\.parts)
    }

    /// How many bytes there are; `nil` if a stream does not say.
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

    /// Whether it can be read more than once, as a retry and some redirects need.
    public var isReplayable: Bool {
        parts.allSatisfy { part in
            if case .stream(let stream) = part { stream.isReplayable } else { true }
        }
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
    /// Whether both read the same bytes from the same places.
    public static func == (left: BodySource, right: BodySource) -> Bool { left.parts == right.parts }
}

extension BodySource: CustomReflectable {
    /// A mirror shows no bytes either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension BodySource: CustomStringConvertible {
    /// What it is made of, without reading it.
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
