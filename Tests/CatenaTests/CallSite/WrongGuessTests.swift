#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The compiler's messages about words that one tries first, among others those of other libraries.
@Suite("Wrong guesses", .limitedParallelism) struct WrongGuessTests {
    /// A statement in a function that is `async throws`, and a part of the message about it.
    private static let rows = [
        ("API.get(\"/a\").void().then { print(1) }", "a promise is execute(.void)"),
        ("API.get(\"/a\").data().then { print($0) }", "a promise is execute(.data)"),
        ("API.get(\"/a\").string().catch { print($0) }", "a promise is execute(.string)"),
        ("API.get(\"/a\").response(as: Int.self).finally { print(1) }", "a promise is execute(.response(as:))"),
        ("API.get(\"/a\").download(to: file).then { print($0) }", "a promise is execute(.download(to:))"),
        ("let _: Promise<Void> = API.get(\"/a\").void()", "a promise is execute(.void)"),
        ("let _: Promise<Data> = API.get(\"/a\").data()", "a promise is execute(.data)"),
        ("API.request(for: Me()).void().then { print(1) }", "a promise is execute(.void)"),
        ("let _: Promise<String> = API.request(for: Me()).string()", "a promise is execute(.string)"),
        ("API.get(\"/a\").void()", "not marked with 'await'"),
        ("API.get(\"/a\").execute(as: Void.self)", "execute(.void)"),
        ("try await API.get(\"/a\").value(as: Void.self)", "await void()"),
        ("_ = API.get(\"/a\").addHeader(\"A\", \"1\")", "header(name, adding: value)"),
        ("_ = API.get(\"/a\").removeHeader(\"A\")", "header(name, nil)"),
        ("_ = API.get(\"/a\").removeParam(\"a\")", "param(name, nil)"),
        ("_ = API.tag(\"a\").segments(\"rooms\", 7)", "path("),
        ("_ = API.get(\"/a\").dedupe()", "set(\\.dedupe, true)"),
        ("_ = API.get(\"/a\").uploadProgress { print($0) }", "onProgress(.upload)"),
        ("_ = API.get(\"/a\").downloadProgress { print($0) }", "onProgress(.download)"),
        ("_ = API.get(\"/a\").debounce(.seconds(1))", "set(\\.debounce, "),
        ("_ = API.get(\"/a\").idempotencyKey(.random)", "set(\\.idempotencyKey, "),
        ("_ = RetryPolicy(limit: 3)", ".exponential(limit: 3)"),
        ("API.batch([API.get(\"/a\").execute(as: Int.self)])", "pass requests"),
        ("_ = API.get(\"/a\").execute().catch(.codes(7)) { print($0) }", "renamed to 'code(_:)'"),
        ("for try await x in API.get(\"/a\").items(of: Name.self, by: .page(\"page\")) { print(x) }", "renamed to 'number(_:from:)'"),
        ("_ = API.get(\"/a\").onUploadProgress { print($0) }", "onProgress(.upload)"),
        ("_ = API.get(\"/a\").onDownloadProgress { print($0) }", "onProgress(.download)"),
        ("_ = API.get(\"/a\").latest(\"search\")", "replacing: true"),
        ("_ = API.get(\"/a\").noAuth()", "authenticated(false)"),
        ("_ = try await API.get(\"/a\").poll(every: .seconds(1), timeout: .seconds(9)) { $0.done.bool == true }", ".deadline("),
        ("_ = API.get(\"/a\").cache(.cachedFirst)", "values(of:"),
        ("API.configure(\"a\") { $0.rateLimits = [.perSecond(50)] }", "per: .seconds(1)"),
        ("API.configure(\"a\") { $0.commonParams = [\"lang\": \"en\", \"v\": 3] }", "params = […]"),
        ("API.configure(\"a\") { $0.baseURL = file }", "renamed to 'host'"),
        ("API.configure(\"a\") { $0.logging = .oneLine }", "API.log(.oneLine)"),
        ("for try await event in API.get(\"/a\").events() { print(event.name) }", "renamed to 'event'"),
        ("stubs.get(\"/a\").held()", "held(by: gate)"),
        ("try await stubs.settle()", "renamed to 'verifyWhenIdle()'"),
        ("_ = Client(testing: stubs) { $0.host = \"forum.example.com\" }", "configureDefaults"),
        ("_ = API.get(\"/a\").header(.contentLanguage, \"de\")", "as text"),
        ("API.get(\"/a\").execute(as: Name.self).then { print($0.nam) }", "'Name' has no member 'nam'"),
        ("_ = API.get(\"/a\").execute(as: Name.self).map { name in name.nam }", "'Name' has no member 'nam'"),
        ("_ = API.get(\"/a\").execute(as: [Name].self).then { names in names[0].nam = 1 }", "'Name' has no member 'nam'"),
        ("API.get(\"/a\").execute().catch(.validation, .code(7)) { print($0.cod) }", "'APIError' has no member 'cod'"),
        ("API.get(\"/a\").send()", "execute()"),
        ("_ = API.get(\"/a\").auth(\"token\")", "authenticated()"),
        ("API.configure { $0.timeout = .seconds(1) }", "configureDefaults"),
        ("client.configure { $0.timeout = .seconds(1) }", "configureDefaults"),
        ("API.send(Me())", "API.value(endpoint)"),
        ("client.send(Me())", "value(endpoint)"),
        ("API.cancelAll()", "API.calls.cancelAll()"),
        ("client.cancelAll()", "calls.cancelAll()"),
        ("client.shutdown(timeout: .seconds(1))", "waitUntilIdle(for: …)"),
        ("API.logLevel = .oneLine", "API.log(.oneLine)"),
        ("_ = API.metrics", "API.observe"),
        ("API.configure(\"a\") { $0.maxConcurrentRequests = 4 }", "maxConcurrentCalls"),
        ("API.configure(\"a\") { $0.auth = .bearer(\"t\") }", "authentication"),
        ("API.configure(\"a\") { $0.authentication = .bearer(token: \"t\", refresh: \"r\") }", ".bearer { … }"),
        ("API.configure(\"a\") { $0.envelope = .problemJSON }", "problemDetails"),
        ("print(error.statusCode as Any)", "status"),
        ("print(error.userMessage)", "localizedDescription"),
        ("print(error.isOffline)", "error.kind == .offline"),
        ("print(error.kind == .serverError)", "has no member 'serverError'"),
        ("for try await x in API.get(\"/a\").execute().values { print(x) }", "promise.value"),
        ("stubs.get(\"/a\").reply(data: [[\"id\": number, \"name\": text]])", "JSON([…])"),
        ("stubs.get(\"/a\").reply(json: [\"user\": [\"id\": number, \"name\": text]])", "JSON([…])"),
        ("_ = stubs.calls.map(\\.headers)", "renamed to 'requests'"),
        ("_ = stubs.calls(to: \"/a\").count", "requests(_:to:)"),
        ("_ = try stubs.expect(.get, \"/a\").calls", "renamed to 'requests'"),
        ("stubs.get(\"/a\").reply { (call: StubCall) in .status(200) }", "renamed to 'StubRequest'"),
        ("stubs.get(\"/a\").when { $0.request.headers[\"A\"] == nil }.reply(status: 401)", "of the request itself"),
        ("func f(_ request: RecordedRequest) -> StubReply { .text(request.text) }", "renamed to 'StubRequest'"),
        ("func g(_ request: StubRequest) -> LoopbackResponse { .text(request.text) }", "renamed to 'StubReply'"),
        ("func h(_ request: StubRequest) -> StubReply { .text(request.bodyText) }", "renamed to 'text'"),
        ("let _: StubReply = .text(\"abc\").truncated(after: 1)", "connectionLost(after:)"),
        ("let _: StubReply = .text(\"abc\").chunked(by: 1)", "dripping(_:every:)"),
        ("let _: StubReply = .status(200).addHeader(\"A\", \"1\")", "header(_:adding:)"),
        ("let _: StubReply = .data(Data())", ".body(data"),
        ("let _: StubReply = .closed", "renamed to 'connectionLost'"),
        ("_ = StubTransport { request in .json(text: \"{}\") }", "Client(transport: stubs)"),
        ("_ = try Recording(file, mode: .replay) { $0.matching.volatileParams.insert(\"ts\") }", "rules.volatileParams"),
    ]

