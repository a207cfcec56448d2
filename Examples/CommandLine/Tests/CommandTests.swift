import ArgumentParser
import Catena
import CatenaTesting
import Foundation
import Synchronization
import Testing

@testable import rooms

/// Tests the commands, with stubs instead of the forum.
@Suite struct CommandTests {
    let stubs = Stubs()
    let terminal = RecordedTerminal()
    let folder = FileManager.default.temporaryDirectory.appending(path: "rooms-\(UUID().uuidString)")

    private func run(_ arguments: String..., environment: [String: String] = ["ROOMS_URL": "https://forum.example.com"]) async throws {
        let parsed = try Rooms.parseAsRoot(arguments)
        let command = try #require(parsed as? any ForumCommand)
        try await stubs.activate { try await command.execute(on: terminal.terminal, environment: environment) }
    }

    private func room(_ id: Int, _ name: String) -> Room { Room(id: id, name: name, members: id * 10) }

    @Test("a table of all pages, as far as they are wanted")
    func list() async throws {
        stubs.get("/rooms").query(["page": 1, "q": "b"]).reply(data: [room(1, "Lobby"), room(2, "Büro")])
        stubs.get("/rooms").query(["page": 2]).reply(data: [room(300, "Bar\n"), room(4, "Bath")])
        try await run("list", "--search", "b", "--limit", "3")
        #expect(terminal.lines == ["ID   NAME   MEMBERS", "1    Lobby  10", "2    Büro   20", "300  Bar    3000"])
        try stubs.expect(.get, "/rooms").times(2)
    }

    @Test("JSON, one object per line")
    func json() async throws {
        stubs.get("/rooms").query(["page": 1]).reply(data: [room(1, "Lobby/2")])
        stubs.get("/rooms").reply(data: [Room]())
        try await run("list", "--json")
        #expect(terminal.lines == [#"{"id":1,"members":10,"name":"Lobby/2"}"#])
    }

    @Test("a room is created once, however often the call is sent")
    func create() async throws {
        stubs.post("/rooms").json(["name": "Attic"]).header("Authorization", "Bearer made-up")
            .sequence(.connectionLost, .status(503), .reply(data: room(7, "Attic")))
        try await run("create", "Attic", environment: ["ROOMS_URL": "https://forum.example.com", "ROOMS_TOKEN": "made-up"])
        #expect(terminal.lines == ["7"])
        let keys = Set(stubs.requests(to: "/rooms").map { $0.headers["Idempotency-Key"] })
        #expect(keys.count == 1 && keys != [nil])
    }

    @Test("an export goes on where it was interrupted, and shows how far it is")
    func export() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let messages = String(repeating: "0123456789", count: 1000)
        let whole = StubReply.text(messages).header("ETag", "\"1\"")
        let rest = StubReply.text(String(messages.dropFirst(4000)), status: 206)
            .header("ETag", "\"1\"").header("Content-Range", "bytes 4000-9999/10000")
        stubs.get("/rooms/7/messages").header("Range", "bytes=4000-").reply(rest)
        stubs.get("/rooms/7/messages").reply(whole.connectionLost(after: 4000))
        let file = folder.appending(path: "messages.json").path(percentEncoded: false)
        try await run("export", "7", "--output", file)
        #expect(terminal.lines == ["\(file): 10000 bytes"])
        #expect(terminal.notes.contains("messages.json: 100 %"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == messages)
        try stubs.verify()
    }

    @Test(
        "a failure is a line and an exit code",
        arguments: [
            (StubReply.status(401), 77), (.offline, 69), (.timeout, 69), (.status(503), 1), (.malformedJSON, 1),
            (.reply(code: 10086, message: "The name is taken"), 1),
        ] as [(StubReply, Int32)])
    func failure(reply: StubReply, code: Int32) async throws {
        stubs.post("/rooms").reply(reply)
        let exit = await #expect(throws: ExitCode.self) { try await run("create", "Attic", "--token", "made-up", "--retries", "0") }
        #expect(exit?.rawValue == code)
        #expect(terminal.lines.isEmpty)
        #expect(terminal.notes.hasPrefix("rooms: ") && terminal.notes.hasSuffix("\n"))
        #expect(!terminal.notes.contains("made-up"))
    }

    @Test("the words of the forum and its code are shown")
    func words() async throws {
        stubs.post("/rooms").reply(code: 10086, message: "The name is taken")
        await #expect(throws: ExitCode.self) { try await run("create", "Attic") }
        #expect(terminal.notes == "rooms: The name is taken (code 10086)\n")
    }

    @Test(
        "wrong arguments are refused before anything is sent",
        arguments: [["list", "--limit", "0"], ["create"], ["list", "--retries", "-1"], ["export", "lobby"]])
    func wrong(arguments: [String]) {
        #expect(throws: (any Error).self) { try Rooms.parseAsRoot(arguments) }
    }
}

/// Records the output of a command.
final class RecordedTerminal: Sendable {
    private let written = Mutex<(lines: [String], notes: String)>(([], ""))

    var lines: [String] { written.withLock { $0.lines } }
    var notes: String { written.withLock { $0.notes } }

    var terminal: Terminal {
        Terminal(
            print: { line in self.written.withLock { $0.lines.append(line) } },
            note: { text in self.written.withLock { $0.notes += text } },
            isWatched: true)
    }
}
