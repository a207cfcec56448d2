import Catena
import CatenaPromise
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("The way of an agent to an app", .limitedParallelism) struct AgentBridgeTests {
    /// A folder for the secrets of apps, which is removed with it.
    private final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)")

        deinit { try? FileManager.default.removeItem(at: url) }

        func bridge(_ wanted: String? = nil) -> AgentBridge {
            AgentBridge(InspectorFinder(in: { [url] in [url] }, wanted: wanted))
        }

        func probe(_ change: (inout InspectorSettings) -> Void = { _ in }) throws -> Probe {
            try Probe {
                $0.keyFolder = url
                change(&$0)
            }
        }
    }

    private let folder = Folder()

    /// Sends the message of a tool call, and returns the text of the answer and whether it is an error.
    private func call(_ bridge: AgentBridge, _ tool: String, _ arguments: String = "{}") async throws -> (text: String, isError: Bool) {
        let message = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
        let reply = try #require(await bridge.agents.reply(to: Data(message.utf8)).bytes)
        let result = try JSON(parsing: reply).result
        return (try #require(result.content[0].text.string), result.isError.bool == true)
    }

    @Test("an agent without a key finds the app, lists its calls and shows one, after each start of the app")
    func whole() async throws {
        let bridge = folder.bridge()
        #expect(try await call(bridge, "list_calls").text.contains("No app has an inspector"))
        var port = try Probe.freePort()
        for round in 1...2 {
            let probe = try folder.probe { $0.port = port }
            port = probe.inspector.url.port ?? 0
            probe.stubs.get("/round/*").reply(code: 7, message: "closed")
            _ = await probe.client.get("/round/\(round)").execute().catch { _ in }.result
            let list = try await call(bridge, "list_calls", #"{"failures":true}"#)
            #expect(!list.isError, "\(list.text)")
            let row = try JSON(parsing: Data(list.text.utf8))
            #expect(row.path.string == "/round/\(round)")
            let shown = try await call(bridge, "explain_envelope", #"{"id":\#(row.id.int ?? 0)}"#)
            #expect(shown.text.contains("7"))
            let missing = try await call(bridge, "show_call", #"{"id":99999}"#)
            #expect(missing.isError && missing.text.contains("not kept"))
            probe.inspector.stop()
        }
        #expect(try await call(bridge, "list_calls").isError)
    }

    @Test("an app that has chosen its key is found, too", arguments: ["made-up", String(repeating: "made-up-", count: 40)])
    func chosenKey(key: String) async throws {
        let probe = try folder.probe { $0.key = key }
        let answer = try await call(folder.bridge(), "list_calls")
        #expect(!answer.isError, "\(answer.text)")
        _ = probe
    }

    @Test("the handshake and the list of tools need no app")
    func withoutApp() async throws {
        let message = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
        let reply = try #require(await folder.bridge().agents.reply(to: Data(message.utf8)).bytes)
        #expect(try JSON(parsing: reply).result.tools.array?.count == AgentTool.allCases.count)
    }

    @Test("of several apps the argument names one, by its name or its port, and without it the error lists them")
    func several() async throws {
        let first = try folder.probe()
        let second = try folder.probe()
        let ports = [first, second].compactMap(\.inspector.url.port)
        second.stubs.get("/second").reply(data: 1)
        _ = try await second.client.get("/second").value()
        let refused = try await call(folder.bridge(), "list_calls")
        #expect(refused.isError)
        for port in ports { #expect(refused.text.contains("(port \(port))")) }
        #expect(try await call(folder.bridge("\(ports[1])"), "list_calls").text.contains("/second"))
        let unknown = try await call(folder.bridge("unknown"), "list_calls")
        #expect(unknown.isError && unknown.text.contains("\"unknown\" has no inspector") && unknown.text.contains("(port \(ports[0]))"))
    }

    @Test("an agent tries at most 200 secrets, and the app of a later one is not found", arguments: [(199, true), (200, false)])
    func manySecrets(others: Int, isFound: Bool) async throws {
        let probe = try folder.probe()
        let port = probe.inspector.url.port ?? 0
        // Their names are before that of the app.
        for number in 0..<others {
            let file = folder.url.appending(path: "0-\(number)-\(port).renewal")
            try OwnerOnlyFile.write(Data(String(repeating: "7", count: 32).utf8), to: file, isDurable: false)
        }
        #expect(try await call(folder.bridge(), "list_calls").isError != isFound)
    }

    @Test("a tool that acts needs the option of the app, also when it is called over HTTP with the key", arguments: [false, true])
    func acting(mayAct: Bool) async throws {
        let probe = try folder.probe { $0.agentsMayAct = mayAct }
        probe.stubs.get("/a").reply(data: 1)
        _ = try await probe.client.get("/a").value()
        let id = try await probe.row().id.int ?? 0
        let bridge = folder.bridge()
        let again = try await call(bridge, "repeat_call", #"{"id":\#(id)}"#)
        await probe.client.waitUntilIdle()
        #expect(again.isError != mayAct)
        #expect(probe.stubs.requests.count == (mayAct ? 2 : 1))
        let stub = try await call(bridge, "add_stub", #"{"path":"/a","status":418,"headers":{"X-A":"1"},"body":"tea"}"#)
        #expect(stub.isError != mayAct)
        let outcome = await probe.client.get("/a").execute(.string).result
        guard mayAct else {
            #expect(try outcome.get().contains("1"))
            #expect(stub.text.contains("agentsMayAct"))
            return
        }
        guard case .failure(let error as APIError) = outcome else { return #expect(Bool(false)) }
        #expect(error.status == 418)
        let number = try JSON(parsing: Data(stub.text.utf8)).id.int ?? 0
        #expect(try await !call(bridge, "remove_stub", #"{"id":\#(number)}"#).isError)
        _ = try await probe.client.get("/a").value()
        #expect(try await call(bridge, "remove_stub", #"{"id":\#(number)}"#).isError)
    }

    @Test("an agent removes no effect but a stub")
    func effects() async throws {
        let probe = try folder.probe { $0.agentsMayAct = true }
        let slow = try await probe.post("/api/effects").json(["kind": "slow", "delay": 0]).value()
        let answer = try await call(folder.bridge(), "remove_stub", #"{"id":\#(slow.id.int ?? 0)}"#)
        #expect(answer.isError && answer.text.contains("no such stub"))
    }

    // MARK: Hostile listeners

    /// A server on the port of an app that has ended, and the text of all that it receives.
    private func impostor(
        _ respond: @escaping @Sendable (StubRequest) -> StubReply
    ) throws -> (server: LoopbackServer, key: String, renewal: String) {
        let probe = try folder.probe()
        let port = probe.inspector.url.port ?? 0
        let (key, renewal) = (probe.inspector.key, probe.inspector.secrets.renewal)
        probe.inspector.stop()
        let server = try LoopbackServer(port: port, limits: LoopbackServer.Limits())
        server.on(nil, "*", respond)
        return (server, key, renewal)
    }

    static let lies: [@Sendable (StubRequest) -> StubReply] = [
        { _ in .json(text: #"{"key":"0","renewal":"0","number":"0","sealed":"0"}"#) },
        { _ in .json(text: #"{"key":"","renewal":"","number":"","sealed":""}"#) },
        { _ in .json(text: #"{"key":null,"renewal":[],"number":7,"sealed":"é"}"#) },
        { _ in .json(text: "[]") }, { _ in .text("nonsense") }, { _ in .status(500) }, { _ in .connectionLost },
        // An answer without an end is given up at the limit.
        { _ in .repeated(Data(repeating: 0x20, count: 1 << 16), count: 1 << 20) },
        // The other end of a redirect would receive what is sent next.
        { request in .redirect(to: "http://127.0.0.1:1\(request.target)", status: 307) },
        // Knows how proofs are made, and has another secret.
        { request in
            let words = "\(request.headers["Host"] ?? "")\n\(request.headers["X-Inspector-Number"] ?? "")"
            let own = String(repeating: "0", count: 32)
            func mac(_ purpose: String) -> String { MessageDigest.hmacSHA256(Data("\(purpose)\n\(words)".utf8), key: Data(own.utf8)).hex }
            return .json(["key": mac("key"), "renewal": mac("renewal"), "number": own, "sealed": own])
        },
    ]

    @Test(
        "a process on the port of an app that does not run receives no key, and none of its answers reaches the agent",
        arguments: lies.indices)
    func impostors(index: Int) async throws {
        let (server, key, renewal) = try impostor(Self.lies[index])
        let answer = try await call(folder.bridge(), "list_calls")
        #expect(answer.isError)
        #expect(answer.text.contains("has not proved"), "\(answer.text)")
        #expect(server.requests.allSatisfy { $0.path == "/api/proof" && !$0.headers.contains("X-Inspector-Key") })
        let received = server.requests.map { String(decoding: $0.head + $0.body, as: UTF8.self) }.joined()
        #expect(!received.contains(key) && !received.contains(renewal))
        server.stop()
    }

    @Test("a process that passes the proof of the running app on is not believed, because a proof is for one port")
    func relay() async throws {
        let (server, _, _) = try impostor { _ in .status(404) }
        let probe = try folder.probe()
        let other = "127.0.0.1:\(probe.inspector.url.port ?? 0)"
        let client = Client()
        server.get("/api/proof") { request async in
            let number = request.headers["X-Inspector-Number"] ?? ""
            let proofs = try? await client.host("http://\(other)").get("/api/proof").header("X-Inspector-Number", number).envelope(.raw)
                .data()
            return .json(proofs ?? Data())
        }
        let answer = try await call(folder.bridge("\(server.port)"), "list_calls")
        #expect(answer.isError)
        #expect(server.requestCount == 1)
        // The app itself is still found.
        #expect(try await !call(folder.bridge("\(probe.inspector.url.port ?? 0)"), "list_calls").isError)
        server.stop()
    }

    @Test("an old proof is not believed, because each one is for another number")
    func replay() async throws {
        let free = try Probe.freePort()
        let probe = try folder.probe { $0.port = free }
        let port = probe.inspector.url.port ?? 0
        let number = String(repeating: "7", count: 32)
        let old = try await probe.get("/api/proof").header("X-Inspector-Number", number).execute(.data).value
        probe.inspector.stop()
        let server = try LoopbackServer(port: port, limits: LoopbackServer.Limits())
        server.on(nil, "*") { _ in .json(old) }
        #expect(try await call(folder.bridge(), "list_calls").isError)
        #expect(server.requests.map(\.path) == ["/api/proof"])
        server.stop()
    }

    @Test(
        "a file that others can read, that is a folder, or whose name or content is none of a secret is ignored",
        arguments: ["readable", "folder", "name", "content"])
    func files(fault: String) async throws {
        let probe = try folder.probe()
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.url.path).first)
        let file = folder.url.appending(path: name)
        switch fault {
        case "readable": try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        case "folder":
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        case "name": try FileManager.default.moveItem(at: file, to: folder.url.appending(path: "app-99999999.renewal"))
        default: try Data("no secret".utf8).write(to: file)
        }
        #expect(try await call(folder.bridge(), "list_calls").text.contains("No app has an inspector"))
        _ = probe
    }

    @Test("the folders of apps in a sandbox and in a simulator are looked through")
    func folders() throws {
        let home = folder.url
        let places = [
            "Library/Containers/com.example.Forum/Data/Library/Caches/Catena-Inspector",
            "Library/Developer/CoreSimulator/Devices/A/data/Containers/Data/Application/B/Library/Caches/Catena-Inspector",
        ]
        for place in places { try FileManager.default.createDirectory(at: home.appending(path: place), withIntermediateDirectories: true) }
        let found = InspectorFinder.usualFolders(home: home).map(\.path)
        for place in places { #expect(found.contains(home.appending(path: place).path)) }
    }

    @Test(
        "the name of a file has the app and the port",
        arguments: [
            ("app-8642.renewal", "app 8642"), ("com_example-app-1.renewal", "com_example-app 1"), ("app.renewal", nil),
            ("app-0.renewal", nil),
            ("app-65536.renewal", nil), ("app-8642", nil), ("-8642.renewal", " 8642"), ("app-.renewal", nil), (".renewal", nil),
        ])
    func names(name: String, expected: String?) {
        #expect(InspectorKey.place(in: name).map { "\($0.app) \($0.port)" } == expected)
    }
}
