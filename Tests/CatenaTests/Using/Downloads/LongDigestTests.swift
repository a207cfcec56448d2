import Foundation
import Testing

@testable import Catena

@Suite("Digests of long messages", .limitedParallelism)
struct LongDigestTests {
    static let message = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })

    @Test("OpenSSL computes the same digest, whatever the length and the pieces", arguments: [0, 1, 55, 64, 16_383, 16_384, 70_000])
    func pieces(length: Int) {
        let message = Self.message.prefix(length)
        let expected = SHA256.digest(of: message)
        for size in [1, 63, 64, 4096, 70_000] {
            let digest = LongDigest()
            var rest = message
            while !rest.isEmpty {
                rest.prefix(size).withUnsafeBytes { digest.update($0) }
                rest = rest.dropFirst(size)
            }
            #expect(digest.finish() == expected, "pieces of \(size)")
        }
    }

    #if os(Linux)
    @Test("without OpenSSL the digest is computed, too")
    func withoutOpenSSL() {
        let digest = LongDigest(withOpenSSL: false)
        Self.message.withUnsafeBytes { digest.update($0) }
        #expect(digest.finish() == SHA256.digest(of: Self.message))
    }
    #endif
}
