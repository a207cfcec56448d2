import Catena
import CatenaTesting
import CatenaURLSession
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportTests {
    /// The transports of this platform.
    enum Subject: String, CaseIterable, Sendable {
        case urlSession
        #if os(Linux)
        case curl
        case curlOverTLS

        static let allCases: [Subject] = {
            guard Engine.isThere else { return [.urlSession] }
            return Engine.offersTLS ? [.urlSession, .curl, .curlOverTLS] : [.urlSession, .curl]
        }()

        private static let engine = working { try CurlTransport() }
        private static let secureEngine = working { try newSecureEngine() }

        private static func working(_ make: () throws -> CurlTransport) -> any Transport {
            do { return try make() } catch { return ClosureTransport { _ in throw error } }
        }

        private static func newSecureEngine() throws -> CurlTransport {
            var configuration = CurlConfiguration()
            configuration.certificateAuthorityFile = try LoopbackServer(security: .tls).certificateAuthorityFile
            return try CurlTransport(configuration)
        }
        #endif

        /// Whether a connection carries several requests.
        var keepsConnections: Bool {
            #if os(Linux)
            self == .urlSession || Engine.keepsConnections
            #else
            true
            #endif
        }

        var transport: any Transport {
            switch self {
            case .urlSession: URLSessionTransport.shared
            #if os(Linux)
            case .curl: Self.engine
            case .curlOverTLS: Self.secureEngine
            #endif
            }
        }

        /// Returns a transport that no other test uses, except for URLSession, which has only a shared one.
        func newTransport() throws -> any Transport {
            switch self {
            case .urlSession: URLSessionTransport.shared
            #if os(Linux)
            case .curl: try CurlTransport()
            case .curlOverTLS: try Self.newSecureEngine()
            #endif
            }
        }

        func newServer(limits: LoopbackServer.Limits = LoopbackServer.Limits()) throws -> LoopbackServer {
            #if os(Linux)
            try LoopbackServer(security: self == .curlOverTLS ? .tls : .plain, limits: limits)
            #else
            try LoopbackServer(limits: limits)
            #endif
        }

        func client(_ server: LoopbackServer) -> Client {
            let client = Client(transport: transport)
            client.defaultHost = server.url
            return client
        }
    }

    /// The cases that a transport fails, each with the reason. Docs/Platforms.md lists them for users.
    static let exemptions: [String: String] = {
        #if canImport(FoundationNetworking)
        var cases = [
            "urlSession, redirect body: cut": "a failed answer is never announced as a redirect",
            "urlSession, redirect body: not gzip": "a failed answer is never announced as a redirect",
        ]
        if LoadedLibcurl.isOlder(than: 7, 66) { cases["urlSession, garbage"] = "libcurl takes it for the body of an HTTP/0.9 response" }
        if !LoadedLibcurl.tellsResets { cases["urlSession, reset in the body"] = "Foundation does not hear of it" }
        return cases
        #else
        return [:]
        #endif
    }()

    // MARK: URLSession

    @Test("a configured URLSession still stores no cookie and no response, and adds no header")
    func configuredSession() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text("a").header("Set-Cookie", "a=made-up; Path=/").header("Cache-Control", "max-age=1000") }
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Session": "own"]
        for _ in 0..<10 {
            let client = Client(transport: URLSessionTransport(configuration) { _ in (.performDefaultHandling, nil) })
            for _ in 0..<2 { #expect(try await client.host(server.url).get("/a").execute(.string).value == "a") }
        }
        #expect(server.requestCount == 20)
        #expect(server.requests.allSatisfy { $0.headers["X-Session"] == nil && $0.headers["Cookie"] == nil })
    }
}
