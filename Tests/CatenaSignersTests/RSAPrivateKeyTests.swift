import Foundation
import Testing

@testable import Catena
@testable import CatenaSigners

@Suite("Private RSA keys", .limitedParallelism)
struct RSAPrivateKeyTests {
    private static let texts = [
        MadeUpKeys.pkcs8, MadeUpKeys.base64(MadeUpKeys.pkcs8), MadeUpKeys.base64(MadeUpKeys.pkcs1),
        MadeUpKeys.pkcs8.replacing("\n", with: "\r\n"), "Bag Attributes\n  localKeyID: 01\n" + MadeUpKeys.pkcs8 + "\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" + MadeUpKeys.pkcs1,
    ]

    @Test("a key is read from PKCS #1, PKCS #8 or base64 alone, whatever text surrounds it", arguments: texts.indices)
    func forms(index: Int) throws {
        let key = try RSAPrivateKey(pem: Self.texts[index])
        #expect(key.bytes == (try #require(Data(base64Encoded: MadeUpKeys.base64(MadeUpKeys.pkcs1)))).map { $0 })
    }

    private static func block(_ label: String, _ body: String = "AAAA") -> String {
        "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----"
    }

    @Test(
        "a text that is not a private RSA key is refused with the reason",
        arguments: [
            ("", "neither PEM nor base 64"), ("not a key: at all", "neither PEM nor base 64"), ("AAAA", "no private RSA key"),
            (block("ENCRYPTED PRIVATE KEY"), "encrypted"),
            (block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA"), "encrypted"),
            (block("PUBLIC KEY"), "public"), (block("CERTIFICATE"), "public"), (block("EC PRIVATE KEY"), "another kind"),
            (MadeUpKeys.elliptic, "another kind"), (block("SOMETHING"), "no block PRIVATE KEY"),
            (block("PRIVATE KEY", "A\\nB"), "neither PEM nor"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA", "ends before"), ("-----BEGIN PRIVATE KEY", "neither PEM nor base 64"),
        ])
    func faults(text: String, words: String) {
        let fault = #expect(throws: RSAPrivateKey.Fault.self) { try RSAPrivateKey(pem: text) }
        #expect(fault?.reason.contains(words) == true, "\(fault?.reason ?? "")")
    }

    @Test("a key that is cut or followed by other bytes is refused", arguments: [MadeUpKeys.pkcs1, MadeUpKeys.pkcs8])
    func cut(pem: String) throws {
        let bytes = try #require(Data(base64Encoded: MadeUpKeys.base64(pem)))
        for count in 0..<bytes.count {
            #expect((try? RSAPrivateKey(pem: bytes.prefix(count).base64EncodedString())) == nil)
        }
        #expect((try? RSAPrivateKey(pem: (bytes + [0]).base64EncodedString())) == nil)
    }

    @Test("a key is read from one PKCS #8 wrapping, not from two")
    func nested() throws {
        let algorithm: [UInt8] = [0x30, 0x0B, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        func value(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] { [tag, 0x82, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }
        func wrapped(_ key: [UInt8]) -> [UInt8] { value(0x30, [0x02, 0x01, 0x00] + algorithm + value(0x04, key)) }
        let key = try RSAPrivateKey(pem: MadeUpKeys.pkcs1).bytes
        #expect(try RSAPrivateKey(pem: Data(wrapped(key)).base64EncodedString()).bytes == key)
        #expect(throws: RSAPrivateKey.Fault.self) { try RSAPrivateKey(pem: Data(wrapped(wrapped(key))).base64EncodedString()) }
    }
}
