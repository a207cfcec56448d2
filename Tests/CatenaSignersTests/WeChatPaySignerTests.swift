import Foundation
import Testing

@testable import Catena
@testable import CatenaSigners

@Suite("WeChat Pay v3", .limitedParallelism)
struct WeChatPaySignerTests {
    private static func signer(
        merchant: String = "1900009191", serial: String = "1DDE55AD98ED71D6EDD4A4A16996DE7B47773A8C",
        at time: TimeInterval = 1_554_208_460.9,
        key: String = MadeUpKeys.pkcs8
    ) -> WeChatPaySigner {
        var signer: WeChatPaySigner = .weChatPayV3(
            merchant: merchant, serial: serial, privateKey: key, now: { Date(timeIntervalSince1970: time) })
        signer.nonce = { "593BEC0C930BF1AFEB40B4A08C8FB242" }
        return signer
    }

    private static func request(_ method: HTTPMethod, _ path: String, type: String? = nil, body: String? = nil) throws -> HTTPRequest {
        HTTPRequest(
            method: method, address: try HTTPAddress(parsing: "https://api.mch.weixin.qq.com" + path), headers: ["Content-Type": type],
            body: body.map { Data($0.utf8) })
    }

    /// Signatures that were made with `openssl dgst -sha256 -sign` from the five lines.
    private static let rows: [(method: HTTPMethod, path: String, body: String?, signature: String)] = [
        (
            .get, "/v3/certificates", nil,
            """
            DYp+wOBpn7MmUqDaB32SZVwIf222o96ved41mFiZ65R1/TjDApD/xIooAY41jcI0md9DFJlROhNFtxmEO0qmRKRh3Jlx5rRWS9vunGzFTJleymFL6NvwLP9Yo680ti+xSWCW\
            P+TqOHKaHgPC0ZA5Lx5h1oibC1OTSPXbff4CwnT+7VJmXFpwUYlG0LS/F1XHn8uguLMxTN0sIPVFcoopFP/lE7zylznxNlZ9xYKAMQvha988hQas9Rz37X2UBAuHfwz+crXX\
            SAv/OftHM3m3VT7ABV2aKUn/F9E2QKd+7ia5iHgLEuPMtqEp+30FC2bqOnhVzZXYTuONhU5GIlQXzQ==
            """
        ),
        (
            .post, "/v3/pay/transactions/jsapi?a=1&b=%2F", #"{"amount":100,"note":"订单"}"#,
            """
            U1LdrEsrouFXOT17ncpDGIWEBQHicV+jk2uB3KXp5gNnzAYDIgCSBgST0FhzhHaG13bAJ9Jxu5UVeshUoG93IfBezBmZd/PWWQuB0Bame5Pbn3w0mBvGfEtEObXVZWxLcW9M\
            epFg6mmfFfJczmjCysOJ4uswI/j+XDv7iyl8tfSoBOwIT/v7PmkE2RsG5gBlRty2Gy4zt5v976t1mM2wlNhCA94ytBVmWfY8+vcjW7BCwKbqtluns+/lYPcCE58mxyWq1+N8\
            zQ7Kbb+O2Y4GcwfjGD0xZYZ8TUiaiPLiUdoJ6xvxKeQ4TSHjymFgTxJHkkCu/D0d1Afkv8Uqpq+hnQ==
            """
        ),
    ]

    @Test("method, path with query, time, nonce and body are signed", .enabled(if: RSASignature.isAvailable), arguments: rows.indices)
    func header(row: Int) throws {
        let row = Self.rows[row]
        var request = try Self.request(row.method, row.path, type: row.body == nil ? nil : "application/json", body: row.body)
        try Self.signer().sign(&request, params: [:])
        #expect(
            request.headers["Authorization"]
                == "WECHATPAY2-SHA256-RSA2048 mchid=\"1900009191\",nonce_str=\"593BEC0C930BF1AFEB40B4A08C8FB242\",signature=\"\(row.signature)\","
                + "timestamp=\"1554208460\",serial_no=\"1DDE55AD98ED71D6EDD4A4A16996DE7B47773A8C\"")
    }

    @Test("a closure can sign instead of a key, and each nonce has 32 letters and digits and is used once")
    func closure() throws {
        let signer: WeChatPaySigner = .weChatPayV3(merchant: "1", serial: "2") { Array($0.prefix(3)) }
        var (first, second) = (try Self.request(.get, "/"), try Self.request(.get, "/"))
        try signer.sign(&first, params: [:])
        try signer.sign(&second, params: [:])
        #expect(first.headers["Authorization"]?.contains("signature=\"R0VU\"") == true)
        #expect(first.headers["Authorization"]?.contains(/nonce_str="[A-Z0-9]{32}"/) == true)
        #expect(first.headers["Authorization"] != second.headers["Authorization"])
    }

    @Test(
        "a request that cannot be signed fails with the reason",
        arguments: [
            (signer(merchant: ""), "signer: merchant: "), (signer(merchant: "1\",x=\"2"), "signer: merchant: "),
            (signer(serial: "a\r\nb"), "signer: serial: "), (signer(at: .nan), "signer: the time"), (signer(at: 1e300), "signer: the time"),
            (signer(key: MadeUpKeys.elliptic), "signer: the private key: "),
        ])
    func faults(signer: WeChatPaySigner, words: String) throws {
        var request = try Self.request(.get, "/")
        let error = #expect(throws: APIError.self) { try signer.sign(&request, params: [:]) }
        #expect(error?.kind == .invalidRequest && error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
        #expect(!request.headers.contains("Authorization"))
    }

    @Test("multipart bodies, streamed bodies and requests with an Authorization header are refused")
    func refused() throws {
        var upload = try Self.request(.post, "/", type: "multipart/form-data; boundary=b", body: "--b--")
        var streamed = try Self.request(.post, "/")
        streamed.bodySource = BodySource(Data("a".utf8))
        var signedIn = try Self.request(.get, "/")
        signedIn.headers["Authorization"] = "Bearer a"
        #expect(throws: APIError.self) { try Self.signer().sign(&upload, params: [:]) }
        #expect(throws: APIError.self) { try Self.signer().sign(&streamed, params: [:]) }
        #expect(throws: APIError.self) { try Self.signer().sign(&signedIn, params: [:]) }
        #expect(signedIn.headers["Authorization"] == "Bearer a")
    }

    @Test("a signer does not show its key")
    func secrecy() {
        let signer = Self.signer(key: "s3cret")
        var dumped = ""
        dump(signer, to: &dumped)
        for text in ["\(signer)", String(reflecting: signer), dumped] {
            #expect(!text.contains("s3cret") && text.contains("WeChatPaySigner"))
        }
    }
}
