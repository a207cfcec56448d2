import AsyncHTTPClient
import Catena
import CatenaAsyncHTTPClient
import CatenaTesting
import NIOSSL
import Testing

/// What the shared tests of transports are run with here.
extension TransportTests {
    enum Subject: String, CaseIterable, Sendable {
        case asyncHTTPClient
        case asyncHTTPClientOverTLS

        static let allCases: [Subject] =
            LoopbackServer.offersTLS ? [.asyncHTTPClient, .asyncHTTPClientOverTLS] : [.asyncHTTPClient]

        private static let plain = AsyncHTTPClientTransport()
        private static let secure: any Transport = {
            do { return try secureTransport() } catch { return StubTransport { _ in throw error } }
        }()

        private static func secureTransport() throws -> AsyncHTTPClientTransport {
            var configuration = HTTPClient.Configuration()
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(try #require(try LoopbackServer(security: .tls).certificateAuthorityFile))
            configuration.tlsConfiguration = tls
            return AsyncHTTPClientTransport(configuration)
        }

        /// Whether a connection carries several requests.
        var keepsConnections: Bool { true }

        var transport: any Transport { self == .asyncHTTPClient ? Self.plain : Self.secure }

        func newServer() throws -> LoopbackServer {
            try LoopbackServer(security: self == .asyncHTTPClientOverTLS ? .tls : .plain)
        }

        func client(_ server: LoopbackServer) -> Client {
            let client = Client(transport: transport)
            client.defaultHost = server.url
            return client
        }
    }

    /// What async-http-client cannot meet, and why. Docs/Integrations.md shows the same to users.
    static let exemptions: [String: String] = [:]
}

extension Trait where Self == ParallelizationTrait {
    /// Tests beside one another would open more connections than the servers of one process can take.
    static var limitedParallelism: Self { .serialized }
}
