import Foundation
import Testing

@testable import Catena

@Suite("Digests", .limitedParallelism)
struct MessageDigestTests {
    @Test(
        "MD5 of the messages of RFC 1321",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ])
    func md5(text: String, expected: String) {
        #expect(MessageDigest.md5(text).hex == expected)
    }

    @Test(
        "SHA-256 of the messages of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, expected: String) {
        #expect(MessageDigest.sha256(text).hex == expected)
    }

    @Test("SHA-256 of a million letters, as in FIPS 180-4")
    func longSHA256() {
        let digest = MessageDigest.sha256(String(repeating: "a", count: 1_000_000))
        #expect(digest.hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(
        "HMAC-SHA256 of the messages of RFC 4231",
        arguments: [
            (Data(repeating: 0x0b, count: 20), Data("Hi There".utf8), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                Data("Jefe".utf8), Data("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                Data(repeating: 0xaa, count: 20), Data(repeating: 0xdd, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Data(1...25), Data(repeating: 0xcd, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                Data(repeating: 0xaa, count: 131), Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                Data(repeating: 0xaa, count: 131),
                Data(
                    ("This is a test using a larger than block-size key and a larger than block-size data. "
                        + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ] as [(Data, Data, String)])
    func hmac(key: Data, message: Data, expected: String) {
        #expect(MessageDigest.hmacSHA256(message, key: key).hex == expected)
    }

    @Test("the digest does not depend on the pieces of the message", arguments: [1, 7, 55, 56, 63, 64, 65, 128])
    func pieces(size: Int) {
        let message = (0..<500).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for length in [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 500] {
            var sha = SHA256()
            var md5 = MD5Digest()
            var rest = message.prefix(length)
            while !rest.isEmpty {
                Array(rest.prefix(size)).withUnsafeBytes { sha.update($0) }
                md5.update(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(sha.finish() == MessageDigest.sha256(Data(message.prefix(length))).bytes)
            #expect(md5.finish() == MessageDigest.md5(Data(message.prefix(length))).bytes)
        }
    }

    @Test("a digest is written as hexadecimal digits or in base 64")
    func texts() {
        #expect(MessageDigest.md5("abc").base64 == "kAFQmDzST7DWlj99KOF/cg==")
        #expect(MessageDigest.md5("\u{0}").hex == "93b885adfe0da089cdf634904fd59f71")
    }
}
