import Catena
import Foundation
import Testing

/// Calls to independent servers, over real connections.
///
/// They run only if the environment names the servers, as in `.ci/run`. Plain `swift test` needs no server.
@Suite("Interop", .limitedParallelism) enum InteropTests {
    static let httpbin = ProcessInfo.processInfo.environment["CATENA_HTTPBIN_URL"]
    static let nginx = ProcessInfo.processInfo.environment["CATENA_NGINX_URL"]
    static let faults = ProcessInfo.processInfo.environment["CATENA_HTTP2_FAULTS_URL"]
    static let nodeFaults = ProcessInfo.processInfo.environment["CATENA_NODE_FAULTS_URL"]
    static let tunnel = ProcessInfo.processInfo.environment["CATENA_TUNNEL_URL"]

    /// Returns the start of a call to a server, whose responses have no envelope.
    static func request(to server: String?, over transport: (any Transport)? = nil, bodyLimit: Int? = nil) throws -> Request {
        let client = Client(transport: transport)
        let server = try #require(server)
        client.configureDefaults { defaults in
            defaults.host = server
            defaults.envelope = .raw
            defaults.bodyLimit = bodyLimit
            // A server that does not respond fails one test and does not block the run.
            defaults.timeout = .seconds(30)
        }
        return client.request
    }

    /// Returns the error with which a call fails.
    static func failure(of call: Promise<Void>) async throws -> APIError {
        try #require(await #expect(throws: APIError.self) { try await call.value })
    }
}