    @Test("the compiler names the word, at the line of the statement")
    func messages() throws {
        let source = """
            import Catena
            import CatenaTesting
            import Foundation
            struct Name: Decodable, Sendable { let name: String }
            struct Me: Endpoint { typealias Response = JSON; var path: Path { "/me" } }
            func guesses(_ client: Client, _ error: APIError, _ file: URL, _ stubs: Stubs, _ number: Int, _ text: String) async throws {
            \(Self.rows.map(\.0).joined(separator: "\n"))
            }
            """
        let complaints = try SwiftCompiler().typecheck([source])
        #expect(Self.rows.count >= 40)
        for (index, row) in Self.rows.enumerated() {
            let messages = complaints.filter { $0.line == index + 7 }.map(\.message)
            #expect(messages.contains { $0.contains(row.1) }, "\(row.0): \(messages)")
        }
    }

    @Test("the words that one tries first and that work compile")
    func working() throws {
        let source = """
            import Catena
            import CatenaLoopback
            import CatenaTesting
            import Foundation

            func tried(_ request: Request, _ headers: [String: String], _ host: URL, _ text: String, _ number: Int, _ stubs: Stubs) {
                _ = request.headers(headers).headers(["A": "1"]).header("A", number).header("B", true).header("C", text).query("page", number)
                _ = API.host(host).host(host)
                print(ErrorCode(text), ErrorCode(number), HTTPMethod(rawValue: text).rawValue)
                _ = stubs.get("/a").query(["page": nil]).reply(.status(503, headers: ["Retry-After": "1"]))
                stubs.get("/b").reply(data: ["id": number, "name": text, "next": nil])
                stubs.get("/c").reply(json: ["id": number, "tags": ["a", text]])
                stubs.get("/d").sequence(.reply(data: ["id": number, "name": text]), .json(["id": number, "name": text]))
                stubs.get("/e").reply(data: ["id": 1, "rooms": [["id": 2, "name": "lobby"], [:]]])
                stubs.get("/f").reply(data: [:])
                _ = StubReply.json(["id": number, "name": text])
                request.execute().catch { error in
                    switch error {
                    case .timeout, ErrorMatcher.kind(.decoding), ErrorMatcher.status(500...): print(error.message)
                    default: break
                    }
                }
            }

            func same(_ tag: Tag, _ error: APIError, _ text: String) -> Bool { tag.name == text || error.code == ErrorCode(text) }
            """
        #expect(try SwiftCompiler().typecheck([source]) == [])
    }
}
#endif
