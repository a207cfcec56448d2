import Catena
import Foundation

/// Catena, as an app configures it: a tag with a host, an envelope, common params and common headers.
enum CatenaPeer {
    static func call(_ scenario: Scenario, at server: Server, _ peer: Peer) throws -> Call {
        let client = try client(scenario, at: server)
        let path = server.path(of: scenario)
        switch (peer, scenario.size) {
        case (.catenaValue, .small): return { try await client.tag("forum").get(path).value(as: Room.self).check() }
        case (.catenaValue, let size): return { try await client.tag("forum").get(path).value(as: [Room].self).check(size) }
        case (.catenaPromise, _):
            return {
                let body: Promise<Data> = client.tag("forum").get(path).execute(.data)
                try scenario.check(bodyLength: try await body.value.count)
            }
        default: return { try scenario.check(bodyLength: try await client.tag("forum").get(path).data().count) }
        }
    }

    private static func client(_ scenario: Scenario, at server: Server) throws -> Client {
        let client = Client(transport: try transport(scenario, at: server))
        let host = scenario.wire == .stub ? "https://example.com" : try server.origin(of: scenario)
        client.configure("forum") { forum in
            forum.host = host
            forum.envelope = .standard
        }
        client.commonParams { tag in tag == "forum" ? ["app": "ios", "v": "3.2"] : [:] }
        client.commonHeaders { _ in ["X-App": "peers"] }
        return client
    }

    private static func transport(_ scenario: Scenario, at server: Server) throws -> any Transport {
        if scenario.wire == .stub { return Canned(body: Payloads.bytes(of: scenario.size)) }
        var configuration = CurlConfiguration()
        if scenario.wire != .http1 { configuration.certificateAuthorityFile = server.authority }
        return try CurlTransport(configuration)
    }
}

/// Responds at once, so that only Catena is measured.
private struct Canned: Transport {
    let keepsLimits = true
    let body: Data

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: TransportBody(body))
    }
}
