import Catena
import CatenaRules
import CatenaTesting
import Foundation

extension RunTimeMistake {
    static let all = addresses + values + bodies + settings + responses + credentials + tests

    private static let addresses = [
        RunTimeMistake("no host", .invalidRequest, "host: there is none", ".host(…)") { bench in
            bench.client.configureDefaults { $0.host = nil }
            try await bench.client.get("/a").void()
        },
        RunTimeMistake("a host without a name", .invalidRequest, "host: ") { try await $0.client.host("https://").get("/a").void() },
        RunTimeMistake("a host of another scheme", .invalidRequest, "host: ", "http") {
            try await $0.client.host("ftp://files.example.com").get("/a").void()
        },
        RunTimeMistake("a tag that nobody configured", nil, #"The tag "fourm" is not configured"#, "configured are: forum") { bench in
            bench.client.configure("forum") { $0.host = "https://forum.example.com" }
            bench.stubs.get("/a").reply(json: 1)
            try await bench.client.tag("fourm").get("/a").void()
        },
        RunTimeMistake("a whole address as a path", .invalidRequest, "path: ", "absoluteURL") {
            try await $0.client.get("https://other.example.com/a").void()
        },
        RunTimeMistake("a placeholder that nothing fills", .invalidRequest, "path: {room}", "param") {
            try await $0.client.get("/rooms/{room}").params(["rom": 7]).void()
        },
        RunTimeMistake("a placeholder that is filled with nil", .invalidRequest, "path: {room}", "or it is nil") { bench in
            let room: Int? = nil
            try await bench.client.get("/rooms/{room}").params(["room": room]).void()
        },
        RunTimeMistake("nil in a path", .invalidRequest, "path: ", "nil") { bench in
            let room: Int? = nil
            try await bench.client.get(users(of: room)).void()
        },
        RunTimeMistake("a path put together from two", .invalidRequest, "path: ", #"\(raw: "#) { bench in
            let base = "/v1/rooms"
            try await bench.client.get("\(base)/7").void()
        },
        RunTimeMistake("another host in the call", nil, "goes to https://other.example.com", "commonParams(.query)") { bench in
            bench.stubs.get("https://other.example.com/a").reply(json: 1)
            bench.client.configureDefaults { $0.host = "https://api.example.com" }
            bench.client.commonParams { _ in ["app": "ios"] }
            try await bench.client.host("https://other.example.com").get("/a").void()
        },
    ]

    /// Interpolates an optional value without the compiler's warning.
    private static func users<Room>(of room: Room) -> Path { "/rooms/\(room)/users" }

    private static let values = [
        RunTimeMistake("NaN as a param", .invalidRequest, #"params: "ratio""#, "NaN") {
            try await $0.client.get("/a").params(["ratio": Double.nan]).void()
        },
        RunTimeMistake("infinity inside a param", .invalidRequest, #"params: "filter.ratio""#, "infinite") {
            try await $0.client.post("/a").params(["filter": ["ratio": Double.infinity]]).void()
        },
        RunTimeMistake("NaN in a model", .invalidRequest, "json: ", #""ratio""#) { bench in
            struct Body: Encodable, Sendable { let ratio: Double }
            try await bench.client.post("/a").json(Body(ratio: .nan)).void()
        },
        RunTimeMistake("a value of another library's type", .invalidRequest, #"params: "size""#, "NSRange") {
            try await $0.client.get("/a").params(dictionary: ["size": NSRange(location: 0, length: 1)]).void()
        },
        RunTimeMistake("an array as params", .invalidRequest, "params: ", ".json(…)") {
            try await $0.client.post("/a").params([1, 2] as [Int]).void()
        },
        RunTimeMistake("a header with a line break", .invalidRequest, #"header: "X-Note""#, "line break") {
            try await $0.client.get("/a").header("X-Note", "a\r\nX-Admin: 1").void()
        },
        RunTimeMistake("a header's name with a space", .invalidRequest, #"header: "X Note""#, "token") {
            try await $0.client.get("/a").header("X Note", "a").void()
        },
        RunTimeMistake("a method with a space", .invalidRequest, "method: ", "token") {
            try await $0.client.path("/a").method(HTTPMethod("GET /")).void()
        },
        RunTimeMistake("TRACE", .invalidRequest, "method: TRACE") { try await $0.client.path("/a").method(.trace).void() },
        RunTimeMistake("the headers of an endpoint as an array", .invalidRequest, "endpoint: ", "headers") { bench in
            struct Me: Endpoint {
                typealias Response = JSON
                var path: Path { "/me" }
                var headers: [Int] { [1] }
            }
            _ = try await bench.client.request(for: Me()).value()
        },
        RunTimeMistake("the timeout of an endpoint as a number", nil, "timeout", "Duration") { bench in
            struct Me: Endpoint, Encodable {
                typealias Response = JSON
                let timeout = 30.0
                var path: Path { "/me" }
            }
            bench.stubs.get("/me").reply(json: 1)
            _ = try await bench.client.request(for: Me()).value()
        },
    ]

