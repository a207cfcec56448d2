import Catena
import CatenaTesting
import Foundation
import Synchronization

/// Attacks the files that Catena reads and writes: something else stands in their places, or comes while they are used.
@MainActor
struct FileAttacks {
    let findings: Findings
    let server: LoopbackServer
    /// A server over TLS, if this system can have one.
    private let secure: LoopbackServer?
    let folder: Folder
    private let things: [Thing]

    init(_ findings: Findings) throws {
        (self.findings, server, folder) = (findings, try LoopbackServer(), try Folder())
        secure = LoopbackServer.offersTLS ? try LoopbackServer(security: .tls) : nil
        things = Thing.all + (geteuid() == 0 ? [Thing.others] : [])
        if geteuid() != 0 { findings.omit("files: \(Thing.others.name)", because: "only root can make it") }
        server.get("/a") { _ in .text("fine").header("Set-Cookie", "seen=1; Max-Age=1000").header("Cache-Control", "max-age=0") }
        server.get("/file") { _ in .body(Data(repeating: 7, count: 100_000)).header("ETag", "\"1\"") }
        server.post("/upload") { .text("\($0.bodyLength)") }
    }

    func run() async throws {
        let before = Memory.peak
        for (number, thing) in things.enumerated() {
            try await credential(thing, try folder.inner("credential-\(number)").appending(path: "c"))
            try await cookies(thing, try folder.inner("cookies-\(number)").appending(path: "c"))
            try await cache(thing, try folder.inner("cache-\(number)"))
            for name in [".file.part", ".file.part.json", "file"] {
                try await download(thing, name, try folder.inner("download-\(name)-\(number)"))
            }
            if thing.name != "5 GB" { try await upload(thing, try folder.inner("upload-\(number)").appending(path: "u")) }
            try await certificates(thing, try folder.inner("certificates-\(number)").appending(path: "c"))
        }
        for device in ["/dev/zero", "/dev/full", "/dev/stdin", "/proc/self/pagemap", "/proc/self/mem"] {
            try await credential(Thing(name: device, isForeign: true) { _ in }, URL(filePath: device), removes: false)
        }
        try await flickering(try folder.inner("flicker").appending(path: "c"))
        if let before, let after = Memory.peak {
            findings.check("files: memory stays bounded", after - before < 300, "\(after - before) MB more")
        }
        server.stop()
        secure?.stop()
        folder.remove()
    }

    private func client(_ configure: (inout Profile) -> Void) -> Client {
        let client = Client()
        client.configure("slow") { profile in
            profile.host = server.url
            profile.deadline = .seconds(2)
            configure(&profile)
        }
        client.configure("other") { $0.host = server.url }
        client.onDiagnostic { _ in }
        return client
    }

    /// Signs in from a file: `execute()` returns at once, the calls fail in time, other calls go through, and what is no file of Catena's stays.
    private func credential(_ thing: Thing, _ place: URL, removes: Bool = true) async throws {
        let attack = "\(thing.name) in the place of a credential"
        try thing.put(place)
        let former = Thing.State(of: place)
        let signIn = Authentication(BearerAuthenticator(), store: FileCredentialStore<BearerToken>(file: place))
        let client = client { $0.authentication = signIn }
        let start = ContinuousClock.now
        let calls = (0..<32).map { _ in client.tag("slow").get("/a").execute(.string) }
        let beginning = ContinuousClock.now - start
        findings.check("\(attack): execute() returns at once", beginning < .seconds(1), "\(beginning)")
        let other = await outcome(within: 5) { try await client.tag("other").get("/a").string() }
        findings.check("\(attack): calls of another tag go through", (try? other?.get()) == "fine", words(of: other))
        let ends = await outcome(within: 6) { await results(of: calls) }
        let failed = (try? ends?.get())?.allSatisfy { if case .failure = $0 { true } else { false } }
        findings.check("\(attack): all calls fail in time", failed == true, words(of: ends))
        guard thing.isForeign, removes, let former else { return }
        let signedIn = await outcome(within: 5) { try signIn.signIn(BearerToken(accessToken: "made-up")) }
        let signedOut = await outcome(within: 5) { try signIn.signOut() }
        findings.check(
            "\(attack): signIn and signOut throw",
            signedOut?.failure != nil && signedIn?.failure != nil,
            "\(words(of: signedIn)), \(words(of: signedOut))")
        findings.check("\(attack): it stays", thing.isUnchanged(at: place, since: former), "it has changed")
    }

    /// Keeps cookies in a file.
    private func cookies(_ thing: Thing, _ place: URL) async throws {
        let attack = "\(thing.name) in the place of cookies"
        try thing.put(place)
        let former = Thing.State(of: place)
        let jar = CookieJar(store: FileCredentialStore<KeptCookies>(file: place)) { nil }
        let client = client { $0.cookieJar = jar }
        let calls = (0..<8).map { _ in client.tag("slow").get("/a").execute(.string) }
        let ends = await outcome(within: 6) { await results(of: calls) }
        let succeeded = (try? ends?.get())?.allSatisfy { (try? $0.get()) == "fine" }
        findings.check("\(attack): all calls succeed", succeeded == true, words(of: ends))
        guard thing.isForeign, let former else { return }
        let saved = await outcome(within: 5) { try jar.save() }
        findings.check("\(attack): save() throws", saved?.failure != nil, words(of: saved))
        findings.check("\(attack): it stays", thing.isUnchanged(at: place, since: former), "it has changed")
    }

