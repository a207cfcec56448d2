import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct SHA256Tests {
    /// The examples of FIPS 180-4.
    @Test(
        "the digest of known bytes",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ])
    func vectors(text: String, digest: String) {
        #expect(Hexadecimal.text(SHA256.digest(of: text.utf8)) == digest)
    }

    @Test("a million times the letter a") func million() {
        let digest = SHA256.digest(of: repeatElement(UInt8(ascii: "a"), count: 1_000_000))
        #expect(Hexadecimal.text(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("bytes in two pieces have the digest of the whole, wherever they are cut", arguments: [55, 56, 63, 64, 65, 127, 128, 200])
    func pieces(length: Int) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let whole = SHA256.digest(of: bytes)
        for cut in 0...length {
            var hash = SHA256()
            Array(bytes[..<cut]).withUnsafeBytes { hash.update($0) }
            Array(bytes[cut...]).withUnsafeBytes { hash.update($0) }
            #expect(hash.finish() == whole, "cut after \(cut)")
        }
    }
}
