import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Signing params", .limitedParallelism)
struct ParameterSignerTests {
    private static func request(
        _ url: String = "https://h/p?b=2&a=1", method: HTTPMethod = .post, type: String? = nil, body: String? = nil
    ) throws -> HTTPRequest {
        HTTPRequest(
            method: method, address: try HTTPAddress(parsing: url), headers: ["Content-Type": type], body: body.map { Data($0.utf8) })
    }

    /// Returns a signer that filters, sorts and joins the params, appends `key=<secret>`, and writes the MD5 digest in upper case.
    private static func classic(_ suffix: String = "&key=s3cret") -> ParameterSigner {
        var signer = ParameterSigner(.md5, secret: .suffix(suffix))
        signer.format = .upperHex
        signer.excluded = ["app", "os", "pub_uid"]
        return signer
    }

    @Test(
        "params are filtered, sorted, joined and digested with a secret",
        arguments: [
            (["c": true, "os": "iOS", "b": "x y", "a": 1, "app": "y", "sign": "old"], "&key=s3cret", "2F070B88D5B6342C4553884AAF26F584"),
            ([:], "&key=s3cret", "9873070E3CF09E05A106CC8753CBFDD9"), (["app": 1], "key=s3cret", "D417549F937EA8A30307A100072EE1AE"),
        ] as [(Params, String, String)])
    func classic(params: Params, suffix: String, expected: String) throws {
        #expect(try Self.classic(suffix).signature(of: params) == expected)
    }

    @Test("digest, format and the place of the secret can be chosen")
    func choices() throws {
        let params: Params = ["b": 2, "a": 1]
        var signer = ParameterSigner(.md5, secret: .around("s3cret"))
        #expect(try signer.signature(of: params) == "c10a780beb7739304d40aebc40002802")
        signer = ParameterSigner(.sha256)
        #expect(try signer.signature(of: params) == "8e85be58c1c372ac29fe7bfa80d8ddcbd04a4032c7b51c1c026d67c55b1ab23f")
        signer = ParameterSigner(.hmacSHA256(key: Data("k".utf8)))
        signer.format = .base64
        #expect(try signer.signature(of: params) == "rKqXbhliaYgLiziYpewvOIFpbkVwiQ6JU4uloMv+KCk=")
        signer = ParameterSigner(.custom { Array($0.reversed()) }, secret: .prefix("p"))
        #expect(try signer.signature(of: ["a": 1]) == "313d6170")
    }

    @Test(
        "every kind of param value has a canonical text",
        arguments: [
            (["s": "a&b=c é"], "s=a&b=c é"), (["t": true, "f": false], "f=false&t=true"), (["i": 1, "d": 1.5, "w": 2.0], "d=1.5&i=1&w=2"),
            (["n": .null, "x": nil], "n="), (["e": "", "a": 1], "a=1&e="), (["l": [3, 1, 2]], "l=3,1,2"),
            (["l": [] as [Int], "a": 1], "a=1"),
            (["u": ["name": "x", "age": "7"]], "u[age]=7&u[name]=x"), (["B": 1, "a": 2, "_": 3], "B=1&_=3&a=2"),
            (["a[1]": 1, "a1": 2, "a": 3], "a=3&a1=2&a[1]=1"), (["é": 1, "z": 2], "z=2&é=1"),
        ] as [(Params, String)])
    func values(params: Params, expected: String) throws {
        #expect(try ParameterSigner(.md5).canonicalText(of: params) == expected)
    }