    private static let bodies = [
        RunTimeMistake("a body with GET", .invalidRequest, "json: a GET has no body", ".query(…)") {
            try await $0.client.get("/a").json(["a": 1]).void()
        },
        RunTimeMistake("a form with HEAD", .invalidRequest, "form: a HEAD has no body") {
            try await $0.client.head("/a").form(["a": 1]).void()
        },
        RunTimeMistake("a file that does not exist", .invalidRequest, "body: ", #"the file "photo.jpg" cannot be read"#) {
            try await $0.client.put("/a").body(file: URL(filePath: "/made/up/photo.jpg")).void()
        },
        RunTimeMistake("a form's file that does not exist", .invalidRequest, "multipart: ", #"the file "photo.jpg" cannot be read"#) {
            try await $0.client.post("/a").multipart { $0.file(URL(filePath: "/made/up/photo.jpg"), name: "photo") }.void()
        },
        RunTimeMistake("a boundary that is too long", .invalidRequest, "multipart: ", "70") {
            try await $0.client.post("/a").multipart(boundary: String(repeating: "b", count: 71)) { $0.field("a", "1") }.void()
        },
        RunTimeMistake("the media type of a form that is a multipart one", .invalidRequest, #""Content-Type": the body is a multipart one"#)
        {
            try await $0.client.post("/a").multipart { $0.field("a", "1") }.header("Content-Type", "application/json").void()
        },
        RunTimeMistake("a stream that is sent twice", .requestBody, "stream", "closure") { bench in
            bench.stubs.post("/a").reply(json: 1)
            let request = bench.client.post("/a").body(stream: AsyncStream<Data> { $0.finish() })
            for try await _ in try await request.preview().bodySource ?? BodySource(Data()) {}
            for try await _ in try await request.preview().bodySource ?? BodySource(Data()) {}
        },
        RunTimeMistake("a retried stream", .status, "read only once", "body(stream:) and a closure") { bench in
            bench.stubs.put("/a").reply(status: 503)
            try await bench.client.put("/a").body(stream: AsyncStream<Data> { $0.finish() }).retry(.exponential(limit: 2)).void()
        },
        RunTimeMistake("a stream of another length", .requestBody, "its stream ended after 3 of 7 bytes") { bench in
            let pieces = AsyncStream<Data> { stream in
                stream.yield(Data("abc".utf8))
                stream.finish()
            }
            for try await _ in try await bench.client.post("/a").body(stream: pieces, length: 7).preview().bodySource
                ?? BodySource(Data())
            {}
        },
    ]

    private static let settings = [
        RunTimeMistake("a timeout of zero", .timeout, "timeout: ", "0") { try await $0.client.get("/a").timeout(.zero).void() },
        RunTimeMistake("a negative deadline", .timeout, "deadline") {
            try await $0.client.get("/a").deadline(.seconds(-1)).void()
        },
        RunTimeMistake("a negative number of retries", nil, "retry: the limit is -1") { bench in
            bench.stubs.get("/a").reply(json: 1)
            try await bench.client.get("/a").retry(.exponential(limit: -1)).void()
        },
        RunTimeMistake("dedupe with POST", .invalidRequest, "dedupe: only GET, HEAD and QUERY", "once()") {
            try await $0.client.post("/a").set(\.dedupe, true).void()
        },
        RunTimeMistake("a query in what a call invalidates", .invalidRequest, "invalidates: /a?page=1 is not a path alone", "leave out") {
            try await $0.client.post("/a").set(\.invalidates, ["/a?page=1"]).void()
        },
        RunTimeMistake("once with a stream", .invalidRequest, "once: ", "stream()") {
            for try await _ in $0.client.get("/a").once().stream() {}
        },
        RunTimeMistake("cached values of a POST", .invalidRequest, "values(of:): only responses to GET", "value(as:)") {
            for try await _ in $0.client.post("/a").values(of: JSON.self) {}
        },
        RunTimeMistake("a cache with POST", nil, "cache: only responses to GET and QUERY are cached", "POST") { bench in
            bench.stubs.post("/a").reply(json: 1)
            bench.client.configureDefaults { $0.cache = .memory(limit: 1 << 20) }
            try await bench.client.post("/a").cache(.always).void()
        },
        RunTimeMistake("a cache policy without a cache", nil, "cache: there is no cache", ".memory(limit:") { bench in
            bench.stubs.get("/a").reply(json: 1)
            try await bench.client.get("/a").cache(.always).void()
        },
        RunTimeMistake("a retried POST", .status, "retry: a POST is retried only with an idempotencyKey") { bench in
            bench.stubs.post("/a").reply(status: 503)
            try await bench.client.post("/a").retry(.exponential(limit: 2)).void()
        },
        RunTimeMistake("a second attempt of a POST", .invalidRequest, "hedgeDelay", "idempotencyKey") {
            try await $0.client.post("/a").set(\.hedgeDelay, .milliseconds(50)).void()
        },
        RunTimeMistake("a rule that does not exist", .invalidRequest, #"there is no rule "Topics""#, "known are TopicList") { bench in
            try bench.client.rules.load(Data(#"{"TopicList": {"Path": "/topics"}}"#.utf8))
            try await bench.client.request(named: "Topics").void()
        },
        RunTimeMistake("a key that rules do not have", nil, "TopicList.Url", "no such key") { bench in
            try bench.client.rules.load(Data(#"{"TopicList": {"Url": "/topics"}}"#.utf8))
        },
    ]

    private static let responses = [
        RunTimeMistake("another type", .decoding, #"Body at "id" (wanted Int, but it is the string "x")"#) { bench in
            bench.stubs.get("/a").reply(data: ["id": "x"])
            _ = try await bench.client.get("/a").value(as: MistakeBench.Body.self)
        },
        RunTimeMistake("a missing member", .decoding, #"Body at "id" (there is no such key)"#, #"It begins: {"ID":7}"#) { bench in
            bench.stubs.get("/a").reply(json: ["code": 0, "data": ["ID": 7]])
            _ = try await bench.client.get("/a").value(as: MistakeBench.Body.self)
        },
        RunTimeMistake("an array for an object", .decoding, "wanted an array, but it is an object", #"It begins: {"list""#) { bench in
            bench.stubs.get("/a").reply(json: ["code": 0, "data": ["list": [["id": 1]]]])
            _ = try await bench.client.get("/a").value(as: [MistakeBench.Body].self)
        },
        RunTimeMistake("an empty body", .missingPayload, "void()") { bench in
            bench.stubs.get("/a").reply(status: 200)
            _ = try await bench.client.get("/a").value(as: MistakeBench.Body.self)
        },
        RunTimeMistake("HTML", .decoding, "text/html", "It begins: <html>") { bench in
            bench.stubs.get("/a").reply(body: Data("<html><body>Sign in</body></html>".utf8), contentType: "text/html")
            _ = try await bench.client.get("/a").value(as: MistakeBench.Body.self)
        },
        RunTimeMistake("a payload under another key", .missingPayload, "data", "ret", "result") { bench in
            bench.stubs.get("/a").reply(json: ["code": 0, "msg": "ok"])
            _ = try await bench.client.get("/a").value(as: MistakeBench.Body.self)
        },
        RunTimeMistake("a backend whose success is 1", .business, "reads like a success", ".standard.addSuccess(1)") { bench in
            bench.stubs.get("/a").reply(json: ["code": 1, "msg": "ok"])
            _ = try await bench.client.get("/a").value(as: MistakeBench.Body.self)
        },
        RunTimeMistake("a failure that passes for a success", nil, "looks like a failure", "addFlags") { bench in
            bench.stubs.get("/a").reply(json: ["status": "0", "info": "bad key"])
            _ = try await bench.client.get("/a").value()
        },
        RunTimeMistake("a type none of whose keys are there", nil, "none of the keys of Filter") { bench in
            struct Filter: Decodable, Sendable { var page: Int? }
            bench.stubs.get("/a").reply(json: ["code": 0, "data": ["Page": 7]])
            _ = try await bench.client.get("/a").value(as: Filter.self)
        },
        RunTimeMistake("pages of a backend that counts from 0", nil, "first", "from") { bench in
            bench.stubs.get("/a").reply(json: ["content": [["id": 1]], "number": 1, "first": false, "last": true])
            for try await _ in bench.client.get("/a").items(of: MistakeBench.Body.self) {}
        },
        RunTimeMistake("events of a backend that sends none", .decoding, "text/event-stream", "application/json") { bench in
            bench.stubs.get("/a").reply(json: ["code": 0])
            for try await _ in bench.client.get("/a").events() {}
        },
        RunTimeMistake("a body larger than the limit", .bodyTooLarge, "bodyLimit") { bench in
            bench.client.configureDefaults { $0.bodyLimit = 10 }
            bench.stubs.get("/a").reply(text: "12345678901")
            _ = try await bench.client.get("/a").string()
        },
        RunTimeMistake("a download to a folder", .invalidRequest, "download: the target is a folder; name the file in it") { bench in
            bench.stubs.get("/a").reply(text: "x")
            _ = try await bench.client.get("/a").download(to: FileManager.default.temporaryDirectory)
        },
        RunTimeMistake("a digest that is none", .invalidRequest, "download: the SHA-256 is not 64 hexadecimal digits") { bench in
            bench.stubs.get("/a").reply(text: "x")
            _ = try await bench.client.get("/a").download(to: URL(filePath: "/made/up/file"), sha256: "abc")
        },
        RunTimeMistake("an envelope's place that is none", .invalidRequest, "envelope: ") { bench in
            _ = try await bench.client.get("/a").envelope(.standard.data("data[")).value()
        },
    ]

    private static let credentials = [
        RunTimeMistake("a call before the sign-in", .missingCredential, "authenticated(false)") { bench in
            bench.client.configureDefaults { $0.authentication = Authentication(BearerAuthenticator()) }
            try await bench.client.get("/a").void()
        },
        RunTimeMistake(
            "a refresh that needs the credential which it renews", .status, "POST https://stubs.test/token", "could not be refreshed"
        ) { bench in
            bench.stubs.get("/a").reply(status: 401)
            bench.stubs.post("/token").reply(status: 401)
            let client = bench.client
            let sign = Authentication(
                BearerAuthenticator { _ in try await client.post("/token").authenticated().value(as: BearerToken.self) },
                store: MemoryCredentialStore(BearerToken(accessToken: "made-up")))
            client.configureDefaults { $0.authentication = sign }
            try await client.get("/a").void()
        },
        RunTimeMistake("authenticated() without a sign-in", nil, "authenticated: there is no sign-in", "profile") { bench in
            bench.stubs.get("/a").reply(json: 1)
            try await bench.client.get("/a").authenticated().void()
        },
    ]

    private static let tests = [
        RunTimeMistake("a call without a stub", .unstubbed, "stub", "/a", "/b") { bench in
            bench.stubs.get("/b").reply(json: 1)
            try await bench.client.get("/a").void()
        }
    ]
}
