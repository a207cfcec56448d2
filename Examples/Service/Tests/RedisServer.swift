#if os(Linux)
import CatenaRedis
import CatenaTesting
import Foundation

/// An empty redis-server of one test, on 127.0.0.1.
final class RedisServer: Sendable {
    struct NotStarted: Error {}

    /// Whether redis-server is installed.
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/redis-server") }

    private let port: Int
    private let process = Process()

    init() throws {
        // The port is free now. If another process takes it meanwhile, the start fails, and the test with it.
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

    /// A store of one machine. Its timeout is long, so that no test fails because this machine is slow.
    var store: Redis { Redis(port: port, prefix: "overview", timeout: .seconds(10)) }

    /// Kills the server's process, without closing its connections first.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
#endif
