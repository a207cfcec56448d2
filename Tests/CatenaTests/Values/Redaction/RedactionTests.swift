import Foundation
import Testing

@testable import Catena

@Suite("Redaction", .limitedParallelism)
struct RedactionTests {
    static let secret = [
        "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "api_key", "access_token", "refreshToken", "X-Token",
        "id-token", "client_secret", "password", "Passwd", "pwd", "user[pwd]", "auth.key", "signature", "X-Amz-Signature", "sign", "sig",
        "ticket", "X-Auth-Token", "csrf_token", "accessToken", "token (new)", "password（密码）", "userPassWord", "APIKey", "access_tokens",
        "old-password", "PHPSESSID", "sessionid", "X-Auth", "jwt", "pin", "otp", "code_verifier", "private_key", "X-CSRF-Token",
        "passphrase", "pass", "user_pass", "csrf", "xsrf", "X-XSRF", "auth_code", "authCode", "cvv", "card_cvv", "密码", "密碼", "登录密码", "登入密碼",
    ]
    static let open = [
        "max_tokens", "total_tokens", "token_type", "tokens_used", "maxTokens", "prompt_tokens", "token_count", "max_token",
        "password_policy", "secretary", "tokenizer", "possession", "sort_key", "page", "Accept", "Content-Type", "keyboard", "designs",
        "signal", "monkey", "pinned", "author", "user[name]", "", "code", "ETag", "bypass", "passenger", "passed", "compass", "pass_rate",
        "boarding_pass_count",
    ]

    @Test("the name of a value decides whether it is a secret")
    static func isSecretRows() {
        each(secret) { Self().isSecret(name: $0) }
    }

    func isSecret(name: String) {
        #expect(Redaction.standard.isSecret(name: name))
        #expect(Redaction.standard.isSecret(name: name.uppercased()))
    }

    @Test("values with other names are not hidden")
    static func isOpenRows() {
        each(open) { Self().isOpen(name: $0) }
    }

    func isOpen(name: String) {
        #expect(!Redaction.standard.isSecret(name: name))
    }

    static let queries: [(query: String, shown: String)] = [
        ("page=1&token=abc", "page=1&token=***"),
        ("token=abc&token=def&a=b", "token=***&token=***&a=b"),
        ("access%5Ftoken=abc", "access%5Ftoken=***"),
        ("user%5Bpwd%5D=abc&user[pwd]=abc", "user%5Bpwd%5D=***&user[pwd]=***"),
        ("token=", "token=***"),
        ("token=a=b", "token=***"),
        ("token", "token"),
        ("a&&b=", "a&&b="),
        ("back=https%3A%2F%2Fx.example%2F%3Ftoken%3Dabc", "back=***"),
        ("body=%7B%22password%22%3A%22abc%22%7D", "body=***"),
        ("a=%2574oken%253Dabc", "a=***"),
        ("q=a%20b", "q=a%20b"),
        ("", ""),
    ]

    @Test("the values of secret params are hidden in a query", arguments: queries)
    func query(row: (query: String, shown: String)) {
        #expect(Redaction.standard.redact(query: row.query) == row.shown)
    }

    @Test("an address shows everything except secrets")
    func address() throws {
        let address = try HTTPAddress(parsing: "https://forum.example.com:8443/a%20b?x=1&token=abc")
        #expect(Redaction.standard.redact(address) == "https://forum.example.com:8443/a%20b?x=1&token=***")
        #expect("\(address)" == "https://forum.example.com:8443/a%20b?x=1&token=***")
        #expect(Redaction.standard.redact(try HTTPAddress(parsing: "https://forum.example.com/a")) == "https://forum.example.com/a")
    }

