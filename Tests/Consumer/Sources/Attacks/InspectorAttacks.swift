import Catena
import CatenaInspector
import Foundation
import Synchronization

/// Attacks the inspector as a local process without the key: asks everything, relays, replays, and listens on its port while the app is down.
@MainActor
struct InspectorAttacks {
    let findings: Findings
    /// A secret of a call, which no client may see without the key.
    nonisolated private static let secret = "made-up-content-of-a-call"

    func run() async throws {
        let client = Client(transport: Fixed(body: Self.secret))
        // A port that the app names can be taken again at once.
        let inspector = try await Inspector.start(for: client, port: try Listener.freePort())
        let app = App(inspector)
        _ = try await client.absoluteURL("https://forum.example/rooms").string()
        withoutKey(app)
        otherPlaces(app)
        opening(app)
        try await pages(app, inspector)
        try await starts(client)
    }

    /// An inspector, and what only its user knows.
    struct App: Sendable {
        let port: Int
        let key: String
        let code: String

        init(_ inspector: Inspector) {
            port = inspector.url.port ?? 0
            key = inspector.key
            code = inspector.url.fragment()?.split(separator: "=").last.map(String.init) ?? ""
        }

        var host: String { "127.0.0.1:\(port)" }

        func isTold(by text: String) -> Bool { text.contains(key) || text.contains(code) || text.contains(InspectorAttacks.secret) }
    }

    static let number = String(repeating: "7", count: 32)

    /// Asks for everything without the key, or with keys that are almost right.
    private func withoutKey(_ app: App) {
        let routes = [
            ("GET", "/"), ("GET", "/main.js"), ("GET", "/connection.js"), ("GET", "/api/hello"), ("GET", "/api/events"),
            ("GET", "/api/calls"),
            ("GET", "/api/calls/1"), ("POST", "/api/calls/1/again"), ("GET", "/api/har"), ("GET", "/api/archive"), ("POST", "/api/effects"),
            ("DELETE", "/api/effects"), ("POST", "/api/clear"), ("GET", "/api/open"), ("POST", "/api/open"), ("GET", "/api/proof"),
            ("GET", "/../Sources/Package.swift"), ("GET", "/%2e%2e/%2e%2e/etc/passwd"), ("GET", "//etc/passwd"),
        ]
        let keys = [
            "", "X-Inspector-Key: \r\n", "X-Inspector-Key: \(app.key.dropLast())\r\n", "X-Inspector-Key: \(app.key)0\r\n",
            "X-Inspector-Key: \(app.key.uppercased())x\r\n", "X-Inspector-Key: 0\r\nX-Inspector-Key: \(app.key)\r\n",
            "X-Inspector-Code: \(app.key)\r\n", "X-Inspector-Number: \(Self.number)\r\n", "X-Inspector-Number: \(Self.number)\0\r\n",
        ]
        var told: [String] = []
        var asked = 0
        for (method, path) in routes {
            for key in keys {
                let text = Exchange.run(
                    app.port, "\(method) \(path) HTTP/1.1\r\nHost: \(app.host)\r\n\(key)Content-Length: 0\r\nConnection: close\r\n\r\n")
                asked += 1
                if app.isTold(by: text) || path.contains("passwd") && text.contains("root:") {
                    told.append("\(method) \(path) with \(key)")
                }
                if path.hasPrefix("/api/"), !path.hasSuffix("/proof"), text.hasPrefix("HTTP/1.1 200") {
                    told.append("\(method) \(path): 200")
                }
            }
        }
        findings.check("\(asked) requests without the key learn nothing", told.isEmpty, "\(told)")
    }

    /// Asks as another page, or for another host, for proofs that would be worth something elsewhere.
    private func otherPlaces(_ app: App) {
        let heads = [
            "Host: 127.0.0.1:\(app.port + 1)\r\n", "Host: localhost:\(app.port)\r\n", "Host: evil.example:\(app.port)\r\n", "",
            "Host: \(app.host)\r\nHost: evil.example\r\n", "Host: \(app.host)\r\nOrigin: http://evil.example\r\n",
            "Host: \(app.host)\r\nOrigin: null\r\n", "Host: \(app.host)\r\nSec-Fetch-Site: cross-site\r\n",
            "Host: \(app.host)\r\nOrigin: http://127.0.0.1:\(app.port + 1)\r\n", "Host: [::1]:\(app.port)\r\n",
            "Host: 127.1:\(app.port)\r\n",
        ]
        for path in ["/api/hello", "/api/proof"] {
            let answers = heads.map { head in
                Exchange.run(
                    app.port,
                    "GET \(path) HTTP/1.1\r\n\(head)X-Inspector-Key: \(app.key)\r\nX-Inspector-Number: \(Self.number)\r\nConnection: close\r\n\r\n"
                )
            }
            findings.check(
                "\(path) is refused to \(heads.count) other hosts and pages, even with the key",
                answers.allSatisfy { $0.hasPrefix("HTTP/1.1 4") && !app.isTold(by: $0) }, "\(answers.map { $0.prefix(40) })")
        }
    }

