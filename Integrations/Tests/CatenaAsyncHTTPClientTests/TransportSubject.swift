import AsyncHTTPClient
import Catena
import CatenaAsyncHTTPClient
import CatenaTesting
import NIOSSL
import Testing

/// The transports with which the shared tests run here.
extension TransportTests {
    enum Subject: String, CaseIterable, Sendable {
        case asyncHTTPClient
        case asyncHTTPClientOverTLS

        static let allCases: [Subject] =
            LoopbackServer.offersTLS ? [.asyncHTTPClient, .asyncHTTPClientOverTLS] : [.asyncHTTPClient]

        private static let plain = AsyncHTTPClientTransport()
        private static let secure: any Transport = {
            do { return try secureTransport() } catch {
                let stubs = Stubs()
                stubs.on(nil, "/**").reply { _ in throw error }
                return stubs
            }
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

    /// The requirements that async-http-client does not meet, with the reasons. Docs/Integrations.md lists the same.
    static let exemptions: [String: String] = [:]
}

extension Trait where Self == ParallelizationTrait {
    /// Serial, because parallel tests would open more connections than the servers of one process can accept.
    static var limitedParallelism: Self { .serialized }
}
