import Foundation

/// Short compressed bodies that unpack to very many zeros.
enum CompressionBomb: CaseIterable, Sendable {
    case gzip, zstd, brotli

    var coding: String {
        switch self {
        case .gzip: "gzip"
        case .zstd: "zstd"
        case .brotli: "br"
        }
    }

    /// Returns a body that unpacks to about `size` bytes, and its exact unpacked length. A Brotli body always has 200,000,000 bytes.
    func body(unpackingTo size: Int) -> (data: Data, size: Int) {
        switch self {
        case .gzip:
            let count = size / Self.deflatedPiece
            var body = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
            for _ in 0..<count { body.append(Self.zeros) }
            body.append(contentsOf: [3, 0])
            let sum = Self.sums[count] ?? 0
            for number in [sum, UInt32(truncatingIfNeeded: count * Self.deflatedPiece)] {
                withUnsafeBytes(of: number.littleEndian) { body.append(contentsOf: $0) }
            }
            return (body, count * Self.deflatedPiece)
        case .zstd:
            // Blocks of one repeated byte (RFC 8878 §3.1.1.2), in a window of 128 KB.
            let count = size / (128 * 1024)
            var body = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38])
            for index in 1...count {
                let head = 128 * 1024 << 3 | 1 << 1 | (index == count ? 1 : 0)
                body.append(contentsOf: [UInt8(head & 0xFF), UInt8(head >> 8 & 0xFF), UInt8(head >> 16), 0])
            }
            return (body, count * 128 * 1024)
        case .brotli:
            return (Data(base64Encoded: ContentDecoderBoundTests.brotliBomb, options: .ignoreUnknownCharacters) ?? Data(), 200_000_000)
        }
    }

    /// 64 KB of zeros, deflated to whole bytes, so that they can be repeated.
    private static let deflatedPiece = 64 * 1024
    static let zeros = Data(
        [0xEC, 0xC1, 1, 1, 0, 0, 0, 0x80, 0x90, 0xFE, 0xAF, 0xEE, 8, 0x0A] + Array(repeating: 0, count: 63) + [0x6A, 0, 0, 0, 0xFF, 0xFF])
    /// The CRC-32 of the unpacked bytes, by the number of pieces.
    private static let sums: [Int: UInt32] = [1024: 0xb2eb_30ed, 4096: 0x2a0e_7dbb, 32768: 0x4dbd_f21c]
}
