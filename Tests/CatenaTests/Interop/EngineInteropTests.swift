#if os(Linux)
import Catena
import Foundation
import Testing

/// The servers of `.ci/nginx.conf` that only the engine is asked to reach: it can be given an authority, a certificate or a proxy.
extension InteropTests {
    /// The address of a server by its name in `.ci/nginx.conf`.
    static func server(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["CATENA_NGINX_\(name)_URL"]
    }

    /// A file that `.ci/interop` made.
    static func file(_ name: String) -> String {
        "\(ProcessInfo.processInfo.environment["CATENA_NGINX_FOLDER"] ?? "")/\(name)"
    }

    static func text(ofFile name: String) throws -> String {
        try String(contentsOfFile: file(name), encoding: .utf8)
    }

    /// An engine of its own that trusts the throw-away authority.
    static func engine(_ configure: (inout CurlConfiguration) -> Void = { _ in }) throws -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.certificateAuthorityFile = file("ca.pem")
        configure(&configuration)
        return try CurlTransport(configuration)
    }

    /// The start of a call to a server, over an engine of its own.
    static func request(toServer name: String, _ configure: (inout CurlConfiguration) -> Void = { _ in }) throws -> Request {
        try request(to: server(name), over: engine(configure))
    }

    /// The targets that have arrived at the servers whose connections are brief, without what `unique` does not begin.
    ///
    /// Call it after a last call to the same server, which notes a target before it reads the next request.
    static func arrivals(_ unique: String) throws -> [String: Int] {
        let lines = try text(ofFile: "targets.log").split(separator: "\n").map(String.init)
        return Dictionary(lines.filter { $0.hasPrefix("/\(unique)") }.map { ($0, 1) }, uniquingKeysWith: +)
    }
}
#endif
