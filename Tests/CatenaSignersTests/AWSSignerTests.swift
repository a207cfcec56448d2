import Foundation
import Testing

@testable import Catena
@testable import CatenaSigners

@Suite("AWS Signature Version 4", .limitedParallelism)
struct AWSSignerTests {
    private typealias Row = (name: String, request: String, headers: [(String, String)], body: String?, signed: String, signature: String)

    private static func signer(
        _ service: String = "service", secret: String = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", key: String = "AKIDEXAMPLE",
        token: String? = nil, at time: TimeInterval = 1_440_938_160
    ) -> AWSSigner {
        .awsSignatureV4(
            accessKey: key, secretKey: secret, sessionToken: token, region: "us-east-1", service: service,
            now: { Date(timeIntervalSince1970: time) })
    }

    /// - Parameter line: The method and the address, or the method and a path on the suite's host.
    private static func request(_ line: String, _ headers: [(String, String)] = [], _ body: String? = nil) throws -> HTTPRequest {
        let parts = line.split(separator: " ", maxSplits: 1)
        let address = parts[1].hasPrefix("/") ? "https://example.amazonaws.com" + parts[1] : String(parts[1])
        return HTTPRequest(
            method: HTTPMethod(String(parts[0])), address: try HTTPAddress(parsing: address),
            headers: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.0, value: $0.1) }), body: body.map { Data($0.utf8) })
    }

    private static let empty = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
    private static let alphabet = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let form = "application/x-www-form-urlencoded"

    /// The test suite of AWS with its names, without the cases whose address or header Catena does not allow.
    private static let suite: [Row] = [
        ("get-vanilla", "GET /", [], nil, "host;x-amz-date", empty),
        ("get-vanilla-query", "GET /?", [], nil, "host;x-amz-date", empty),
        (
            "get-vanilla-empty-query-key", "GET /?Param1=value1", [], nil, "host;x-amz-date",
            "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"
        ),
        (
            "get-vanilla-query-order-key", "GET /?Param1=value2&Param1=Value1", [], nil, "host;x-amz-date",
            "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"
        ),
        (
            "get-vanilla-query-order-key-case", "GET /?Param2=value2&Param1=value1", [], nil, "host;x-amz-date",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        (
            "get-vanilla-query-order-value", "GET /?Param1=value2&Param1=value1", [], nil, "host;x-amz-date",
            "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"
        ),
        (
            "get-vanilla-query-unreserved", "GET /?\(alphabet)=\(alphabet)", [], nil, "host;x-amz-date",
            "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"
        ),
        (
            "get-vanilla-utf8-query", "GET /?ሴ=bar", [], nil, "host;x-amz-date",
            "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"
        ),
        (
            "get-unreserved", "GET /\(alphabet)", [], nil, "host;x-amz-date",
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
        ),
        ("get-relative", "GET /example/..", [], nil, "host;x-amz-date", empty),
        ("get-relative-relative", "GET /example1/example2/../..", [], nil, "host;x-amz-date", empty),
        ("get-slash", "GET //", [], nil, "host;x-amz-date", empty),
        ("get-slash-dot-slash", "GET /./", [], nil, "host;x-amz-date", empty),
        (
            "get-slash-pointless-dot", "GET /./example", [], nil, "host;x-amz-date",
            "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"
        ),
        (
            "get-slashes", "GET //example//", [], nil, "host;x-amz-date", "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"
        ),
        (
            "get-header-key-duplicate", "GET /", [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")], nil,
            "host;my-header1;x-amz-date", "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"
        ),
        (
            "get-header-value-order", "GET /",
            [("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"), ("My-Header1", "value2")], nil,
            "host;my-header1;x-amz-date", "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"
        ),
        (
            "get-header-value-trim", "GET /", [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")], nil,
            "host;my-header1;my-header2;x-amz-date", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
        ),
        ("post-vanilla", "POST /", [], nil, "host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (
            "post-vanilla-query", "POST /?Param1=value1", [], nil, "host;x-amz-date",
            "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"
        ),
        (
            "post-header-key-sort", "POST /", [("MY-HEADER1", "value1")], nil, "host;my-header1;x-amz-date",
            "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"
        ),
        (
            "post-header-value-case", "POST /", [("My-Header1", "VALUE1")], nil, "host;my-header1;x-amz-date",
            "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"
        ),
        (
            "post-x-www-form-urlencoded", "POST /", [("Content-Type", form)], "Param1=value1", "content-type;host;x-amz-date",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        ),
    ]

    @Test("signatures equal those of the AWS test suite", arguments: suite.indices)
    func published(row: Int) throws {
        let row = Self.suite[row]
        var request = try Self.request(row.request, row.headers, row.body)
        try Self.signer().sign(&request, params: [:])
        #expect(
            request.headers["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=\(row.signed), "
                + "Signature=\(row.signature)", "\(row.name)")
        #expect(request.headers["X-Amz-Date"] == "20150830T123600Z" && !request.headers.contains("X-Amz-Content-SHA256"))
    }

    /// The first three signatures are from the manual of S3, the others from botocore.
    private static let storage: [(request: String, headers: [(String, String)], body: String?, token: String?, signature: String)] = [
        (
            "GET https://examplebucket.s3.amazonaws.com/?lifecycle", [], nil, nil,
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        (
            "GET https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", [], nil, nil,
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
        (
            "PUT https://examplebucket.s3.amazonaws.com/test$file.text",
            [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")], "Welcome to Amazon S3.", nil,
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        (
            "PUT https://bucket.s3.us-east-1.amazonaws.com/a%20b//$c%2fd/é", [("Content-Type", "text/plain")], "hello", "made/up+token==",
            "7527cda05fe476c7a6bcdc48f0a9b7220dd229d7f7eb125f977f1c02db44bc7b"
        ),
    ]

    @Test("for S3 a path is encoded once and keeps empty segments, and the body's digest is sent", arguments: storage.indices)
    func storageRules(row: Int) throws {
        let row = Self.storage[row]
        var request = try Self.request(row.request, row.headers, row.body)
        let signer =
            row.token == nil
            ? Self.signer("s3", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", key: "AKIAIOSFODNN7EXAMPLE", at: 1_369_353_600)
            : Self.signer("s3", token: row.token)
        try signer.sign(&request, params: [:])
        #expect(request.headers["Authorization"]?.hasSuffix("Signature=" + row.signature) == true)
        #expect(request.headers["X-Amz-Content-SHA256"] == MessageDigest.sha256(row.body ?? "").hex)
        #expect(request.headers["X-Amz-Security-Token"] == row.token)
    }

    @Test("for other services a path is encoded twice, and a query is signed in canonical form")
    func addresses() throws {
        // The signature of botocore for the same query, fully encoded.
        let signature = "f8e29a90713afc72fa4b854dea39c85853b85120b7a132da907da4d6db0111f3"
        for query in ["a=%2Fx%3F&b=%2B&c%20d=1&e=", "e&c+d=1&b=%2b&a=/x?"] {
            var request = try Self.request("GET https://example.amazonaws.com:8443/a%20b/c:d//e/?\(query)")
            try Self.signer().sign(&request, params: [:])
            #expect(request.headers["Authorization"]?.hasSuffix("Signature=" + signature) == true)
            #expect(request.address.query == query)
        }
    }

    @Test("the session token and the call's headers are signed, except headers that may change on the way")
    func headers() throws {
        var request = try Self.request(
            "POST /prod",
            [("Content-Type", "application/json"), ("User-Agent", "a"), ("Cookie", "a=1"), ("traceparent", "00"), ("X-Own", "a  b")],
            #"{"a":1}"#)
        try Self.signer("execute-api", token: "made/up+token==").sign(&request, params: [:])
        #expect(
            request.headers["Authorization"]?.hasSuffix(
                "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-own, "
                    + "Signature=f3cd6a8ed4eae18fc82108ccc6b4a0f0ae59321f9281e600e9523e8670ed7192") == true)
    }

    @Test("a streamed body is not signed unless the call sets its digest")
    func streamed() throws {
        var request = try Self.request("PUT https://bucket.s3.us-east-1.amazonaws.com/a", [("Content-Type", "text/plain")])
        request.bodySource = BodySource(Data("hello".utf8))
        var other = request
        try Self.signer("s3").sign(&request, params: [:])
        #expect(request.headers["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD")
        #expect(request.headers["Authorization"]?.hasSuffix("fbd50712e2f6d1270e833352797f5cb1d44609bdadc32a2412b13a55d1f3ea5e") == true)
        let digest = MessageDigest.sha256("hello").hex
        other.headers["X-Amz-Content-SHA256"] = digest
        try Self.signer("s3").sign(&other, params: [:])
        #expect(other.headers["X-Amz-Content-SHA256"] == digest)
        #expect(other.headers["Authorization"]?.contains("x-amz-content-sha256;x-amz-date") == true)
    }

    @Test(
        "a request that cannot be signed fails with the reason",
        arguments: [
            (signer(key: ""), "signer: accessKey: it is empty"), (signer(secret: ""), "signer: secretKey: it is empty"),
            (signer(""), "signer: service: it is empty"), (signer(token: "a\r\nX: b"), "signer: "),
            (signer(key: "a\nb"), "signer: "), (signer(at: .infinity), "signer: the time"), (signer(at: -1e18), "signer: the time"),
        ])
    func faults(signer: AWSSigner, words: String) throws {
        var request = try Self.request("GET /")
        let error = #expect(throws: APIError.self) { try signer.sign(&request, params: [:]) }
        #expect(error?.kind == .invalidRequest && error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
    }

    @Test("a signer does not replace an existing Authorization header")
    func taken() throws {
        var request = try Self.request("GET /", [("authorization", "Bearer a")])
        let error = #expect(throws: APIError.self) { try Self.signer().sign(&request, params: [:]) }
        #expect(error?.message.contains("Authorization") == true && request.headers["Authorization"] == "Bearer a")
    }

    @Test("a signer does not show its keys")
    func secrecy() {
        let signer = Self.signer(secret: "s3cret", key: "s3cret", token: "s3cret")
        var dumped = ""
        dump(signer, to: &dumped)
        for text in ["\(signer)", String(reflecting: signer), dumped] { #expect(!text.contains("s3cret") && text.contains("AWSSigner")) }
    }
}