    @Test("nesting, styles, separators and encoding of the signed text can be chosen")
    func styles() throws {
        let params: Params = ["b": true, "l": ["x", "y"], "n": .null, "o": ["k": "a b"], "e": ""]
        var signer = ParameterSigner(.md5)
        signer.nesting = .json
        #expect(try signer.canonicalText(of: params) == #"b=true&e=&l=["x","y"]&n=&o={"k":"a b"}"#)
        signer.style.dates = .milliseconds
        signer.style.order = .sorted
        let dates: Params = ["o": ["z": Date(timeIntervalSince1970: 1.5), "a": JSON(array: [1])] as Params]
        #expect(try signer.canonicalText(of: dates) == #"o={"a":[1],"z":1500}"#)
        let fault = #expect(throws: APIError.self) { try signer.signature(of: ["o": ["d": Double.nan] as Params]) }
        #expect(fault?.message.hasPrefix("signer: \"o.d\": ") == true)
        signer.dropsEmpty = true
        signer.encodesValues = true
        signer.style.booleans = .numeric
        #expect(try signer.canonicalText(of: params) == "b=1&l=%5B%22x%22%2C%22y%22%5D&o=%7B%22k%22%3A%22a%20b%22%7D")
        signer = ParameterSigner(.md5)
        signer.style.arrays = .repeat
        signer.style.nulls = .drop
        signer.style.nesting = .dots
        signer.assignment = ""
        signer.separator = "|"
        #expect(try signer.canonicalText(of: params) == "btrue|e|lx|ly|o.ka b")
    }

    @Test("a param that cannot be signed fails with its name")
    func faults() throws {
        let nested: Params = ["l": JSON(array: [JSON(array: [1])])]
        let error = #expect(throws: APIError.self) { try ParameterSigner(.md5).signature(of: nested) }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.hasPrefix("signer: \"l[0]\": ") == true)
        #expect(throws: APIError.self) { try ParameterSigner(.md5).signature(of: ["d": Double.nan]) }
        let failing = ParameterSigner(.custom { _ in throw Failure(4) })
        let wrapped = #expect(throws: APIError.self) { try failing.signature(of: [:]) }
        #expect(wrapped?.underlying as? Failure == Failure(4))
    }

    @Test("the signature is placed in the query or a header, and replaces a former one")
    func placement() throws {
        var signer = ParameterSigner(.custom { _ in [0xAB] })
        var request = try Self.request("https://h/p?sign=old&a=1")
        try signer.sign(&request, params: [:])
        try signer.sign(&request, params: [:])
        #expect(request.address.text == "https://h/p?a=1&sign=ab")
        signer.placement = .header("X-Sign")
        try signer.sign(&request, params: [:])
        #expect(request.headers["X-Sign"] == "ab")
        signer.placement = .query("s+n")
        signer.format = .base64
        try signer.sign(&request, params: [:])
        #expect(request.address.query == "a=1&sign=ab&s%2Bn=qw%3D%3D")
        signer.placement = .header("bad name")
        #expect(throws: APIError.self) { try signer.sign(&request, params: [:]) }
    }

    @Test(
        "placing a signature in a body leaves its other bytes unchanged",
        arguments: [
            ("application/json", #"{"a": 1.10, "b":[1]}"#, #"{"a": 1.10, "b":[1],"sign":"ab"}"#),
            ("application/json", "{}", #"{"sign":"ab"}"#),
            ("application/vnd.x+json; charset=utf-8", " { } \n", " { \"sign\":\"ab\"} \n"),
            ("application/x-www-form-urlencoded", "a=1", "a=1&sign=ab"), ("application/x-www-form-urlencoded", "a=1&sign=old", nil),
            ("application/x-www-form-urlencoded", "%73ign=old", nil),
            ("application/x-www-form-urlencoded", "", "sign=ab"),
            ("application/json", "[1]", nil), ("application/json", "{", nil), ("application/json", #"{"sign":"x"}"#, nil),
            ("text/plain", "{}", nil),
            (nil, "", nil),
        ] as [(String?, String, String?)])
    func bodies(type: String?, body: String, expected: String?) throws {
        let signer = ParameterSigner(.custom { _ in [0xAB] }, placement: .body("sign"))
        var request = try Self.request(type: type, body: body)
        do {
            try signer.sign(&request, params: [:])
            #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == expected)
        } catch {
            #expect(expected == nil)
            #expect((error as? APIError)?.message.hasPrefix("signer: ") == true)
        }
    }

    @Test("a signer does not show its secret")
    func secrecy() {
        let signer = ParameterSigner(.hmacSHA256(key: Data("s3cret".utf8)), secret: .suffix("s3cret"))
        var dumped = ""
        dump(signer, to: &dumped)
        for text in ["\(signer)", String(reflecting: signer), dumped] {
            #expect(!text.contains("s3cret"))
            #expect(text.contains("ParameterSigner"))
        }
    }
}