    /// Keeps responses on disk, whose folder and files are replaced.
    private func cache(_ thing: Thing, _ place: URL) async throws {
        for isWarm in [false, true] {
            let attack = "\(thing.name) in the place of \(isWarm ? "cached responses" : "the folder of a cache")"
            let folder = place.appending(path: "\(isWarm)")
            let responses = folder.appending(path: "catena-responses")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var victims = [responses]
            if isWarm {
                _ = try await client { $0.cache = .disk(folder: folder, limit: 1 << 20) }.tag("slow").get("/a").string()
                let names = FileManager.default.enumerator(at: responses, includingPropertiesForKeys: [.isRegularFileKey])
                victims = names?.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath } ?? []
                findings.check("\(attack): there are some", !victims.isEmpty, "none")
            }
            for victim in victims {
                try? FileManager.default.removeItem(at: victim)
                try? FileManager.default.removeItem(at: Thing.neighbour(of: victim))
                try thing.put(victim)
            }
            let client = client { $0.cache = .disk(folder: folder, limit: 1 << 20) }
            let calls = (0..<8).map { _ in client.tag("slow").get("/a").execute(.string) }
            let ends = await outcome(within: 6) { await results(of: calls) }
            let succeeded = (try? ends?.get())?.allSatisfy { (try? $0.get()) == "fine" }
            findings.check("\(attack): all calls succeed", succeeded == true, words(of: ends))
        }
    }

    /// Downloads to a file, whose unfinished parts have a name that anybody can guess.
    private func download(_ thing: Thing, _ name: String, _ place: URL) async throws {
        let attack = "\(thing.name) in the place of \(name) of a download"
        let victim = place.appending(path: name)
        try thing.put(victim)
        let former = Thing.State(of: victim)
        let call = client { _ in }.tag("slow").get("/file")
        let target = place.appending(path: "file")
        let end = await outcome(within: 6) { try await call.download(to: target) }
        let isFile = (try? end?.get()) == nil || (try? Data(contentsOf: target)) == Data(repeating: 7, count: 100_000)
        findings.check("\(attack): it ends, with the whole file or with an error", end != nil && isFile, words(of: end))
        guard name == "file", let former, thing.isForeign else { return }
        let contents = thing.name == "a folder" ? thing.isUnchanged(at: victim, since: former) : true
        let neighbour = (try? Data(contentsOf: Thing.neighbour(of: victim))).map { $0 == Thing.kept } ?? true
        findings.check("\(attack): nothing is written through it", contents && neighbour, "it has changed")
    }

    /// Sends a file that the app names.
    private func upload(_ thing: Thing, _ place: URL) async throws {
        let attack = "\(thing.name) in the place of a body"
        try thing.put(place)
        let call = client { _ in }.tag("slow").post("/upload").body(file: place)
        let end = await outcome(within: 6) { try await call.string() }
        // The app may name a link and any file that it can read.
        let isRegular = ["a link to another file", "a file that others can read", Thing.others.name].contains(thing.name)
        findings.check(
            "\(attack): it is sent if it is a file, else the call fails", end != nil && (end?.failure == nil) == isRegular, words(of: end))
    }

    /// Makes calls over TLS with files of certificates, which libcurl opens.
    private func certificates(_ thing: Thing, _ place: URL) async throws {
        #if os(Linux)
        guard let secure else { return findings.omit("\(thing.name) in the place of certificates", because: "there is no TLS") }
        try thing.put(place)
        let files: [(String, WritableKeyPath<CurlConfiguration, String?>)] = [
            ("authorities", \.certificateAuthorityFile), ("a certificate", \.clientCertificateFile), ("a key", \.clientKeyFile),
        ]
        for (name, file) in files {
            let attack = "\(thing.name) in the place of \(name)"
            var configuration = CurlConfiguration()
            configuration.loops = 1
            configuration[keyPath: file] = place.path
            let client = Client(transport: try CurlTransport(configuration))
            client.configureDefaults { $0.deadline = .seconds(2) }
            let end = await outcome(within: 6) { try await client.absoluteURL("\(secure.url)/a").string() }
            findings.check("\(attack): the call fails in time", end?.failure != nil, words(of: end))
            let other = await outcome(within: 6) { try await client.absoluteURL("\(server.url)/a").string() }
            findings.check("\(attack): the next call over the transport succeeds", (try? other?.get()) == "fine", words(of: other))
        }
        #endif
    }

    /// Signs in while a file and a pipe replace each other.
    private func flickering(_ place: URL) async throws {
        let flicker = Flicker(place, content: #"{"accessToken":"made-up"}"#)
        let found = await outcome(within: 10) {
            let store = FileCredentialStore<BearerToken>(file: place)
            var (tries, found) = (0, 0)
            while tries < 3000 || found == 0 {
                tries += 1
                if (try? store.load())?.accessToken == "made-up" { found += 1 }
            }
            return found
        }
        flicker.stop()
        findings.check(
            "a pipe and a credential that replace each other all the time: each of 3000 readings ends",
            found?.failure == nil && found != nil,
            words(of: found))
    }
}
