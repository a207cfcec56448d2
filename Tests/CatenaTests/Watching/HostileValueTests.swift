import CatenaArchive
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A malicious text, which could do harm where it is shown, pasted, read again or used as a name. The tests of the inspector's page read the
/// same file.
struct HostileValue: Sendable, CustomTestStringConvertible, Decodable {
    let name: String
    let value: String

    var testDescription: String { name }

    static let all: [HostileValue] = {
        let file = URL.packageRoot.appending(path: "Tests/HostileValues.json")
        return (try? JSONDecoder().decode([HostileValue].self, from: Data(contentsOf: file))) ?? []
    }()

    /// Whether the text has characters that control a terminal or an editor.
    static func steers(_ text: String, besides allowed: String = "") -> Bool {
        text.unicodeScalars.contains { $0.isControl && !allowed.unicodeScalars.contains($0) || $0 == "\u{2028}" || $0 == "\u{2029}" }
    }
}

@Suite("Hostile values", .limitedParallelism)
struct HostileValueTests {
    @Test("the file has more than 20 values") func some() { #expect(HostileValue.all.count > 20) }

    @Test("logs, errors and diagnostics of a hostile value have no line breaks or control characters")
    static func shownRows() async {
        await each(HostileValue.all) { try await Self().shown($0) }
    }

    func shown(_ hostile: HostileValue) async throws {
        let value = hostile.value
        let stub = ClosureTransport { _ in .json((["code": 5, "msg": JSON(.string(value)), "data": [:]] as JSON).text, status: 500) }
        let client = Client(transport: stub)
        let diagnostics = Recorder<DiagnosticEvent>()
        client.onDiagnostic { diagnostics.note($0) }
        let recorder = HARRecorder()
        client.record(into: recorder)
        let (lines, sink) = AsyncStream<String>.makeStream()
        client.log(.oneLine, to: LogSink { sink.yield($0) })
        client.defaultHost = "https://forum.test"
        let request = client.tag(Tag(value)).post("/a/\(value)").params(["q": value, value: "1"]).id(value)
        let error = await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
        let line = try #require(await lines.first { _ in true })
        var shown = [line, error.map { "\($0)" } ?? ""] + "\(request)".split(separator: "\n").map(String.init)
        shown += diagnostics.events.map(\.message)
        #expect(diagnostics.count > 0)
        for text in shown { #expect(!HostileValue.steers(text), "\(text.debugDescription)") }
        // The archive is valid JSON with the sent request.
        let archive = try JSON(parsing: try await recorder.archive())
        #expect(archive.log.entries[0].request.method == "POST")
        let url = try #require(archive.log.entries[0].request.url.string)
        #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    #if os(Linux)
    @Test("a shell that runs a call's curl command starts curl once and nothing else")
    static func commandRows() async {
        await each(HostileValue.all) { try await Self().command($0) }
    }

    func command(_ hostile: HostileValue) async throws {
        let folder = try ScratchFolder()
        let client = Client(transport: ClosureTransport { _ in .status(200) })
        let value = hostile.value
        let request = client.host("https://forum.test").post("/a/\(value)").query(["q": value]).body(
            Data(value.utf8), contentType: "text/plain")
        let command = try await request.curl(showingSecrets: true)
        #expect(!HostileValue.steers(command, besides: "\n\r\t"))
        // A shell function replaces curl and records its arguments. A new executable file would not do, because a process that another thread starts
        // may still have it open, and then it cannot be run.
        let function = "curl() { printf '%s\\n' \"$#\" >>\"$CALLS\"; cat >\"$INPUT\"; }\n"
        try FileManager.default.createDirectory(at: folder.file("place"), withIntermediateDirectories: false)
        try Data((function + command).utf8).write(to: folder.file("script"))
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = [folder.file("script").path()]
        shell.currentDirectoryURL = folder.file("place")
        shell.environment = [
            "PATH": "/usr/bin:/bin", "CALLS": folder.file("calls").path(), "INPUT": folder.file("input").path(),
        ]
        shell.standardInput = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("place").path()) == [])
        #expect(try String(contentsOf: folder.file("calls"), encoding: .utf8).split(separator: "\n").count == 1)
    }
    #endif
}
