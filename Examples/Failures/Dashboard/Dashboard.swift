// A dashboard over three backends. Each tile is one call, and each call is one sentence.
import Catena

extension Tag {
    static let sales: Tag = "sales"
    static let stock: Tag = "stock"
    static let weather: Tag = "weather"
}

/// A part of the stock.
struct Part: Decodable, Sendable {
    let name: String
}

/// The texts of the tiles.
struct Dashboard: Sendable {
    let client: Client

    init(client: Client = Client(), sales: String, stock: String, weather: String) {
        self.client = client
        client.configureDefaults { every in
            every.retry = .exponential(limit: 2, baseDelay: .milliseconds(1))
            every.deadline = .seconds(2)
        }
        client.configure(.sales) { tag in
            tag.host = sales
            tag.cache = .memory(limit: 1_000_000)
            tag.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 2)
        }
        client.configure(.stock) { $0.host = stock }
        client.configure(.weather) { $0.host = weather }
        // The calls of the stock need a session, which is a call of the stock, too.
        client.commonHeaders { [weak client] tag in
            guard tag == .stock, let client else { return [:] }
            return ["X-Session": try await client.tag(.stock).post("/sessions").value(as: String.self)]
        }
    }

    func revenue() async -> String {
        await tile { try await "\(client.tag(.sales).get("/revenue").value(as: Int.self)) sold today" }
    }

    func parts() async -> String {
        await tile { try await client.tag(.stock).get("/parts").items(of: Part.self).reduce(into: "In stock:") { $0 += " \($1.name)" } }
    }

    func shortages() async -> String {
        await tile {
            try await client.tag(.stock).get("/shortages").items(of: Part.self, by: .cursor()).reduce(into: "Missing:") {
                $0 += " \($1.name)"
            }
        }
    }

    func outlook() async -> String {
        await tile { try await client.tag(.weather).get("/outlook").value() }
    }

    /// Returns the text of a tile, or the reason why it has none.
    private func tile(_ text: () async throws -> String) async -> String {
        do {
            return try await text()
        } catch let error as APIError {
            guard let wait = error.retryAfter else { return "Not available (\(error.kind.name))" }
            return "Try again in \(wait.components.seconds) seconds"
        } catch {
            return "Cancelled"
        }
    }
}
