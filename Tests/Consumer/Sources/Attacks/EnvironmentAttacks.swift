import Catena
import CatenaTesting
import Foundation

/// Makes one call over the default transport, for the environment of this process.
struct ChildCall {
    private let url: String
    private let isResolved: Bool

    /// - Parameter words: The URL, and `--resolved` if its host is this machine.
    init(_ words: ArraySlice<String>) {
        url = words.first ?? ""
        isResolved = words.contains("--resolved")
    }

    func run() async -> Int32 {
        let client = Client()
        client.onDiagnostic { print("diagnostic \($0.kind): \($0.message)") }
        client.configureDefaults { defaults in
            defaults.envelope = .raw
            defaults.timeout = .seconds(5)
            if isResolved { defaults.resolve("forum.example", to: ["127.0.0.1"]) }
        }
        do {
            print("ok \(try await client.absoluteURL(url).string())")
        } catch let error as APIError {
            print("error \(error.kind): \(error.message) \(error.underlying.map { "\($0)" } ?? "")")
        } catch {
            print("error \(error)")
        }
        return 0
    }
}

/// Attacks calls by variables of the environment that the app has not set: proxies, authorities, files of curl(1).
@MainActor
struct EnvironmentAttacks {
    let findings: Findings
    /// The server of the calls, the proxy of the variables, and the server over TLS.
    private let server, proxy: LoopbackServer
    private let secure: LoopbackServer?
    private let folder: Folder

    init(_ findings: Findings) throws {
        (self.findings, server, proxy, folder) = (findings, try LoopbackServer(), try LoopbackServer(), try Folder())
        secure = LoopbackServer.offersTLS ? try LoopbackServer(security: .tls) : nil
        for server in [server, secure] { server?.get("/a") { .text($0.headers["Authorization"] ?? "direct") } }
        proxy.on(nil, "/*") { _ in .text("proxied") }
        proxy.on("CONNECT", "*") { _ in .status(502) }
    }

    func run() async throws {
        #if os(Linux)
        proxies()
        brokenProxies()
        try authorities()
        try homes()
        #else
        findings.omit("environment", because: "URLSession has the settings of the system")
        #endif
        for server in [server, proxy] { server.stop() }
        secure?.stop()
        folder.remove()
    }

    /// Makes a call in a process of its own. The variables of this process do not count.
    private func call(_ url: String, isResolved: Bool = false, _ environment: [String: String]) -> String {
        let names = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
        let unset = (names + names.map { $0.uppercased() }).filter { environment[$0] == nil }.flatMap { ["-u", $0] }
        let own = ProcessInfo.processInfo.arguments[0]
        return Command.run(unset + [own, "--call", url] + (isResolved ? ["--resolved"] : []), environment: environment) ?? "no process"
    }

