import Foundation
import Testing

@testable import Catena
@testable import CatenaSigners

@Suite("RSA signatures", .limitedParallelism, .enabled(if: RSASignature.isAvailable))
struct RSASignatureTests {
    /// The signature of `a=1&b=2`, made with `openssl dgst -sha256 -sign`.
    static let known = """
        Uzl7R9Y3Q7M5q6L8L4zb1EGaX7IozVox+t3sPXOEANlfHvhcwJ7RJpts13FkMJErZRyLNpYeIvIf/ti6xVPb0K9injUkZuIi5PvIMkH/26fli2iMbwKBzI67BSOAuGrjNtpb\
        tcZHpC/GMCwX9uO4RwDx5yHFSb817bVkA519y4HJNUKY60rVXp5Zjxq3TYwGfpt5H4qqtdO0nPsmhUYeX7edYG4TDQu9Bv5a5KM/DLV19gf5cqc5Vf5mkRotZ1rTAhyPHsZ+\
        SDGtEu1CXHqOt9H+8X2wPLAxujUqfbIyL1R6gQUs2Th72Ea9z+l6GIeU0Xh1w8IkXXMYWrzg/T6opg==
        """

    @Test("a signature equals OpenSSL's", arguments: [MadeUpKeys.pkcs1, MadeUpKeys.pkcs8])
    func known(pem: String) throws {
        #expect(Data(try RSASignature.sign(Data("a=1&b=2".utf8), withKey: pem)).base64EncodedString() == Self.known)
        var signer = ParameterSigner(.rsaSHA256(privateKey: pem))
        signer.format = .base64
        #expect(try signer.signature(of: ["b": 2, "a": 1]) == Self.known)
    }

    @Test("threads can sign at the same time")
    func concurrent() async throws {
        let signatures = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 { group.addTask { try RSASignature.sign(Data("a=1&b=2".utf8), withKey: MadeUpKeys.pkcs8) } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(signatures.map { Data($0).base64EncodedString() } == [Self.known])
    }

    @Test("an empty message and a long one can be signed")
    func lengths() throws {
        #expect(try RSASignature.sign(Data(), withKey: MadeUpKeys.pkcs8).count == 256)
        #expect(try RSASignature.sign(Data(count: 1_000_000), withKey: MadeUpKeys.pkcs8).count == 256)
    }

    @Test("an unusable key fails without showing it, and on a platform without RSA the error names .custom")
    func faults() {
        let bad = #expect(throws: APIError.self) { try RSASignature.sign(Data(), withKey: MadeUpKeys.elliptic) }
        #expect(bad?.kind == .invalidRequest && bad?.message == "signer: the private key: it is a key of another kind than RSA")
        // A key with nine numbers that are all one.
        let ones = [0x30, 27] + [[UInt8]](repeating: [0x02, 0x01, 0x01], count: 9).joined()
        let useless = #expect(throws: APIError.self) { try RSASignature.sign(Data(), withKey: Data(ones).base64EncodedString()) }
        #expect(useless?.message == "signer: the private key: nothing can be signed with its numbers")
        let absent = #expect(throws: APIError.self) { try RSASignature.sign(Data(), withKey: MadeUpKeys.pkcs8, isAvailable: false) }
        #expect(absent?.kind == .invalidRequest && absent?.message.contains(".custom") == true)
    }

    @Test("a damaged key makes a wrong signature or fails, without a crash")
    func damaged() throws {
        let bytes = try #require(Data(base64Encoded: MadeUpKeys.base64(MadeUpKeys.pkcs1)))
        for place in stride(from: 0, to: bytes.count, by: 29) {
            var damaged = bytes
            damaged[place] ^= 0x55
            let signature = try? RSASignature.sign(Data("a=1&b=2".utf8), withKey: damaged.base64EncodedString())
            #expect((signature?.count ?? 0) <= 2048)
        }
        #expect(Data(try RSASignature.sign(Data("a=1&b=2".utf8), withKey: MadeUpKeys.pkcs1)).base64EncodedString() == Self.known)
    }
}
