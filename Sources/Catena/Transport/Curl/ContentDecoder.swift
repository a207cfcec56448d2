#if os(Linux)
import CCurl
import Foundation

/// Undoes the Content-Encoding of a body, which may be several deep.
///
/// Done here and not in libcurl because libcurl takes a cut stream for a whole one.
final class ContentDecoder {
    /// The codings that there are (RFC 9110 §8.4.1, RFC 7932, RFC 8878), by the names that servers give them.
    private static let codings: [String: CatenaCoding] = [
        "gzip": CatenaGzip, "x-gzip": CatenaGzip, "deflate": CatenaZlib, "br": CatenaBrotli, "zstd": CatenaZstandard,
    ].filter { catena_decoder_bind($0.value) }

    /// What servers are asked for; `nil` if there is no library for any of them.
    static let accepted: String? = {
        let names = ["gzip", "deflate", "br", "zstd"].filter { codings[$0] != nil }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }()

    /// More layers than this are an attack.
    private static let deepest = 5
    /// What one piece from the network may become, layers in between included. A layer of gzip makes a thousand bytes of one; Brotli, zstd
    /// and several layers make them without end.
    private static let mostFromOnePiece = 32 * 1024 * 1024

    /// How much has been made of the present piece.
    private var made = 0

    private var layers: [CompressedStream] = []

    /// `nil` if the body is not encoded.
    init?(_ headers: HTTPHeaders) throws {
        let codings = headers.values(for: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }.filter { $0 != "identity" && !$0.isEmpty }
        if codings.isEmpty { return nil }
        guard codings.count <= Self.deepest else {
            throw APIError(.decompression, message: "The body is encoded \(codings.count) times.")
        }
        for name in codings.reversed() {
            guard let coding = Self.codings[name] else {
                throw APIError(.decompression, message: "The encoding \"\(Redaction.standard.line(name))\" of the body is not known.")
            }
            layers.append(CompressedStream(coding))
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
        try layers[layer].decode(bytes) { piece in
            made += piece.count
            guard made <= Self.mostFromOnePiece else {
                throw APIError(.decompression, message: "The body unpacks to so much at once that it must be an attack.")
            }
            try piece.withUnsafeBytes { try decode($0, layer: layer + 1, output) }
        }
    }
}

/// One compressed stream.
private final class CompressedStream {
    private static let pieceSize = 64 * 1024

    private let coding: CatenaCoding
    private var decoder: OpaquePointer?
    private(set) var hasBegun = false
    private(set) var isAtEnd = false
    /// How many members in a row had nothing in them.
    private var emptyMembers = 0

    init(_ coding: CatenaCoding) {
        self.coding = coding
    }

    deinit {
        if let decoder { catena_decoder_close(decoder) }
    }

    func decode(_ bytes: UnsafeRawBufferPointer, _ output: (Data) throws -> Void) throws {
        var input = bytes[...]
        var hasMore = false
        while hasMore || !input.isEmpty {
            if isAtEnd, let first = input.first { try beginNextMember(first) }
            if !hasBegun, let first = input.first { try begin(first) }
            guard let decoder, !isAtEnd else { return }
            let size = min(Self.pieceSize, max(1024, input.count * 4))
            let (used, piece, result) = Self.step(decoder, UnsafeRawBufferPointer(rebasing: input), size: size)
            input = input.dropFirst(used)
            // A full piece may leave output inside the decoder although there is no input left.
            hasMore = piece.count == size
            if !piece.isEmpty {
                emptyMembers = 0
                try output(piece)
            }
            if result == 1 { isAtEnd = true }
            if result < 0 { throw Self.malformed }
            if used == 0, piece.isEmpty { return }
        }
    }

    /// Another member may follow that of gzip (RFC 1952 §2.2), and another frame that of zstd (RFC 8878 §3); nothing else may.
    private func beginNextMember(_ first: UInt8) throws {
        let mayFollow = coding == CatenaGzip && first == 0x1F || coding == CatenaZstandard
        guard mayFollow, let decoder else { throw Self.malformed }
        // Members without anything in them only cost time.
        emptyMembers += 1
        guard emptyMembers <= 16 else { throw Self.malformed }
        catena_decoder_reset(decoder)
        isAtEnd = false
    }

    /// "deflate" means zlib's format (RFC 9110 §8.4.1.2); some servers send the bare stream, whose first byte gives it away.
    private func begin(_ first: UInt8) throws {
        hasBegun = true
        let isBare = coding == CatenaZlib && first & 0x0F != 8
        decoder = catena_decoder_open(isBare ? CatenaDeflate : coding)
        if decoder == nil { throw APIError(.decompression, message: "There is no memory to decompress the body.") }
    }

    private static func step(
        _ decoder: OpaquePointer,
        _ input: UnsafeRawBufferPointer,
        size: Int
    ) -> (used: Int, piece: Data, result: Int32) {
        var used = input.count
        var made = size
        var piece = Data(count: size)
        let result = piece.withUnsafeMutableBytes { output -> Int32 in
            // zlib wants an address even for no input.
            guard let input = (input.baseAddress ?? UnsafeRawPointer(output.baseAddress))?.assumingMemoryBound(to: UInt8.self),
                let output = output.bindMemory(to: UInt8.self).baseAddress
            else { return 0 }
            return catena_decoder_step(decoder, input, &used, output, &made)
        }
        piece.count = made
        return (used, piece, result)
    }

    private static var malformed: APIError {
        APIError(.decompression, message: "The compressed body is malformed.")
    }
}
#endif