    /// Tries the code of the address again after a page has used the key.
    private func opening(_ app: App) {
        let ask = { (header: String, method: String, path: String) in
            Exchange.run(
                app.port, "\(method) \(path) HTTP/1.1\r\nHost: \(app.host)\r\n\(header)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        findings.check(
            "the code of the address gives the key", ask("X-Inspector-Code: \(app.code)", "POST", "/api/open").contains(app.key),
            "it does not")
        _ = ask("X-Inspector-Key: \(app.key)", "GET", "/api/hello")
        let again = ask("X-Inspector-Code: \(app.code)", "POST", "/api/open")
        findings.check("it gives the key to no second page", again.hasPrefix("HTTP/1.1 401") && !again.contains(app.key), again)
    }

    /// Lets open pages meet servers that are not the app: while the app runs on another port, and on its own port while it is down.
    private func pages(_ app: App, _ inspector: Inspector) async throws {
        guard let page = try Page() else { return findings.omit("pages that meet another server", because: "there is no node") }
        defer { page.remove() }
        let hello = page.run(host: app.host, key: app.key)
        findings.check("a page with the key reaches its app", hello == "hello", hello)
        let relay = Impostor.relaying(to: app)
        try await meet(page, app, relay, port: 0, "another port relays to the app")
        // The proofs that the app has given to a page before, which an eavesdropper knows.
        let recorded = Impostor.proofs(of: app, number: Self.number)
        inspector.stop()
        let impostors = [
            ("everything is an empty object", Impostor.always("{}")), ("every proof is the number", Impostor.echo),
            ("proofs of another page are replayed", Impostor.always(recorded)), ("it is no JSON", Impostor.always("<html>")),
            ("proofs are all text", Impostor.always(#"{"key":true,"code":[""],"renewal":null,"number":"0","sealed":"00"}"#)),
            (
                "it redirects",
                { _ in "HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:\(app.port)/api/hello\r\nContent-Length: 0\r\n\r\n" }
            ),
        ]
        for (name, impostor) in impostors {
            try await meet(page, app, impostor, port: app.port, "the app is down, and on its port \(name)")
        }
    }

    private func meet(_ page: Page, _ app: App, _ respond: @escaping Impostor.Response, port: Int, _ attack: String) async throws {
        let heard = Mutex("")
        let listener = try Listener(port: port) { connection in
            var head = ""
            while !head.contains("\r\n\r\n"), let bytes = connection.receive() { head += String(decoding: bytes, as: UTF8.self) }
            heard.withLock { $0 += head }
            connection.send(respond(head).utf8)
        }
        defer { listener.stop() }
        for (secret, said) in [
            ("key", page.run(host: "127.0.0.1:\(listener.port)", key: app.key)),
            ("code", page.run(host: "127.0.0.1:\(listener.port)", code: app.code)),
        ] {
            findings.check("\(attack): a page with the \(secret) is not content", said != "hello" && !said.isEmpty, said)
        }
        let text = heard.withLock { $0 }
        findings.check("\(attack): it is asked, and hears neither key nor code", text.contains("/api/proof") && !app.isTold(by: text), text)
    }

    /// Starts several inspectors on the same port, one after the other.
    private func starts(_ client: Client) async throws {
        var apps: [App] = []
        let port = try Listener.freePort()
        for _ in 0..<3 {
            let inspector = try await Inspector.start(for: client, port: port)
            let app = App(inspector)
            let answers = apps.map { former in
                Exchange.run(
                    app.port, "GET /api/hello HTTP/1.1\r\nHost: \(app.host)\r\nX-Inspector-Key: \(former.key)\r\nConnection: close\r\n\r\n")
            }
            findings.check(
                "start \(apps.count + 1) refuses the keys of the former ones", answers.allSatisfy { $0.hasPrefix("HTTP/1.1 401") },
                "\(answers)")
            apps.append(app)
            inspector.stop()
        }
        findings.check("each start has a key and a code of its own", Set(apps.flatMap { [$0.key, $0.code] }).count == 6, "\(apps)")
    }
}

/// Sends the same response to every request.
struct Fixed: Transport {
    let body: String

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        TransportResponse(status: 200, headers: ["Content-Type": "text/plain"], body: TransportBody(Data(body.utf8)))
    }
}
