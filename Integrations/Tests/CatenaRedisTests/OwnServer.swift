#if os(Linux)
import CatenaRedis
import Foundation
import Glibc

/// A Redis server of one test, which can be killed, stopped and restarted on the same port.
final class OwnServer {
    let port: Int
    private var process: Process?

    init() async throws {
        // The port is free now. If another process takes it meanwhile, `start()` throws.
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
        // A server that finds its port taken exits.
        while process.isRunning {
            // A new instance each time, because an instance refuses operations for a while after a failure.
            let redis = Redis(port: port, timeout: .seconds(5))
            if (try? await redis.read(["ready"])) != nil { return }
            await Task.yield()
        }
        throw Unusable(port: port)
    }

    struct Unusable: Error {
        let port: Int
    }

    /// Sends a signal to the server's process. After SIGKILL, waits for its exit.
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
