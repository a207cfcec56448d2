#if os(Linux)
import CatenaRedis
import Foundation
import Glibc

/// A Redis of a test's own, that can be killed, stopped and started again on the same port.
final class OwnServer {
    let port: Int
    private var process: Process?

    init() async throws {
        // Free just now; if it is taken meanwhile, the start fails and the test with it.
        let listener = try LyingServer(reply: "")
        port = listener.port
        listener.stop()
        try await start()
    }

    deinit { send(SIGKILL) }

    func start() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["redis-server", "--bind", "127.0.0.1", "--port", "\(port)", "--save", "", "--appendonly", "no"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.process = process
        while true {
            // A new one each time, which does not rest after a failure.
            let redis = Redis(port: port, timeout: .seconds(5))
            if (try? await redis.read(["ready"])) != nil { return }
            await Task.yield()
        }
    }

    /// Sends a signal to the server's process and to no other; SIGKILL is waited for.
    func send(_ signal: Int32) {
        guard let process, process.isRunning else { return }
        kill(process.processIdentifier, signal)
        if signal == SIGKILL { process.waitUntilExit() }
    }

    /// Runs redis-cli.
    func run(_ words: String...) throws {
        let client = Process()
        client.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        client.arguments = ["redis-cli", "-p", "\(port)"] + words
        client.standardOutput = FileHandle.nullDevice
        try client.run()
        client.waitUntilExit()
    }
}
#endif