    static let paths = [
        ("/cart;jsessionid=abc", "/cart;jsessionid=***"), ("/cart;a=1;token=abc;b=2/items", "/cart;a=1;token=***;b=2/items"),
        ("/cart;%74oken=abc", "/cart;%74oken=***"), ("/token=abc/items", "/token=***/items"), ("/cart;token%3Dabc", "/cart;token%3D***"),
        ("/fetch/https://ann:abc@x.example/b", "/fetch/https://***@x.example/b"),
        ("/v1/rooms/7;view=all/users:batch", "/v1/rooms/7;view=all/users:batch"), ("/a=b;c=d", "/a=b;c=d"),
    ]

    @Test("secrets in a path are hidden like those in a query", arguments: paths)
    func path(row: (path: String, shown: String)) throws {
        let address = try HTTPAddress(parsing: "https://forum.example.com\(row.path)")
        #expect(Redaction.standard.redact(address) == "https://forum.example.com\(row.shown)")
        #expect("\(address)" == "https://forum.example.com\(row.shown)")
    }

    @Test("redacted headers keep names, order and number, and hide secrets within values, too")
    func headers() {
        let headers = HTTPHeaders([
            .init(name: "Accept", value: "*/*"), .init(name: "authorization", value: "Bearer abc"),
            .init(name: "Set-Cookie", value: "a=abc"), .init(name: "Set-Cookie", value: "b=abc"),
            .init(name: "Location", value: "https://x.example/?access_token=abc&page=1"),
        ])
        let shown = Redaction.standard.redact(headers)
        #expect(shown.fields.map(\.name) == headers.fields.map(\.name))
        #expect(shown.fields.map(\.value) == ["*/*", "***", "***", "***", "https://x.example/?access_token=***&page=1"])
    }

    @Test("a line has no breaks and is bounded")
    func line() {
        #expect(Redaction.standard.line("a\nb\r\nc\td\u{85}e\u{2029}f") == "a b  c d e f")
        #expect(Redaction.standard.line("你好 é 👨‍👩‍👧") == "你好 é 👨‍👩‍👧")
        let long = Redaction.standard.line(String(repeating: "x", count: 2001))
        #expect(long.count == 2001 && long.hasSuffix("x…"))
        #expect(Redaction.standard.line(String(repeating: "x", count: 2000)).hasSuffix("x"))
    }
}

