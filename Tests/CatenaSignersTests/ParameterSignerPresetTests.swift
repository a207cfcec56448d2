import CatenaTesting
import Foundation
import Testing

@testable import Catena
@testable import CatenaSigners

@Suite("Signers of WeChat Pay v2 and Alipay", .limitedParallelism)
struct ParameterSignerPresetTests {
    let stubs = Stubs()

    /// The example of WeChat Pay's manual, with the manual's key.
    private static let key = "192006250b4c09247ec02edce69f6a2d"
    private static let order: Params = [
        "appid": "wxd930ea5d5a258f4f", "mch_id": "10000100", "device_info": "1000", "body": "test", "nonce_str": "ibuaiVcKdpRxkhJA",
    ]

    private func client(_ signer: any RequestSigner, encoding: ParameterEncoding = .custom(XMLParameterEncoder())) -> Client {
        let client = Client(testing: stubs)
        client.configureDefaults { defaults in
            defaults.encoding = encoding
            defaults.signer = signer
        }
        stubs.on(nil, "/a").reply(data: 1)
        return client
    }

    @Test("WeChat Pay's example is sent as its manual shows it")
    func weChatPay() async throws {
        try await client(.weChatPayV2(key: Self.key)).post("/a").params(Self.order).params(["attach": ""]).execute(.void).value
        #expect(
            stubs.requests.first?.text
                == "<xml><appid>wxd930ea5d5a258f4f</appid><mch_id>10000100</mch_id><device_info>1000</device_info><body>test</body>"
                + "<nonce_str>ibuaiVcKdpRxkhJA</nonce_str><attach></attach><sign>9A0A8659F005D6984697E2CA0A9CF3B7</sign></xml>")
        #expect(stubs.requests.first?.headers["Content-Type"] == "text/xml; charset=utf-8")
    }

    @Test("the param sign_type selects the digest")
    func signType() throws {
        var signer: ParameterSigner = .weChatPayV2(key: Self.key)
        let other = Self.order.merging(["sign_type": "HMAC-SHA256"])
        // The first signature is from another implementation. The second is from the manual, whose params have no type.
        #expect(try signer.signature(of: other) == "2C9DF1156522C0B2B03B4DBF3BCA5CACB602CBD5CA0F9E112458CF3E9855303B")
        #expect(throws: APIError.self) { try signer.signature(of: ["sign_type": "RSA"]) }
        #expect(throws: APIError.self) { try signer.signature(of: ["sign_type": 1]) }
        signer.alternative = nil
        signer.digest = .hmacSHA256(key: Data(Self.key.utf8))
        #expect(try signer.signature(of: Self.order) == "6A9AE1657590FD6257D693A078E1C3E4BB6BA4DC30B23E0EE2496E54170DACD6")
    }

    @Test("Alipay's signature is sent in the form, or in the query if there is no form", .enabled(if: RSASignature.isAvailable))
    func alipay() async throws {
        let params: Params = [
            "timestamp": "2014-07-24 03:07:50", "method": "alipay.trade.create", "app_id": "2014072300007148", "sign_type": "RSA2",
            "version": "1.0", "charset": "utf-8", "notify_url": "",
            "biz_content": #"{"out_trade_no":"70501111111S001111119","total_amount":9.00}"#,
        ]
        let client = client(.alipay(privateKey: MadeUpKeys.base64(MadeUpKeys.pkcs1)), encoding: .form)
        try await client.post("/a").params(params).execute(.void).value
        try await client.get("/a").params(params).execute(.void).value
        // Made with `openssl dgst -sha256 -sign` from the sorted params without the empty one.
        let signature = """
            IDrqU47RI7d9HodlXRqa5dENAjJJiaQn09p6PhKqsjSjjz0e+ASsjsEL4q2tcxFmPzJ0DkMleZKr3RkWeScUzKvBs+wyOheX1SiEAJh/2Sy5fYmDsiJey6tH+VGW8y2I9g4c\
            j6XyY2h2/TYMh8Pu1rMMWQIdJCqok8HrLFFMZ3DYL/nA0za5ScH3yliEjkm+EKdZNi0/p7WT3EDILZUM6eLsNdOwf1AEHeWav4sdTYVdKLpvJPKGkpUf8hbu77eRtmG0gj4M\
            Zhy8XXeOmV0vOgo9nWRak+nnkprnCq3cXbI37Dv45PdSewijroXDTbD+ym31A9JK4KBh29ANtPbZcQ==
            """
        #expect(stubs.requests.map { $0.form("sign") } == [signature, nil])
        #expect(stubs.requests.map { $0.query("sign") } == [nil, signature])
        let closure: ParameterSigner = .alipay { Array($0.prefix(3)) }
        #expect(try closure.signature(of: ["a": 1, "b": 2]) == "YT0x")
    }

    @Test(
        "a signature is placed beside the params, in the body or in the query",
        arguments: [
            ("form", "a=1&sign=ab", nil), ("json", #"{"a":1,"sign":"ab"}"#, nil), ("xml", "<xml><a>1</a><sign>ab</sign></xml>", nil),
            ("query", "", "ab"), ("get", "", "ab"), ("json array", "[1]", "ab"), ("text", "a", "ab"), ("no params", "", "ab"),
        ] as [(String, String, String?)])
    func params(body: String, text: String, query: String?) async throws {
        let signer = ParameterSigner(.custom { _ in [0xAB] }, placement: .params("sign"))
        let encoding: ParameterEncoding =
            switch body {
            case "form": .form
            case "xml": .custom(XMLParameterEncoder())
            case "query": .query
            default: .json
            }
        let client = client(signer, encoding: encoding)
        let request =
            switch body {
            case "get": client.get("/a").params(["a": 1])
            case "json array": client.post("/a").json([1])
            case "text": client.post("/a").body(Data("a".utf8), contentType: "text/plain")
            case "no params": client.post("/a")
            default: client.post("/a").params(["a": 1])
            }
        try await request.execute(.void).value
        let call = try #require(stubs.requests.first)
        #expect(call.text == text && call.query("sign") == query)
    }

    @Test("a call with a multipart body fails before it is sent, because such a body has no place for a signature")
    func multipart() async {
        let client = client(ParameterSigner(.md5, placement: .params("sign")), encoding: .json)
        let error = await #expect(throws: APIError.self) { try await client.post("/a").multipart { $0.field("note", "x") }.value() }
        #expect(error?.kind == .invalidRequest && error?.message.hasPrefix("signer: a body of several parts") == true)
        #expect(stubs.requests.isEmpty)
    }

    @Test(
        "a signature becomes the last element of an XML document, or the call fails if it cannot be placed",
        arguments: [
            ("<?xml version=\"1.0\"?>\n<a><b/></a>\n", "<?xml version=\"1.0\"?>\n<a><b/><sign>ab</sign></a>\n"),
            ("<a></a >", "<a><sign>ab</sign></a >"),
            ("<a><sign>x</sign></a>", nil), ("<a><sign/></a>", nil), ("<a><sign b=\"\"/></a>", nil), ("<a/>", nil), ("", nil), ("</", nil),
            ("<a></a><!-- </b> -->", nil),
        ] as [(String, String?)])
    func document(body: String, expected: String?) throws {
        let signer = ParameterSigner(.custom { _ in [0xAB] }, placement: .body("sign"))
        var request = HTTPRequest(
            method: .post, address: try HTTPAddress(parsing: "https://h/"), headers: ["Content-Type": "application/xml"],
            body: Data(body.utf8))
        do {
            try signer.sign(&request, params: [:])
            #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == expected)
        } catch {
            #expect(expected == nil && (error as? APIError)?.message.hasPrefix("signer: ") == true)
        }
    }
}
