import CatenaArchive
import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// A body in one form, with the secret `made-up` and the public text `open-1`.
struct SecretBody: Sendable, CustomTestStringConvertible {
    let form: String
    var contentType: String?
    let bytes: Data
    /// Whether the public text is still shown.
    var isReadable = true

    init(_ form: String, _ contentType: String?, _ text: String) {
        self.form = form
        self.contentType = contentType
        bytes = Data(text.utf8)
    }

    init(_ form: String, _ contentType: String?, bytes: Data) {
        self.form = form
        self.contentType = contentType
        self.bytes = bytes
        isReadable = false
    }

    var testDescription: String { form }

    static let all: [SecretBody] = [
        .init("JSON", "application/json", #"{"q":"open-1","token":"made-up"}"#),
        .init("JSON with white space around the colon", "application/json", "{\"q\" : \"open-1\", \"token\"\n\t:\n  \"made-up\"}"),
        .init("JSON with a name and a note", "application/json", #"{"q":"open-1","token (new)":"made-up"}"#),
        .init("JSON with a name in two languages", "application/json", #"{"q":"open-1","password（密码）":"made-up"}"#),
        .init("JSON with escapes in a key", "application/json", #"{"q":"open-1","\u0074oken":"made-up","pass\u0077ord":"made-up"}"#),
        .init("JSON in a string of JSON", "application/json", #"{"q":"open-1","body":"{\"token\" : \"made-up\"}"}"#),
        .init("JSON in JSON in JSON", "application/json", #"{"q":"open-1","a":"{\"b\":\"{\\\"\\u0074oken\\\":\\\"made-up\\\"}\"}"}"#),
        .init("JSON whose secret is an object", "application/json", #"{"credentials":{"a":["made-up",{"b":"made-up"}]},"q":"open-1"}"#),
        .init("JSON whose secret comes twice", "application/json", #"{"token":"***","token":"made-up","q":"open-1"}"#),
        .init(
            "JSON with a JWT within a string and within a key", "application/json",
            #"{"q":"open-1","link":"/verify/eyJhbGciOiJIUzI1NiJ9.made-up.c2ln","/verify/eyJhbGciOiJIUzI1NiJ9.made-up.c2ln":1}"#),
        .init("JSON with a JWT behind a sign", "application/json", #"{"q":"open-1","a":+eyJhbGciOiJIUzI1NiJ9.made-up.c2ln}"#),
        .init("JSON with a tab in a string", "application/json", "{\"q\":\"open-1\",\"a\":\"Bearer\tmade-up\"}"),
        .init(
            "JSON of names and values behind a malformed token", "application/json",
            #"{"q":"open-1","id":undefined,"a":[{"name":"password","value":"made-up"}]}"#),
        .init("a tag with a secret in a string of JSON", "application/xml", #"{"q":"open-1","a":"<a token="made-up">"#),
        .init("a pair with a secret in a string of JSON", "application/json", #"{"q":"open-1","a":"token="made-up""}"#),
        .init("a string of JSON before a pair with a secret", "application/json", #"["open-1","token="made-up"]"#),
        .init(
            "JSON of values and escaped names", "application/json",
            #"[{"name":"\u5bc6\u7801","value":"made-up"},{"value":"made-up","key":"pass\u0077ord"},{"name":"q","value":"open-1"}]"#),
        .init("JSON without a media type", nil, #" {"q":"open-1","\u0074oken" : "made-up"}"#),
        .init("JSON that is called a form", "application/x-www-form-urlencoded", #"{"q":"open-1","token":"made-up"}"#),
        .init("JSON that is broken", "application/json", #"{"q":"open-1", password: 'made-up', "token" : "made-up"}"#),
        .init("JSON with a colon in a list", "application/json", #"["open-1","token" : "made-up",c""#),
        .init("JSON with a colon behind an object", "application/json", #"[{"q":"open-1"},"token":"made-up"]"#),
        .init("JSON that is cut", "application/json", #"{"q":"open-1","a":[{"\u0074oken" : "made-up"#),
        .init("JSON that is cut within JSON", "application/json", #"{"q":"open-1","a":"{\"\u0074oken\" : \"made-up"#),
        .init("a form with a secret in the name of a param", "application/x-www-form-urlencoded", #","token" : "made-up",a=b&q=open-1"#),
        .init("lines of JSON", "application/x-ndjson", "{\"q\":\"open-1\"}\n{\"\\u0074oken\" : \"made-up\"}\n"),
        .init("events", "text/event-stream", "event: a\ndata: {\"q\":\"open-1\",\ndata: \"\\u0074oken\" :\ndata: \"made-up\"}\n\n"),
        .init(
            "a property list", "application/x-plist",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>q</key><string>open-1</string><key>token</key><string>made-up</string>
            <key>credentials</key><dict><key>a</key><data>made-up</data></dict></dict></plist>
            """),
        .init(
            "a property list with references", "text/xml",
            "<plist><dict><key>q</key><string>open-1</string><key>t&#111;ken</key><string>made-up</string></dict></plist>"),
        .init("XML", "application/xml", "<a><q>open-1</q><x:password kind='b'>made-up</x:password></a>"),
        .init("XML with attributes", "application/xml", "<a q='open-1' token='made-up'><field name=\"password\">made-up</field></a>"),
        .init(
            "XML-RPC", "text/xml",
            "<m><member><name>q</name><value>open-1</value></member><member><name>password</name><value><string>made-up</string></value></member></m>"
        ),
        .init("XML with a section of text", "application/xml", "<a><q>open-1</q><token><![CDATA[made-up]]></token></a>"),
        .init("XML that is cut", "application/xml", "<a><q>open-1</q><token><b>made-up"),
        .init("HTML", "text/html", "<!DOCTYPE html><p>open-1<br><input type=\"password\" name=\"p\" value=\"made-up\"></p>"),
        .init(
            "HTML in capitals", "text/html", "<!DOCTYPE html><P>open-1<BR><INPUT TYPE=\"PASSWORD\" NAME=\"p\" VALUE=\"made-up\"></P>"),
        .init(
            "XML with attributes in capitals", "application/xml", "<a><q>open-1</q><Property Name=\"Password\" Value=\"made-up\"/></a>"),
        .init("JSON in XML", "application/xml", "<a><q>open-1</q><b>{&quot;token&quot; : &quot;made-up&quot;}</b></a>"),
        .init("a form", "application/x-www-form-urlencoded", "q=open-1&access%5Ftoken=made-up&next=%2F%3Fpassword%3Dmade-up"),
        .init(
            "parts", "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nmade-up\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"q\"\r\n\r\nopen-1\r\n--b--\r\n"),
        .init(
            "parts with line feeds", "multipart/form-data; boundary=b",
            "--b\nContent-Disposition: form-data; name=\"password\"\n\nmade-up\n--b\nContent-Disposition: form-data; name=\"q\"\n\nopen-1\n--b--\n"
        ),
        .init(
            "parts behind a preamble", "multipart/form-data; boundary=\"b\"",
            "read on\r\n--b\r\nContent-Disposition: form-data; name=password\r\n\r\nmade-up\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"q\"\r\n\r\nopen-1\r\n--b--\r\n"),
        .init(
            "parts of which one is JSON", "multipart/mixed; boundary=b",
            "--b\r\nContent-Type: application/json\r\n\r\n{\"q\":\"open-1\",\"\\u0074oken\" : \"made-up\"}\r\n--b--\r\n"),
        .init(
            "parts that are cut", "multipart/form-data; boundary=b",
            "--b\nContent-Disposition: form-data; name=\"q\"\n\nopen-1\n--b\nContent-Disposition: form-data; name=\"password\"\n\nmade-up"),
        .init("a digest", "text/plain", "open-1 sent Digest username=\"ann\", nonce=\"made-up\", response=\"made-up\""),
        .init("an HMAC", "text/plain", "open-1 sent HMAC ann:made-up-0123456789"),
        .init("a header with a digest", "text/plain", "open-1\nAuthorization: Digest username=\"ann\", response=\"made-up\"\n"),
        .init("several cookies", "text/plain", "open-1\nCookie: a=made-up; b=made-up\n"),
        .init("an address with user information", "text/plain", "open-1 https://ann:made-up@forum.test/a"),
        .init("text with a name in quotes", "text/plain", "open-1 \"token (new)\" : \"made-up\" \"password（密码）\" : 'made-up'"),
        .init("an address in an address", "text/plain", "open-1 https://forum.test/?next=%2Fb%3Ftoken%3Dmade-up"),
        .init("an address in one in one", "text/plain", "open-1 https://forum.test/?a=%2F%3Fb%3D%252F%253Ftoken%253Dmade-up"),
        .init("JSON of names and values", "application/json", #"[{"name":"token","value":"made-up"},{"name":"q","value":"open-1"}]"#),
        .init(
            "JSON of addresses and what belongs to them", "application/json",
            #"{"q":"open-1","https://ann:made-up@forum.test/":1,"a":{"/b?token=made-up&c=d":"open-1"}}"#),
        .init("XML behind something else", "application/xml", "open-1 <password>made-up</password>"),
        .init("XML in text", "text/plain", "open-1 <a><q>open-1</q><password kind='b'>made-up</password></a>"),
        .init(
            "JSON within the label of a key", "text/plain",
            "open-1 \"a -----BEGIN PRIVATE KEY {\"password\":\"made-up\"}-----\nb\n"),
        .init("XML whose values lack a quote", "application/xml", "<a><q>open-1</q><b session=\">x</b><c token=\"made-up\"></c></a>"),
        .init(
            "a comment with a value that has taken in a tag", "application/xml",
            "<a><q>open-1</q><!-- session=\">list/><a token=\"made-up\">"),
        .init(
            "text with a value that has taken in a tag", "application/xml",
            "<a><q>open-1</q><![CDATA[session=\"><b token = \"made-up\">]]></a>"),
        .init("XML whose value has taken in a tag", "application/xml", "<a><q>open-1</q><b n.0 c=d<token>made-up</token></a>"),
        .init("XML with something else in a tag", "application/xml", "<a><q>open-1</q><b {\"token\":\"made-up\"}/></a>"),
        .init(
            "elements behind an instruction that ends as in HTML", "application/xml",
            #"<?xml version="1.0"><dict><key>q</key><string>open-1</string><key>password</key><string>made-up</string></dict><?x?>"#),
        .init(
            "elements behind an empty instruction", "application/xml",
            "<?><dict><key>q</key><string>open-1</string><key>password</key><string>made-up</string></dict>"),
        .init("XML with a tag in a declaration", "application/xml", "<a><q>open-1</q><![C<password>made-up</password></a>"),
        .init("XML with a tag in an end", "application/xml", "<a><q>open-1</q></b<password>made-up</password></a>"),
        .init("XML with a tag in a value", "application/xml", "<a><q>open-1</q><b c=x<password>made-up</password></a>"),
        .init("XML with text in a tag", "application/xml", "<a q='open-1' Authorization: Bearer made-up></a>"),
        .init("XML with something else in the end of an element", "application/xml", "<a><q>open-1</q></a token: made-up>"),
        .init("a full-width colon", "text/plain", "open-1 密码：made-up"),
        .init("a binary property list", "application/x-plist", bytes: propertyList(["q": "open-1", "token": "made-up"])),
        .init(
            "a binary property list that nests", "application/octet-stream",
            bytes: propertyList(["a": ["credentials": ["b": ["made-up", Data("made-up".utf8)]]], "q": 1])),
        .init(
            "a binary property list with an address", "application/x-plist",
            bytes: propertyList(["q": "open-1", "link": "https://forum.test/b?token=made-up"])),
        .init(
            "a binary property list with JSON in data", "application/x-plist",
            bytes: propertyList(["q": "open-1", "a": Data(#"{"token":"made-up"}"#.utf8)])),
        .init("JSON in UTF-16", "application/json", bytes: #"{"q":"open-1","token":"made-up"}"#.data(using: .utf16LittleEndian) ?? Data()),
        .init(
            "parts of which one is bytes", "multipart/form-data; boundary=b",
            bytes: Data("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n".utf8) + Data([0xFF, 0, 1])
                + Data("\r\n--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nmade-up\r\n--b--\r\n".utf8)),
        .init(
            "parts of which one is bytes with a name", "multipart/form-data; boundary=b",
            bytes: Data("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n\u{1}&token=made-up\r\n--b--\r\n".utf8)),
    ]

    private static func propertyList(_ value: [String: Any]) -> Data {
        (try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)) ?? Data()
    }

    /// A dictionary whose password overlaps the two objects behind it.
    static let overlappingPropertyList: Data = {
        let objects: [[UInt8]] = [
            [0xD2, 1, 3, 2, 4], [0x58] + "password".utf8, [0x5B] + "made-up".utf8, [0x51] + "q".utf8, [0x51] + "1".utf8,
        ]
        var offsets: [UInt8] = []
        var bytes = Data("bplist00".utf8)
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets
        bytes += [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(objects.count), 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        return bytes
    }()

    /// Whether the text contains the secret, in clear or in base64.
    static func shows(_ text: String) -> Bool {
        if text.contains("made-up") { return true }
        return text.split(whereSeparator: { !($0.isLetter || $0.isNumber || "+/=".contains($0)) || !$0.isASCII }).contains { word in
            guard word.count >= 12, let bytes = Data(base64Encoded: String(word)) else { return false }
            return [bytes, bytes.filter { $0 != 0 }].contains { String(decoding: $0, as: UTF8.self).contains("made-up") }
        }
    }
}

@Suite("Secrets in logs, archives, commands and errors", .limitedParallelism)
struct WaysOutTests {
    @Test("log, archive, command and error hide the secret of a body in any form")
    static func bodyRows() async {
        await each(SecretBody.all) { try await Self().body($0) }
    }

    func body(_ body: SecretBody) async throws {
        let stub = ClosureTransport { _ in
            TransportResponse(
                status: 500, headers: HTTPHeaders(body.contentType.map { [.init(name: "Content-Type", value: $0)] } ?? []),
                body: TransportBody(body.bytes))
        }
        let client = Client(transport: stub)
        let recorder = HARRecorder()
        client.record(into: recorder)
        let (lines, sink) = AsyncStream<String>.makeStream()
        client.log(.verbose, to: LogSink { sink.yield($0) })
        let request = client.host("https://forum.test").post("/a").body(
            body.bytes, contentType: body.contentType ?? "application/octet-stream")
        let error = await #expect(throws: APIError.self) { try await request.value(as: [Int].self) }
        let line = try #require(await lines.first { _ in true })
        let archive = String(decoding: try await recorder.archive(), as: UTF8.self)
        let command = try await request.curl()
        let errorText = error.map { "\($0) \($0.message) \($0.explanation ?? "") \($0.localizedDescription)" } ?? ""
        for (place, text) in [("log", line), ("archive", archive), ("command", command), ("error", errorText)] {
            #expect(!SecretBody.shows(text), "\(place): \(text)")
        }
        if body.isReadable {
            for text in [line, archive, command] { #expect(text.contains("open-1"), "\(text)") }
        }
    }

    @Test("a binary property list whose secret overlaps other objects is hidden whole")
    func overlapping() throws {
        let body = [UInt8](SecretBody.overlappingPropertyList)
        try PropertyListCheck.check(Data(body))
        var pass = RedactionPass(keepingFormAndHiding: .standard)
        #expect(pass.redact(body: body, contentType: "application/x-plist") == Array(Redaction.mark.utf8))
    }

    @Test("a payload that cannot be decoded is quoted without its secrets")
    static func decodingRows() async {
        await each(SecretBody.all.filter { $0.contentType?.contains("json") == true }) { try await Self().decoding($0) }
    }

    func decoding(_ body: SecretBody) async throws {
        let stub = ClosureTransport { _ in
            TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: TransportBody(body.bytes))
        }
        let error = await #expect(throws: APIError.self) {
            try await Client(transport: stub).host("https://forum.test").get("/a").value(as: [Int].self)
        }
        let text = error.map { "\($0) \($0.message) \($0.explanation ?? "")" } ?? ""
        #expect(!SecretBody.shows(text), "\(text)")
    }

    @Test(
        "secrets in the values of response headers are hidden",
        arguments: [
            ("Link", "<https://ann:made-up@forum.test/b?page=2>; rel=\"next\""), ("Location", "//ann:made-up@forum.test/b"),
            ("Location", "https://made-up@forum.test/b"), ("Content-Location", "https://ann:made-up@forum.test/b"),
            ("X-Info", "Digest username=\"ann\", response=\"made-up\""), ("X-Info", "HMAC-SHA256 Credential=made-up, Signature=made-up"),
            ("X-Info", #"{"\u0074oken" : "made-up"}"#),
        ])
    func header(_ name: String, _ value: String) async throws {
        let stub = ClosureTransport { _ in .status(302, headers: HTTPHeaders([.init(name: name, value: value)])) }
        let client = Client(transport: stub)
        let recorder = HARRecorder()
        client.record(into: recorder)
        let (lines, sink) = AsyncStream<String>.makeStream()
        client.log(.verbose, to: LogSink { sink.yield($0) })
        let error = await #expect(throws: APIError.self) { try await client.host("https://forum.test").get("/a").execute(.void).value }
        let line = try #require(await lines.first { _ in true })
        let archive = String(decoding: try await recorder.archive(), as: UTF8.self)
        let errorText = error.map { "\($0) \($0.message) \($0.response.map { "\($0.headers)" } ?? "")" } ?? ""
        for text in [line, archive, errorText] { #expect(!SecretBody.shows(text), "\(text)") }
    }
}

@Suite("Secrets in dumps", .limitedParallelism)
struct DumpTests {
    private static func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text + "\(value)" + String(reflecting: value) + "\([value])"
    }

    static let values: [(name: String, make: @Sendable () async throws -> [Any])] = [
        ("cookie", { [Cookie(name: "sid", value: "made-up", host: "forum.test")] }),
        (
            "signer",
            {
                let signer = ParameterSigner(.hmacSHA256(key: Data("made-up".utf8)), secret: .suffix("&key=made-up"))
                return [signer, signer.secret, signer.digest]
            }
        ),
        ("request", { [description] }),
        ("prepared request", { [try await description.preview()] }),
        (
            "headers",
            { [HTTPHeaders([.init(name: "Authorization", value: "made-up")]), HTTPHeaders.Field(name: "Cookie", value: "made-up")] }
        ),
        (
            "params",
            {
                [
                    ["token": "made-up", "a": ["password": "made-up"] as Params] as Params,
                    Params.Member(key: "token", node: .string("made-up")),
                ]
            }
        ),
        (
            "profile",
            {
                var profile = Profile()
                profile.host = "https://forum.test"
                profile.headers = ["X-Api-Key": "made-up"]
                profile.params = ["token": "made-up"]
                profile.signer = ParameterSigner(.md5, secret: .prefix("made-up"))
                return [profile]
            }
        ),
        (
            "configuration",
            {
                var configuration = CurlConfiguration()
                configuration.proxy = "http://ann:made-up@proxy.test:3128"
                configuration.clientKeyPassword = "made-up"
                return [configuration]
            }
        ),
        (
            "error and answer",
            {
                let stub = ClosureTransport { request in
                    .json(#"{"token":"made-up"}"#, status: request.address.path == "/a" ? 500 : 200, headers: ["Set-Cookie": "made-up"])
                }
                let client = Client(transport: stub)
                let answer = try await client.host("https://forum.test").get("/b?token=made-up").execute(.response(as: JSON.self)).value
                var values: [Any] = [answer]
                do {
                    try await client.host("https://forum.test").get("/a?token=made-up").execute(.void).value
                } catch {
                    values.append(error)
                }
                return values
            }
        ),
    ]

    private static var description: Request {
        Client(transport: ClosureTransport { _ in .status(200) }).host("https://forum.test").post("/a").header(
            "Authorization", "Bearer made-up"
        )
        .query(["access_token": "made-up"]).json(["password": "made-up", "q": 1] as Params)
    }

    @Test("print and dump hide the secrets of a value", arguments: values.indices)
    func shown(row: Int) async throws {
        let values = try await Self.values[row].make()
        for value in values { #expect(!Self.dumped(value).contains("made-up"), "\(Self.values[row].name): \(type(of: value))") }
    }
}
