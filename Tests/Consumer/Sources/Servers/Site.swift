import Catena
import Foundation

/// The server under test, and how to reach it.
struct Site: Sendable {
    /// The HTTP version that a client asks for, and how curl(1) asks for it.
    enum Mode: String {
        case http, https, http2, allHTTP2 = "http2-all", plainHTTP2 = "http2-plain"

        var version: HTTPVersion {
            switch self {
            case .http, .https: .http1
            case .http2: .automatic
            case .allHTTP2, .plainHTTP2: .http2
            }
        }

        var option: String {
            switch self {
            case .http, .https: "--http1.1"
            case .http2, .allHTTP2: "--http2"
            case .plainHTTP2: "--http2-prior-knowledge"
            }
        }
    }

    let mode: Mode
    let url: String
    let authorities: String
    let proxy: String?
    let folder: URL
    /// The client of all rows that need no other.
    let client: Client

    init(mode: Mode, url: String, authorities: String, proxy: String?, folder: URL) throws {
        (self.mode, self.url, self.authorities, self.proxy, self.folder) = (mode, url, authorities, proxy, folder)
        client = try Self.makeClient(mode, url, authorities, proxy)
    }

    /// Makes a client without a connection.
    func newClient(_ configure: (inout CurlConfiguration) -> Void = { _ in }) throws -> Client {
        try Self.makeClient(mode, url, authorities, proxy, configure)
    }

    private static func makeClient(
        _ mode: Mode, _ url: String, _ authorities: String, _ proxy: String?, _ configure: (inout CurlConfiguration) -> Void = { _ in }
    ) throws -> Client {
        var configuration = CurlConfiguration()
        configuration.certificateAuthorityFile = authorities
        configuration.proxy = proxy ?? ""
        configure(&configuration)
        let client = Client(transport: try CurlTransport(configuration))
        client.configureDefaults { defaults in
            defaults.host = url
            defaults.envelope = .raw
            defaults.httpVersion = mode.version
            defaults.timeout = .seconds(20)
        }
        return client
    }

    /// A file with the bytes of a body.
    func file(of count: Int) throws -> URL {
        let file = folder.appending(path: "body-\(count)")
        if !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) { try Pattern.bytes(count).write(to: file) }
        return file
    }
}

/// The bytes of bodies: 0 to 250, again and again.
enum Pattern {
    private static let block = Data(0...250)
    private static let longest = (0..<33421).reduce(into: Data()) { bytes, _ in bytes.append(block) }

    static func bytes(_ count: Int) -> Data { longest.prefix(count) }

    /// A stream of the bytes, in pieces.
    static func stream(_ count: Int) -> AsyncStream<Data> {
        AsyncStream { stream in
            for start in Swift.stride(from: 0, to: count, by: 50_000) { stream.yield(longest[start..<min(start + 50_000, count)]) }
            stream.finish()
        }
    }
}

/// The description of a request that the server has received.
struct Echo: Codable, Sendable {
    let method: String
    let target: String
    let twice: String
    let large: Int
    let cookie: String
    let length: Int
    let holds: Bool
}

struct Fine: Codable, Sendable {
    let fine: Bool
}
