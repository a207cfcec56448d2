#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

/// Removes the Content-Encoding of a body, which may have several layers.
///
/// Not left to libcurl, because libcurl accepts a truncated stream as complete.
final class ContentDecoder {
    /// The supported codings (RFC 9110 §8.4.1, RFC 7932, RFC 8878), by the names that servers use.
    private static let codings: [String: CatenaCoding] = [
        "gzip": CatenaGzip, "x-gzip": CatenaGzip, "deflate": CatenaZlib, "br": CatenaBrotli, "zstd": CatenaZstandard,
    ].filter { catena_decoder_bind($0.value) }

    /// The other registered codings, which cannot be decoded.
    private static let unreadable: Set<String> = ["aes128gcm", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip"]
    private static let registered = unreadable.union(["gzip", "x-gzip", "deflate", "br", "zstd"])

    /// The value of Accept-Encoding, or `nil` if no decoding library is available.
    static let accepted: String? = {
        let names = ["gzip", "deflate", "br", "zstd"].filter { codings[$0] != nil }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }()

    /// The maximum number of layers. More are an attack.
    private static let deepest = 5
    /// The maximum number of bytes that a layer produces at a time.
    static let longestPiece = 64 * 1024
    /// The maximum number of bytes between two layers for one piece from the network. The caller bounds the decoder's output, but not these
    /// bytes.
    private static let mostBetweenLayers = 32 * 1024 * 1024

    /// The number of bytes between the layers for the current piece.
    private var between = 0
    /// The layers, in the order of decoding.
    private let layers: [CompressedStream]
    /// Whether ``next()`` may return more bytes without another piece.
    private(set) var hasMore = false

    /// Returns `nil` if the body is not encoded.
    init?(_ headers: HTTPHeaders) throws {
        let codings = headers.values(for: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { $0.trimmed().lowercased() }
            // Ignore other values, such as "utf-8" or "aws-chunked", because they do not describe an encoding of the bytes.
            .filter(Self.registered.contains)
        if codings.isEmpty { return nil }
        guard codings.count <= Self.deepest else {
            throw APIError(.decompression, message: "The body is encoded \(codings.count) times.")
        }
        layers = try codings.reversed().map { name in
            guard let coding = Self.codings[name] else {
                throw APIError(
                    .decompression, message: "The encoding \"\(Redaction.standard.line(name))\" of the body cannot be read here.")
            }
            return CompressedStream(coding)
        }
    }

    /// Whether all streams have ended. A body without any bytes is complete.
    var isComplete: Bool { layers.allSatisfy { !$0.hasBegun || $0.isAtEnd } }

    /// Adds bytes from the network. Call only after ``next()`` has returned all earlier bytes.
    func append(_ bytes: Data) {
        between = 0
        hasMore = true
        layers.first?.append(bytes)
    }

    /// Decodes and returns the next bytes, at most ``longestPiece``, or `nil` if more input has to arrive first.
    func next() throws -> Data? {
        let piece = try next(of: layers.count - 1)
        hasMore = piece != nil
        return piece
    }

    private func next(of layer: Int) throws -> Data? {
        while true {
            if let piece = try layers[layer].next(atMost: Self.longestPiece) { return piece }
            guard layer > 0, let piece = try next(of: layer - 1) else { return nil }
            between += piece.count
            guard between <= Self.mostBetweenLayers else {
                throw APIError(.decompression, message: "The body unpacks to so much at once that it must be an attack.")
            }
            layers[layer].append(piece)
        }
    }
}

/// One compressed stream.
private final class CompressedStream {
    /// The maximum number of consecutive empty members. More are malformed, because they only cost time.
    private static let mostEmptyMembers = 16

    private let coding: CatenaCoding
    private var decoder: OpaquePointer?
    private(set) var hasBegun = false
    private(set) var isAtEnd = false
    /// Whether bytes that start no member have followed the end.
    private var hasPadding = false
    /// The number of consecutive empty members.
    private var emptyMembers = 0
    private var input = Data()
    private var position = 0
    /// The first bytes of the current zstd frame, at most four.
    private var mark: [UInt8] = []
    /// Whether the decoder may hold output although there is no input left.
    private var isFull = false

    init(_ coding: CatenaCoding) {
        self.coding = coding
    }

    deinit {
        if let decoder { catena_decoder_close(decoder) }
    }

    func append(_ bytes: Data) {
        input = bytes
        position = 0
    }

    /// Returns the next decoded bytes, or `nil` if there is no more input.
    func next(atMost longest: Int) throws -> Data? {
        while isFull || position < input.count {
            let first = position < input.count ? input[input.startIndex + position] : nil
            if isAtEnd, let first {
                if isPadding(first) {
                    position += 1
                    hasPadding = true
                    continue
                }
                try beginNextMember(first)
            }
            if !hasBegun, let first { try begin(first) }
            guard let decoder, !isAtEnd else { break }
            if coding == CatenaZstandard { try checkMark() }
            let size = min(longest, max(1024, (input.count - position) * 4))
            let (used, piece, result) = input.withUnsafeBytes {
                Self.step(decoder, UnsafeRawBufferPointer(rebasing: $0[position...]), size: size)
            }
            position += used
            isFull = piece.count == size
            if result == 1 { isAtEnd = true }
            if result < 0 { throw Self.malformed }
            if !piece.isEmpty {
                emptyMembers = 0
                return piece
            }
            if used == 0 { break }
        }
        isFull = false
        append(Data())
        return nil
    }

    /// Starts the next gzip member (RFC 1952 §2.2) or zstd frame (RFC 8878 §3). Throws if anything else follows the end of a stream.
    ///
    /// Zeros and line breaks after the end are ignored, because files are padded with zeros and some servers append a line break.
    private func beginNextMember(_ first: UInt8) throws {
        let mayFollow = !hasPadding && (coding == CatenaGzip && first == 0x1F || coding == CatenaZstandard)
        guard mayFollow, let decoder else { throw Self.malformed }
        emptyMembers += 1
        guard emptyMembers <= Self.mostEmptyMembers else { throw Self.malformed }
        catena_decoder_reset(decoder)
        isAtEnd = false
        isFull = false
        mark = []
    }

    private func isPadding(_ byte: UInt8) -> Bool { byte == 0 || byte == 0x0D || byte == 0x0A }

    /// Throws unless the input is a zstd frame or a skippable frame (RFC 8878 §3.1.1, §3.1.2). Most libraries also decode the legacy
    /// formats, whose decoders do not limit the window. They recognize a legacy format only by four bytes in one piece.
    private func checkMark() throws {
        guard mark.count < 4 else { return }
        mark += input.dropFirst(position).prefix(4 - mark.count)
        let isSkipped = mark.first.map { $0 & 0xF0 == 0x50 } ?? false
        let wanted: [UInt8] = isSkipped ? [mark[0], 0x2A, 0x4D, 0x18] : [0x28, 0xB5, 0x2F, 0xFD]
        guard wanted.starts(with: mark) else { throw Self.malformed }
    }

    /// Opens a decoder. "deflate" means the zlib format (RFC 9110 §8.4.1.2), but some servers send the raw stream, which its first byte
    /// reveals.
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
            // zlib requires an address even for empty input.
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
