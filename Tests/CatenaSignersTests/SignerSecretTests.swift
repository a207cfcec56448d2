import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaSigners

/// A signer with a key, and the key as it was given.
private struct KeyedSigner: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: String
    let signer: any RequestSigner

    init(_ name: String, _ key: String, _ signer: any RequestSigner) { (testDescription, self.key, self.signer) = (name, key, signer) }

    private static let secret = "made-up/Key+0123456789=="

    static let all: [KeyedSigner] =
        [MadeUpKeys.pkcs8, MadeUpKeys.pkcs1, MadeUpKeys.base64(MadeUpKeys.pkcs1), MadeUpKeys.elliptic].flatMap { key in
            [
                KeyedSigner("RSA", key, ParameterSigner(.rsaSHA256(privateKey: key))),
                KeyedSigner("Alipay", key, .alipay(privateKey: key)),
                KeyedSigner("WeChat Pay v3", key, .weChatPayV3(merchant: "1900009191", serial: "1DDE", privateKey: key)),
            ]
        } + [
            KeyedSigner("WeChat Pay v2", secret, .weChatPayV2(key: secret)),
            KeyedSigner("HMAC", secret, ParameterSigner(.hmacSHA256(key: Data(secret.utf8)))),
            KeyedSigner("MD5 with a prefix", secret, ParameterSigner(.md5, secret: .prefix(secret))),
            KeyedSigner("SHA-256 with a suffix", secret, ParameterSigner(.sha256, secret: .suffix("&key=\(secret)"))),
            KeyedSigner("MD5 around", secret, ParameterSigner(.md5, secret: .around(secret))),
            KeyedSigner(
                "AWS", secret, .awsSignatureV4(accessKey: "AKIDEXAMPLE", secretKey: secret, region: "us-east-1", service: "a")),
            KeyedSigner(
                "AWS session", secret,
                .awsSignatureV4(
                    accessKey: "AKIDEXAMPLE", secretKey: "made-up-other-key", sessionToken: secret, region: "us-east-1", service: "a")),
        ]

    /// The texts by which a server or a careless line of the app may repeat the key.
    var forms: [String] {
        let body = key.contains("-----") ? MadeUpKeys.base64(key) : key
        let isRSA = key.contains("RSA PRIVATE") || body.hasPrefix("MIIE")
        // One key in both forms, so each stands for the other.
        let other = isRSA ? [MadeUpKeys.pkcs1, MadeUpKeys.base64(MadeUpKeys.pkcs1)] : []
        return [key, body, key.replacing("\n", with: "\r\n"), key.replacing("\n", with: " ")] + other
    }

    /// The parts of a form by which a reader would know it: those of PEM are its lines.
    static func parts(_ form: String) -> [String] {
        form.split(whereSeparator: \.isWhitespace).map(String.init).filter { $0.utf8.count >= 32 && !$0.contains("-----") }
            + (form.contains { $0.isWhitespace } ? [] : [form])
    }
}

@Suite("The keys of signers", .limitedParallelism)
struct SignerSecretTests {
    @Test("the key of each signer is hidden by its value, in each form and under any name", arguments: KeyedSigner.all)
    fileprivate func hidden(by row: KeyedSigner) async throws {
        let stubs = Stubs()
        let lines = Recorder<String>()
        let client = Client(testing: stubs)
        client.configure("pay") { $0.signer = row.signer }
        client.log(.verbose, to: LogSink { lines.note($0) })
        for (place, form) in row.forms.enumerated() {
            let body = try JSONEncoder().encode(["code": "7", "msg": "wrong: \(form)", "x": form])
            stubs.post("/\(place)").reply(.text(String(decoding: body, as: UTF8.self), status: 400, contentType: "application/json"))
            let request = client.tag("pay").post("/\(place)").params(["note": form])
            let failure = await #expect(throws: APIError.self) { try await request.execute(as: Int.self).value }
            let error = try #require(failure)
            await lines.reached(place + 1)
            let commands = try? await [request.curl(), "\(request.preview())"]
            let texts = ["\(error)", error.message, error.explanation ?? "", "\(request)"] + (commands ?? []) + lines.events
            for part in KeyedSigner.parts(form) {
                let shown = texts.first { $0.contains(part) || $0.contains(part.replacing("/", with: "\\/")) }
                #expect(shown == nil, "\(part): \(shown?.prefix(300) ?? "")")
            }
        }
    }

    @Test("a description of a digest has its kind and no key")
    func descriptions() {
        let digests: [ParameterSigner.Digest] = [
            .md5, .sha256, .hmacSHA256(key: Data("made-up".utf8)), .rsaSHA256(privateKey: "made-up"), .custom { _ in [] },
        ]
        #expect(digests.map { "\($0)" } == ["md5", "sha256", "hmacSHA256(***)", "rsaSHA256(***)", "custom"])
    }
}
