import CatenaPlatform

#if os(Linux) && canImport(Glibc)
import CCurl
#endif

extension Optional where Wrapped == BodyTransform {
    /// Compresses every body with gzip (RFC 1952), and sends it with `Content-Encoding: gzip`. The server has to support it.
    ///
    /// ```swift
    /// API.configure(.metrics) { $0.transformBody = .gzip }
    /// ```
    public static var gzip: BodyTransform? { gzip(above: 0) }

    /// Compresses the bodies of more than a number of bytes with gzip, because shorter ones gain nothing.
    public static func gzip(above size: Int) -> BodyTransform? {
        { body, contentType in
            guard body.count > size else { return (body, contentType) }
            let compressed = try GzipBody.compress(body)
            BodyCodings.current?.add("gzip")
            return (compressed, contentType)
        }
    }
}

/// Compresses bytes in the format of gzip. Equal bytes have equal results, without a time or a name.
enum GzipBody {
    /// No library for compression is available.
    struct Unavailable: LocalizedError {
        var errorDescription: String? {
            "gzip needs zlib (libz.so.1), which could not be loaded here; install it, or set transformBody to nil"
        }
    }

    #if canImport(Darwin)
    static func compress(_ bytes: Data) throws -> Data {
        // The system's format is the plain deflate format (RFC 1951), to which gzip adds a head and a checksum.
        let deflated = bytes.isEmpty ? Data([3, 0]) : Data(referencing: try NSData(data: bytes).compressed(using: .zlib))
        var data = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
        data.append(deflated)
        for number in [CyclicRedundancyCheck.checksum(of: bytes), UInt32(truncatingIfNeeded: bytes.count)] {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        return data
    }
    #elseif os(Linux) && canImport(Glibc)
    static func compress(_ bytes: Data) throws -> Data {
        guard catena_gzip_bind() else { throw Unavailable() }
        var size = 0
        let compressed = bytes.withUnsafeBytes { bytes in
            catena_gzip(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &size)
        }
        guard let compressed else { throw Unavailable() }
        return Data(bytesNoCopy: compressed, count: size, deallocator: .free)
    }
    #else
    static func compress(_ bytes: Data) throws -> Data { throw Unavailable() }
    #endif
}

/// The checksum of gzip (RFC 1952 §8).
enum CyclicRedundancyCheck {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8 }
    }
}
