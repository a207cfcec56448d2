import Catena
import CatenaTesting
import Foundation

extension Tag {
    static let workshop: Tag = "workshop"
    static let catalog: Tag = "catalog"
    static let account: Tag = "account"
    static let signed: Tag = "signed"
}

/// A backend whose calls have incidents: some fail, need a new token, are slow or stream.
final class Workshop: Sendable {
    let server: LoopbackServer
    private let token = Mutex(1)

    init() throws {
        server = try LoopbackServer()
        serveCalls()
        serveBodies()
    }

    private func serveCalls() {
        server.get("/flaky") { request in
            request.visit % 3 == 0
                ? .json(text: #"{"code":0,"data":{"lucky":true}}"#) : .json(text: #"{"code":503,"msg":"busy"}"#, status: 503)
        }
        server.get("/items") { request in
            let page = Int(request.query("page") ?? "") ?? 1
            let names = (1...3).map { #"{"name":"item \#((page - 1) * 3 + $0)"}"# }.joined(separator: ",")
            return .json(text: #"{"code":0,"data":{"items":[\#(names)],"page":\#(page),"pages":4}}"#)
        }
        server.get("/catalog") { _ in
            .json(text: #"{"code":0,"data":{"books":[{"title":"On Chains"},{"title":"On Promises"}]}}"#)
                .header("Cache-Control", "max-age=5").header("ETag", "\"7\"")
        }
        server.get("/me") { [self] request in
            let good = token.withLock { "Bearer made-up-\($0)" }
            // The token changes with every fourth request.
            if request.visit % 4 == 0 { token.withLock { $0 += 1 } }
            guard request.headers["Authorization"] == good else {
                return .json(text: #"{"code":401,"msg":"the token has expired"}"#, status: 401)
            }
            return .json(text: #"{"code":0,"data":{"name":"Ada","phone":"555-0100"}}"#)
        }
        server.post("/token") { [self] _ in
            .json(text: #"{"code":0,"data":{"accessToken":"made-up-\#(token.withLock { $0 })","refreshToken":"made-up","user":"ada"}}"#)
                .delayed(by: .milliseconds(120))
        }
        server.post("/orders") { request in
            let isSigned = request.text.contains("sign") || request.query("sign") != nil
            return .json(text: isSigned ? #"{"code":0,"data":{"order":7}}"# : #"{"code":20001,"msg":"the signature is missing"}"#)
        }
        server.get("/old") { _ in .redirect(to: "/older") }
        server.get("/older") { _ in .redirect(to: "/items?page=2", status: 307) }
        server.get("/strange") { _ in .json(text: #"{"code":0,"data":{"text":"<script>alert('no')</script> \u202e & “quotes”"}}"#) }
        server.get("/model") { _ in .json(text: #"{"code":0,"data":{"name":42}}"#) }
    }

    private func serveBodies() {
        server.get("/events") { _ in
            let events = (1...8).map { #"data: {"tick":\#($0)}"# + "\n\n" }
            var answer = StubReply.chunked(events).dripping(24, every: .milliseconds(250))
            answer.headers["Content-Type"] = "text/event-stream"
            return answer
        }
        server.get("/report.bin") { _ in
            .body(Data(repeating: 7, count: 3_000_000)).dripping(150_000, every: .milliseconds(100))
        }
        server.get("/picture") { _ in .body(Self.picture, contentType: "image/svg+xml") }
        server.post("/upload") { request in .json(text: #"{"code":0,"data":{"bytes":\#(request.bodyLength)}}"#) }
    }

    private static let picture = Data(
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="16" fill="teal"/></svg>"#.utf8)

    /// Configures the tags, as an app does once at start-up.
    func configure() {
        let url = server.url
        API.configure(.workshop) { workshop in
            workshop.host = url
            workshop.retry = .exponential(limit: 3)
            workshop.maxConcurrentCalls = ConcurrencyLimit(2)
        }
        API.configure(.catalog) { catalog in
            catalog.host = url
            catalog.cache = .memory(limit: 1_000_000)
            catalog.dedupe = true
        }
        let signIn = Authentication(
            BearerAuthenticator { _ in
                try await API.tag(.account).post("/token").authenticated(false).json(["refresh": "made-up"]).value(as: BearerToken.self)
            })
        API.configure(.account) { account in
            account.host = url
            account.authentication = signIn
        }
        try? signIn.signIn(BearerToken(accessToken: "made-up-0", refreshToken: "made-up", user: "ada"))
        API.configure(.signed) { signed in
            signed.host = url
            signed.signer = ParameterSigner(.sha256, secret: .suffix("&key=made-up"))
        }
    }
}
