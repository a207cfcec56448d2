import Catena
import Foundation
import Synchronization

/// Attacks the identity of loops of calls: another user signs in or out within each of them, and all the time on another thread.
@MainActor
struct IdentityAttacks {
    let findings: Findings
    let folder: Folder

    init(_ findings: Findings) throws { (self.findings, folder) = (findings, try Folder()) }

    /// Several calls for one statement of an app. Returns the tokens of the responses.
    struct Loop: Sendable {
        let name: String
        /// Whether the loop streams a body, which is always sent over HTTP/1.1.
        var isStreamed = false
        /// Whether the loop begins with a response that the cache has.
        var isKept = false
        let run: @Sendable (Client, Request, URL) async throws -> [String]
    }

    /// A change of the user who is signed in.
    enum Change: String, CaseIterable {
        case signIn = "another user signs in", signOut = "the user signs out", unknown = "a user without an id signs in"
    }

    nonisolated static let loops: [Loop] = [
        Loop(name: "pages") { _, request, _ in
            try await request.path("/list").pages(of: String.self).reduce(into: []) { $0 += $1.items }
        },
        Loop(name: "pages by a cursor") { _, request, _ in
            try await request.path("/list").pages(of: String.self, by: .cursor("after")).reduce(into: []) { $0 += $1.items }
        },
        Loop(name: "items") { _, request, _ in
            try await request.path("/list").items(of: String.self).reduce(into: []) { $0.append($1) }
        },
        Loop(name: "poll") { _, request, _ in
            var tokens: [String] = []
            _ = try await request.path("/list").cache(.never).poll(every: .milliseconds(1)) { (page: JSON) in
                tokens.append(page.list[0].string ?? "")
                return tokens.count == 4
            }
            return tokens
        },
        Loop(name: "batch") { client, request, _ in
            let requests = (0..<4).map { request.path("/list").query(["n": $0]) }
            let results = try await client.batch(requests, concurrency: 1).value
            if case .failure(let error)? = results.last { throw error }
            return results.compactMap { try? $0.get().list[0].string }
        },
        Loop(name: "a kept value and the network's", isKept: true) { _, request, _ in
            var tokens: [String] = []
            for try await page in request.path("/list").values(of: JSON.self) { tokens.append(page.list[0].string ?? "") }
            return tokens
        },
        Loop(name: "events that reconnect", isStreamed: true) { _, request, _ in
            var tokens: [String] = []
            for try await event in request.path("/events").events() {
                tokens.append(event.data)
                if tokens.count == 4 { break }
            }
            return tokens
        },
        Loop(name: "a download that resumes", isStreamed: true) { _, request, file in
            let retry = RetryPolicy.exponential(limit: 3, baseDelay: .milliseconds(1))
            try await request.path("/file").retry(retry).download(to: file)
            return [String(decoding: try Data(contentsOf: file).prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)]
        },
    ]

    /// The tildes keep HTTP/2 from writing the token in Huffman's code, so that the server need not decode it.
    nonisolated static func token(_ name: String, user: String?) -> BearerToken {
        BearerToken(accessToken: name + String(repeating: "~", count: 20), user: user)
    }

    static func client(_ backend: Backend, _ signIn: Authentication<BearerAuthenticator>) -> Client {
        let client = Client()
        client.configure("forum") { forum in
            forum.host = backend.url
            forum.authentication = signIn
            forum.cache = .memory(limit: 1 << 20)
            if backend.version == .http2 { forum.httpVersion = .http2 }
        }
        client.onDiagnostic { _ in }
        return client
    }

    func run() async throws {
        for version in Backend.Version.allCases {
            let backend = try Backend(version)
            let loops = Self.loops.filter { !$0.isStreamed || version == .http1 }
            for loop in loops {
                for change in Change.allCases { await attack(loop, change, backend) }
            }
            for loop in loops { await race(loop, backend) }
            backend.stop()
        }
        folder.remove()
    }

    /// Changes the user within a call of a loop.
    private func attack(_ loop: Loop, _ change: Change, _ backend: Backend) async {
        let attack = "\(change.rawValue) within \(loop.name), \(backend.version.rawValue)"
        let signIn = Authentication(BearerAuthenticator(), store: MemoryCredentialStore(Self.token("ann", user: "Ann")))
        let client = Self.client(backend, signIn)
        let (name, file) = (LoopName.next(), folder.url.appending(path: UUID().uuidString))
        let request = client.tag("forum").header("X-Loop", name)
        if loop.isKept { _ = try? await request.path("/list").value() }
        backend.record.withinNext(of: name) {
            switch change {
            case .signIn: try? signIn.signIn(Self.token("bob", user: "Bob"))
            case .signOut: try? signIn.signOut()
            case .unknown: try? signIn.signIn(Self.token("bob", user: nil))
            }
        }
        let end = await outcome(within: 10) { try await loop.run(client, request, file) }
        let (sent, received) = (backend.record.tokens(of: name), (try? end?.get()) ?? [])
        let isAnns = { (token: String) in token.contains("ann") }
        findings.check("\(attack): nothing is sent as another user", !sent.isEmpty && sent.allSatisfy(isAnns), "\(sent)")
        findings.check("\(attack): nothing of another user arrives", received.allSatisfy(isAnns), "\(received)")
        guard !loop.isKept else { return }
        let isRefused = (end?.failure as? APIError)?.kind == .missingCredential
        findings.check("\(attack): the loop ends with missingCredential", isRefused && sent.count == 1, "\(words(of: end)), \(sent)")
    }

    /// Runs a loop again and again while two users sign in by turns, as fast as a thread can do it.
    private func race(_ loop: Loop, _ backend: Backend) async {
        let signIn = Authentication(BearerAuthenticator(), store: MemoryCredentialStore(Self.token("ann", user: "Ann")))
        let client = Self.client(backend, signIn)
        let isOver = Flag()
        Thread.detachNewThread {
            while !isOver.isSet {
                for (name, user) in [("bob", "Bob"), ("ann", "Ann")] { try? signIn.signIn(Self.token(name, user: user)) }
            }
        }
        let folder = folder.url
        // Events reconnect after a second.
        let runs = loop.name.hasPrefix("events") ? 1 : 10
        let mixed = await outcome(within: 10) {
            await withTaskGroup(of: [String].self) { lanes in
                for _ in 0..<4 {
                    lanes.addTask {
                        var mixed: [String] = []
                        for _ in 0..<runs {
                            let name = LoopName.next()
                            let request = client.tag("forum").header("X-Loop", name)
                            let received = (try? await loop.run(client, request, folder.appending(path: UUID().uuidString))) ?? []
                            let tokens = Set(backend.record.tokens(of: name) + received)
                            if tokens.count > 1 { mixed.append("\(name): \(tokens.sorted())") }
                        }
                        return mixed
                    }
                }
                return await lanes.reduce(into: []) { $0 += $1 }
            }
        }
        isOver.set()
        findings.check(
            "two users sign in by turns during \(4 * runs) runs of \(loop.name), \(backend.version.rawValue): no run mixes them",
            (try? mixed?.get())?.isEmpty == true, words(of: mixed))
    }
}

/// The names of loops, by which a backend tells them apart.
enum LoopName {
    private static let last = Atomic(0)

    static func next() -> String { "loop-\(last.add(1, ordering: .relaxed).newValue)~~~~~~~~~~~~" }
}
