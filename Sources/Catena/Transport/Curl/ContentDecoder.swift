#if os(Linux)
import CCurl
import Foundation

/// Undoes the Content-Encoding of a body: gzip and deflate, several deep.
///
/// Done here and not in libcurl because libcurl takes a cut stream for a whole one.
final class ContentDecoder {
    static var isAvailable: Bool { catena_inflate_bind() }

    /// More layers than this are an attack.
    private static let deepest = 5
    /// What one piece from the network may become, layers in between included. One layer makes a thousand of one, more make it without end.
    private static let mostFromOnePiece = 32 * 1024 * 1024

    /// How much has been made of the present piece.
    private var made = 0

    private var layers: [Inflation] = []

    /// `nil` if the body is not encoded.
    init?(_ headers: HTTPHeaders) throws {
        let codings = headers.values(for: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }.filter { $0 != "identity" && !$0.isEmpty }
        if codings.isEmpty { return nil }
        guard codings.count <= Self.deepest else {
            throw APIError(.decompression, message: "The body is encoded \(codings.count) times.")
        }
        for coding in codings.reversed() {
            guard ["gzip", "x-gzip", "deflate"].contains(coding) else {
                throw APIError(.decompression, message: "The encoding \"\(Redaction.standard.line(coding))\" of the body is not known.")
            }
            layers.append(Inflation(isDeflate: coding == "deflate"))
        }
    }

    /// Whether the streams have come to their ends; a body without any bytes has.
    var isComplete: Bool { layers.allSatisfy { !$0.hasBegun || $0.isAtEnd } }

    /// Decodes bytes and hands out pieces of bounded size, so that a bomb is stopped when its limit is reached.
    func decode(_ bytes: UnsafeRawBufferPointer, _ output: (Data) throws -> Void) throws {
        made = 0
        try decode(bytes, layer: 0, output)
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, layer: Int, _ output: (Data) throws -> Void) throws {
        guard layer < layers.count else { return try output(Data(bytes)) }
        try layers[layer].inflate(bytes) { piece in
            made += piece.count
            guard made <= Self.mostFromOnePiece else {
                throw APIError(.decompression, message: "The body unpacks to so much at once that it must be an attack.")
            }
            try piece.withUnsafeBytes { try decode($0, layer: layer + 1, output) }
        }
    }
}

/// One compressed stream.
private final class Inflation {
    private static let pieceSize = 64 * 1024

    private let isDeflate: Bool
    private var inflater: OpaquePointer?
    private(set) var hasBegun = false
    private(set) var isAtEnd = false
    /// How many members in a row had nothing in them.
    private var emptyMembers = 0

    init(isDeflate: Bool) {
        self.isDeflate = isDeflate
    }

    deinit {
        if let inflater { catena_inflate_close(inflater) }
    }

    func inflate(_ bytes: UnsafeRawBufferPointer, _ output: (Data) throws -> Void) throws {
        var input = bytes[...]
        var hasMore = false
        while hasMore || !input.isEmpty {
            if isAtEnd, let first = input.first { try beginNextMember(first) }
            if !hasBegun, let first = input.first { try begin(first) }
            guard let inflater, !isAtEnd else { return }
            let size = min(Self.pieceSize, max(1024, input.count * 4))
            let (used, piece, result) = Self.step(inflater, UnsafeRawBufferPointer(rebasing: input), size: size)
            input = input.dropFirst(used)
            // A full piece may leave output inside zlib although there is no input left.
            hasMore = piece.count == size
            if !piece.isEmpty {
                emptyMembers = 0
                try output(piece)
            }
            if result == 1 { isAtEnd = true }
            // -5 only says that there was nothing to do.
            if result < 0, result != -5 { throw Self.malformed }
            if used == 0, piece.isEmpty { return }
        }
    }

    /// Another gzip member may follow the first (RFC 1952 §2.2); anything else may not.
    private func beginNextMember(_ first: UInt8) throws {
        guard !isDeflate, first == 0x1F, let inflater else { throw Self.malformed }
        // Members without anything in them only cost time.
        emptyMembers += 1
        guard emptyMembers <= 16 else { throw Self.malformed }
        _ = catena_inflate_reset(inflater)
        isAtEnd = false
    }

    /// "deflate" means zlib's format (RFC 9110 §8.4.1.2); some servers send the bare stream, whose first byte gives it away.
    private func begin(_ first: UInt8) throws {
        hasBegun = true
        let isBare = isDeflate && first & 0x0F != 8
        inflater = catena_inflate_open(isBare ? -15 : isDeflate ? 15 : 31)
    }

    private static func step(
        _ inflater: OpaquePointer,
        _ input: UnsafeRawBufferPointer,
        size: Int
    ) -> (used: Int, piece: Data, result: Int32) {
        var used = min(input.count, Int(Int32.max))
        var made = size
        var piece = Data(count: size)
        let result = piece.withUnsafeMutableBytes { output -> Int32 in
            // zlib wants an address even for no input.
            guard let input = (input.baseAddress ?? UnsafeRawPointer(output.baseAddress))?.assumingMemoryBound(to: UInt8.self),
                let output = output.bindMemory(to: UInt8.self).baseAddress
            else { return -5 }
            return catena_inflate(inflater, input, &used, output, &made)
        }
        piece.count = made
        return (used, piece, result)
    }

    private static var malformed: APIError {
        APIError(.decompression, message: "The compressed body is malformed.")
    }
}
#endif
