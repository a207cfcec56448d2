#if os(Linux)
import Catena
import Foundation
import Testing

/// The servers of `.ci/nginx.conf` that only the engine can reach, because they need an authority, a certificate or a proxy.
extension InteropTests {
    /// Returns the address of a server by its name in `.ci/nginx.conf`.
    static func server(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["CATENA_NGINX_\(name)_URL"]
    }

    /// Returns the path of a file that `.ci/interop` has written.
    static func file(_ name: String) -> String {
        "\(ProcessInfo.processInfo.environment["CATENA_NGINX_FOLDER"] ?? "")/\(name)"
    }

    static func text(ofFile name: String) throws -> String {
        try String(contentsOfFile: file(name), encoding: .utf8)
    }

    /// Returns a new engine that trusts the temporary authority of `.ci/interop`.
    static func engine(_ configure: (inout CurlConfiguration) -> Void = { _ in }) throws -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.certificateAuthorityFile = file("ca.pem")
        configure(&configuration)
        return try CurlTransport(configuration)
    }

    /// Returns the start of a call to a server, over a new engine.
    static func request(toServer name: String, _ configure: (inout CurlConfiguration) -> Void = { _ in }) throws -> Request {
        try request(to: server(name), over: engine(configure))
    }

    /// Returns how often each target that begins with `unique` has arrived at the servers with brief connections.
    ///
    /// Send a last call to the same server before: the server writes each target to its log before it reads the next request.
    static func arrivals(_ unique: String) throws -> [String: Int] {
        let lines = try text(ofFile: "targets.log").split(separator: "\n").map(String.init)
        return Dictionary(lines.filter { $0.hasPrefix("/\(unique)") }.map { ($0, 1) }, uniquingKeysWith: +)
    }
}
#endif
