import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL

/// async-http-client as in its documentation: the configuration and the threads of `HTTPClient.shared`, `execute` with a timeout, and `collect`. It has one
/// connection per concurrent call.
enum AsyncHTTPClientPeer {
    static func call(_ scenario: Scenario, at server: Server, isTyped: Bool) throws -> Call {
        let client = HTTPClient(
            eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: try configuration(scenario, at: server))
        let url = try server.url(of: scenario)
        guard isTyped else {
            return { try scenario.check(bodyLength: try await body(url, scenario, client).readableBytes) }
        }
        let decoder = JSONDecoder()
        if scenario.size.count == nil {
            return { try decoder.decode(Wrapped<Room>.self, from: try await body(url, scenario, client)).checked().check() }
        }
        return { try decoder.decode(Wrapped<[Room]>.self, from: try await body(url, scenario, client)).checked().check(scenario.size) }
    }

    private static func body(_ url: String, _ scenario: Scenario, _ client: HTTPClient) async throws -> ByteBuffer {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "X-App", value: "peers")
        let response = try await client.execute(request, timeout: .seconds(30))
        try scenario.check(status: Int(response.status.code))
        return try await response.body.collect(upTo: 1 << 22)
    }

    private static func configuration(_ scenario: Scenario, at server: Server) throws -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(8, scenario.width)
        if scenario.wire != .http1, let authority = server.authority {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authority)
            configuration.tlsConfiguration = tls
        }
        return configuration
    }
}
