import CatenaTesting
import Foundation

/// The server of the measurements: nginx in a process of its own if it is installed. Otherwise a server in this process, which shares the processors with the
/// client.
struct BenchServer {
    /// A small answer in an envelope.
    static let item = Data(#"{"code":0,"msg":"","data":{"id":7,"name":"a name"}}"#.utf8)

    let url: String
    let name: String
    private let stopping: () -> Void

    func stop() { stopping() }

    /// - Parameters:
    ///   - files: The response bodies by path.
    ///   - megabytes: The size of `/large`, a body of zeros.
    static func start(files: [String: Data], megabytes: Int = 0) throws -> BenchServer {
        for path in ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"] where access(path, X_OK) == 0 {
            if let server = try startNginx(path, files: files, megabytes: megabytes) { return server }
        }
        return try startLoopback(files: files, megabytes: megabytes)
    }

    private static func startLoopback(files: [String: Data], megabytes: Int) throws -> BenchServer {
        var limits = LoopbackServer.Limits()
        limits.recordedRequests = 100
        let server = try LoopbackServer(limits: limits)
        for (path, data) in files {
            server.get(path) { _ in .json(text: String(decoding: data, as: UTF8.self)) }
        }
        let megabyte = Data(count: 1024 * 1024)
        server.get("/large") { _ in .chunked(Array(repeating: megabyte, count: megabytes)) }
        return BenchServer(url: server.url, name: "a server in this process", stopping: server.stop)
    }

    private static func startNginx(_ path: String, files: [String: Data], megabytes: Int) throws -> BenchServer? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "catena-bench-\(UUID().uuidString)")
        let root = folder.appending(path: "www")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: root.appending(path: name)) }
        try Data().write(to: root.appending(path: "large"))
        // Truncating a file to a length allocates no blocks.
        let large = try FileHandle(forWritingTo: root.appending(path: "large"))
        try large.truncate(atOffset: UInt64(megabytes) << 20)
        try large.close()
        for _ in 0..<5 {
            let port = Int.random(in: 20_000..<50_000)
            try configuration(port: port, folder: folder.path).write(
                to: folder.appending(path: "nginx.conf"), atomically: false, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = ["-p", folder.path, "-c", "nginx.conf", "-e", "error.log"]
            process.standardError = FileHandle.nullDevice
            try process.run()
            let url = "http://127.0.0.1:\(port)"
            for _ in 0..<100 where process.isRunning {
                if (try? Data(contentsOf: URL(fileURLWithPath: folder.appending(path: "pid").path))) != nil {
                    return BenchServer(url: url, name: "nginx") {
                        process.terminate()
                        process.waitUntilExit()
                        try? FileManager.default.removeItem(at: folder)
                    }
                }
                usleep(20_000)
            }
        }
        try? FileManager.default.removeItem(at: folder)
        return nil
    }

    private static func configuration(port: Int, folder: String) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
        return """
            worker_processes 2; daemon off; pid \(folder)/pid; error_log \(folder)/error.log crit;
            events { worker_connections 4096; }
            http {
                access_log off; keepalive_requests 100000000; sendfile on; default_type application/json; open_file_cache max=10;
                \(temporary.joined(separator: " "))
                server { listen 127.0.0.1:\(port) backlog=4096; root \(folder)/www; }
            }
            """
    }
}
