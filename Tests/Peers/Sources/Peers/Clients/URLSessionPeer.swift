import Foundation
import FoundationNetworking

/// URLSession without a cache, with one connection per concurrent call. On Linux it trusts only the system's authorities. Therefore `run` starts it with a
/// file system in which the run's authority is the system's.
enum URLSessionPeer {
    static func call(_ scenario: Scenario, at server: Server, isTyped: Bool) throws -> Call {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = max(6, scenario.width)
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        let session = URLSession(configuration: configuration)
        guard let url = URL(string: try server.url(of: scenario)) else { throw Problem("That is no address.") }
        guard isTyped else {
            return { try scenario.check(bodyLength: try await body(url, scenario, session).count) }
        }
        let decoder = JSONDecoder()
        if scenario.size.count == nil {
            return { try decoder.decode(Wrapped<Room>.self, from: try await body(url, scenario, session)).checked().check() }
        }
        return { try decoder.decode(Wrapped<[Room]>.self, from: try await body(url, scenario, session)).checked().check(scenario.size) }
    }

    private static func body(_ url: URL, _ scenario: Scenario, _ session: URLSession) async throws -> Data {
        var request = URLRequest(url: url)
        request.setValue("peers", forHTTPHeaderField: "X-App")
        let (data, response) = try await session.data(for: request)
        try scenario.check(status: (response as? HTTPURLResponse)?.statusCode ?? 0)
        return data
    }
}