@Suite("Redaction of text", .limitedParallelism)
struct TextRedactionTests {
    static let rows: [(text: String, shown: String)] = [
        ("token=abc", "token=***"),
        ("GET https://x.example/?page=1&access_token=abc&q=2 failed", "GET https://x.example/?page=1&access_token=***&q=2 failed"),
        ("x?user%5Bpwd%5D=abc", "x?user%5Bpwd%5D=***"),
        (#"{"token":"abc","page":1}"#, #"{"token":"***","page":1}"#),
        (#"{"token" : "a\"b\\" , "page":1}"#, #"{"token" : "***" , "page":1}"#),
        (#"{"pin":1234,"page":1}"#, #"{"pin":"***","page":1}"#),
        (#"{"pin":null}"#, #"{"pin":null}"#),
        (#"{"token":"abc"#, #"{"token":"***""#),
        (#"{"token":"#, #"{"token":"#),
        (#"{"token":{"value":"abc"},"page":1}"#, #"{"token":"***","page":1}"#),
        (#"{"tokens":["abc","def"]}"#, #"{"tokens":"***"}"#),
        (#"it is {"token":{"value":"abc"},"page":1}"#, #"it is {"token":***"#),
        (#""{\"token\":\"abc\",\"page\":1}""#, #""{\"token\":\"***\",\"page\":1}""#),
        (#"Login(name: "a", password: "abc")"#, #"Login(name: "a", password: "***")"#),
        (#"Login(password: Optional("abc"), page: 1)"#, "Login(password: ***"),
        ("['token': 'abc', 'page': 1]", "['token': '***', 'page': 1]"),
        ("Authorization: Bearer abc", "Authorization: ***"),
        ("Authorization: Basic YTpi\nAccept: */*", "Authorization: ***\nAccept: */*"),
        ("sent Bearer abc.def, refused", "sent Bearer ***, refused"),
        ("the bearer", "the bearer"),
        ("token: ", "token: "),
        ("token =  abc", "token =  ***"),
        ("no secret here: a=b", "no secret here: a=b"),
        ("https://x.example/a:b", "https://x.example/a:b"),
        ("密码 password=你好 ok", "密码 password=*** ok"),
        ("=:=", "=:="),
        ("/b?a=%2574oken%253Dabc", "/b?a=%2574oken%253D***"),
        (#"{"password"=>"abc", "page"=>1}"#, #"{"password"=>"***", "page"=>1}"#),
        (#"[:password => 'abc', :page => 1]"#, #"[:password => '***', :page => 1]"#),
        (#"password := "abc""#, #"password := "***""#),
        (#"if password == "abc" {"#, #"if password == "***" {"#),
        (#"{'password': b'abc', 'page': 1}"#, #"{'password': b'***', 'page': 1}"#),
        (#"{u'password': u'abc'}"#, #"{u'password': u'***'}"#),
        (#"password = @"abc"; page = 1"#, #"password = @"***"; page = 1"#),
        (#"password = N'abc' AND page = 1"#, #"password = N'***' AND page = 1"#),
        ("deviceToken = <abc def ghi> page = 1", "deviceToken = ***"),
        (#"{"value":"abc","name":"password"}"#, #"{"value":"***","name":"password"}"#),
        (#"{"Key":"password","Value":"abc"}"#, #"{"Key":"***","Value":"***"}"#),
        (
            #"[{"value":"1","name":"page"},{"VALUE":"abc","NAME":"password"}]"#,
            #"[{"value":"1","name":"page"},{"VALUE":"***","NAME":"password"}]"#
        ),
        (#"{"value":{"a":"abc"},"x":1,"key":"token"}"#, #"{"value":"***","x":1,"key":"***"}"#),
        ("sent Bearer\tabc.def, refused", "sent Bearer\t***, refused"),
        (#"sent Bearer "abc", refused"#, #"sent Bearer "***", refused"#),
        ("it is eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl here", "it is *** here"),
        (
            "a -----BEGIN PRIVATE KEY-----\nYWJj\nZGVm\n-----END PRIVATE KEY----- b",
            "a -----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY----- b"
        ),
        ("a -----BEGIN EC PRIVATE KEY-----\nYWJj", "a -----BEGIN EC PRIVATE KEY-----***"),
        ("", ""),
    ]

    @Test("the value behind a secret's name is hidden in text of any kind")
    static func redactRows() {
        each(rows) { Self().redact(row: $0) }
    }

    func redact(row: (text: String, shown: String)) {
        #expect(Redaction.standard.redact(text: row.text) == row.shown)
    }

    @Test("redacted text does not change when it is redacted again")
    static func stableRows() {
        each(rows) { Self().stable(row: $0) }
    }

    func stable(row: (text: String, shown: String)) {
        #expect(Redaction.standard.redact(text: row.shown) == row.shown)
    }

    private static let list = #"<plist version="1.0"><dict><key>a</key><string>b</string></dict></plist>"#

    @Test(
        "a recorded property list can still be read, or is hidden whole",
        arguments: [
            #"<?xml version="1.0"?>"# + list, #"<?xml version="1.0" <key>password</keys="UTF-8"?>"# + list,
            #"<?a <password>x?>"# + list, #"<!-- <password>x -->"# + list,
            "<plist><dict><key>password</key><string>c</string></dict></plist>",
        ])
    func lists(list: String) throws {
        try PropertyListCheck.check(Data(list.utf8))
        var pass = RedactionPass(keepingFormAndHiding: .standard)
        let redacted = pass.redact(body: Array(list.utf8), contentType: "application/x-plist")
        let shown = try #require(redacted)
        if shown != Array(Redaction.mark.utf8) { try PropertyListCheck.check(Data(shown)) }
    }
}