    /// The variables of proxies mean what the guide says, and nothing else.
    private func proxies() {
        let host = "http://forum.example:\(server.port)/a"
        let rows: [(environment: [String: String], url: String, answer: String)] = [
            (["http_proxy": proxy.url], host, "ok proxied"), (["all_proxy": proxy.url], host, "ok proxied"),
            (["ALL_PROXY": proxy.url], host, "ok proxied"), (["http_proxy": "127.0.0.1:\(proxy.port)"], host, "ok proxied"),
            // A web server sets it from a header of its client.
            (["HTTP_PROXY": proxy.url], host, "ok direct"), (["https_proxy": proxy.url], host, "ok direct"),
            (["http_proxy": "", "all_proxy": proxy.url], host, "ok direct"),
            (["http_proxy": proxy.url, "no_proxy": "example"], host, "ok direct"),
            (["http_proxy": proxy.url, "NO_PROXY": "*"], host, "ok direct"),
            (["http_proxy": proxy.url, "no_proxy": "forum.example:\(server.port)"], host, "ok direct"),
            (["http_proxy": proxy.url, "all_proxy": proxy.url], "\(server.url)/a", "ok direct"),
            (["http_proxy": proxy.url], "http://localhost:\(server.port)/a", "ok direct"),
            (["https_proxy": proxy.url], "https://forum.example/a", "error connect"),
            (["ALL_PROXY": proxy.url], "https://forum.example/a", "error connect"),
        ]
        for row in rows {
            proxy.forgetRequests()
            let answer = call(row.url, isResolved: row.answer == "ok direct", row.environment)
            let isProxied = !proxy.requests.isEmpty
            let attack = "\(row.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")): \(row.url)"
            findings.check(
                "\(attack): \(row.answer)", answer.hasPrefix(row.answer) && isProxied == (row.answer != "ok direct"),
                "\(answer), \(isProxied ? "by" : "not by") the proxy")
        }
    }

    /// A proxy that is none fails the call, and is shown without its password and its control characters.
    private func brokenProxies() {
        let values = [
            "http://ann:made-up@127.0.0.1:1", "http://127.0.0.1:\(proxy.port)\r\nX-Evil: 1", "ftp://127.0.0.1:\(proxy.port)",
            "file:///etc/passwd",
            "\u{1B}[31mhttp://x", "http://", ":", "//", "http://[::1", "http://127.0.0.1:99999", String(repeating: "x", count: 100_000),
        ]
        for value in values {
            proxy.forgetRequests()
            let answer = call("http://forum.example/a", ["http_proxy": value])
            let isShown = answer.contains("made-up") || answer.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }
            let isEvil = proxy.requests.contains { String(decoding: $0.head, as: UTF8.self).contains("X-Evil") }
            findings.check(
                "http_proxy=\(String(reflecting: String(value.prefix(40)))): the call fails",
                answer.hasPrefix("error") && !isShown && !isEvil,
                answer)
        }
    }

    /// Variables of OpenSSL and of curl(1) make no certificate trusted.
    private func authorities() throws {
        guard let secure, let file = secure.certificateAuthorityFile else {
            return findings.omit("authorities", because: "there is no TLS")
        }
        let certificates = try folder.inner("certificates")
        // The name under which OpenSSL looks for the authority of these servers.
        try FileManager.default.copyItem(atPath: file, toPath: certificates.appending(path: "ccc611b4.0").path)
        let variables = [
            "SSL_CERT_FILE": file, "SSL_CERT_DIR": certificates.path, "CURL_CA_BUNDLE": file, "REQUESTS_CA_BUNDLE": file,
            "NODE_EXTRA_CA_CERTS": file, "URLSessionCertificateAuthorityInfoFile": "INSECURE_SSL_NO_VERIFY",
        ]
        for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
            for transport in ["", "urlsession"] {
                let answer = call("\(secure.url)/a", [name: value, "CATENA_TRANSPORT": transport])
                findings.check(
                    "\(name), \(transport.isEmpty ? "libcurl" : transport): no other certificate is trusted",
                    answer.hasPrefix("error") && answer.contains("certificate"), answer)
            }
        }
    }

    /// Files of curl(1) in the home folder add neither credentials nor proxies, and turn nothing off.
    private func homes() throws {
        let home = try folder.inner("home")
        let rules = """
            proxy = "\(proxy.url)"
            insecure
            netrc
            user = "ann:made-up"
            header = "Authorization: made-up"

            """
        let netrc = "machine 127.0.0.1 login ann password made-up\ndefault login ann password made-up\n"
        for (name, text) in [(".curlrc", rules), ("curlrc", rules), (".netrc", netrc), ("_netrc", netrc)] {
            try Thing.create(home.appending(path: name), text, 0o600)
        }
        let environment = [
            "HOME": home.path, "CURL_HOME": home.path, "XDG_CONFIG_HOME": home.path, "NETRC": home.appending(path: ".netrc").path,
        ]
        for transport in ["", "urlsession"] {
            let environment = environment.merging(["CATENA_TRANSPORT": transport]) { $1 }
            let name = transport.isEmpty ? "libcurl" : transport
            let answer = call("\(server.url)/a", environment)
            findings.check("HOME with .curlrc and .netrc, \(name): the call is as without them", answer == "ok direct", answer)
            guard let secure else { continue }
            let refused = call("\(secure.url)/a", environment)
            findings.check(
                "HOME with .curlrc, \(name): certificates are checked", refused.hasPrefix("error") && refused.contains("certificate"),
                refused)
        }
    }
}
