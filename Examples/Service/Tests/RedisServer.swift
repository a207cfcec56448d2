#if os(Linux)
import CatenaRedis
import CatenaTesting
import Foundation

/// A redis-server of a test's own on 127.0.0.1, with nothing in it.
final class RedisServer: Sendable {
    struct NotStarted: Error {}

    /// Whether there is one to be started.
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/redis-server") }

    private let port: Int
    private let process = Process()

    init() throws {
        // Free just now; if it is taken meanwhile, the start fails and the test with it.
        let free = try LoopbackServer()
        port = free.port
        free.stop()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["redis-server", "--bind", "127.0.0.1", "--port", "\(port)", "--save", "", "--appendonly", "no"]
        process.standardOutput = output
        try process.run()
        var text = ""
        while !text.contains("Ready to accept connections") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw NotStarted() }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    deinit { kill() }

    /// As one machine sees it. No test is to fail since this machine is slow.
    var store: Redis { Redis(port: port, prefix: "overview", timeout: .seconds(10)) }

    /// Ends this process and no other, without a word to those that are connected.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
#endif
