#if os(Linux) || os(macOS)
import Catena
import CatenaTesting
import Foundation
import Testing

/// Tests the program as a process, against a server on this machine.
@Suite(.timeLimit(.minutes(1))) struct ProgramTests {
    private struct Outcome {
        let code: Int32
        let output: String
        let errors: String
    }

    private func run(_ arguments: String..., environment: [String: String]) async throws -> Outcome {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        // The output is short enough for a pipe's buffer, so it can be read after the process has ended.
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in done.resume() }
            do { try process.run() } catch { done.resume(throwing: error) }
        }
        return Outcome(code: process.terminationStatus, output: try output.text(), errors: try errors.text())
    }

    /// The program, which is built into the same folder as the tests.
    private static var program: URL {
        var folder = Bundle.main.bundleURL
        if folder.pathExtension == "xctest" { folder.deleteLastPathComponent() }
        return folder.appending(path: "rooms")
    }

    @Test("lists the rooms of a server, and logs the calls without the token")
    func list() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.get("/rooms") { request in
            request.headers["Authorization"] == "Bearer made-up"
                ? .json(text: #"{"code":0,"data":{"items":[{"id":1,"name":"Lobby","members":3}],"pages":1}}"#) : .status(401)
        }
        let listed = try await run("list", "--verbose", environment: ["ROOMS_URL": server.url, "ROOMS_TOKEN": "made-up"])
        #expect(listed.code == 0)
        #expect(listed.output == "ID  NAME   MEMBERS\n1   Lobby  3\n")
        #expect(!listed.errors.contains("made-up"))

        let refused = try await run("list", environment: ["ROOMS_URL": server.url, "ROOMS_TOKEN": "wrong"])
        #expect(refused.code == 77)
        #expect(refused.output.isEmpty)
        #expect(refused.errors.hasPrefix("rooms: "))
    }

    @Test("a forum that cannot be reached, and no address at all")
    func unreachable() async throws {
        let server = try LoopbackServer()
        server.stop()
        let unreachable = try await run("list", "--retries", "0", environment: ["ROOMS_URL": server.url])
        #expect(unreachable.code == 69)
        let missing = try await run("list", environment: ["ROOMS_URL": ""])
        #expect(missing.code == 64)
        #expect(!missing.errors.isEmpty)
    }
}

extension Pipe {
    fileprivate func text() throws -> String {
        String(decoding: try fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
#endif
