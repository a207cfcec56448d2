// An SDK with lists of several pages. Each list is one call, and each call is one sentence.
import Catena

/// A charge, a refund or a payout.
public struct Payment: Decodable, Sendable {
    public let id: String
}

/// The payments of a shop.
public struct Payments: Sendable {
    let client: Client

    /// - Parameters:
    ///   - host: The address of the service.
    ///   - key: The secret key of the shop.
    ///   - client: The client. By default a new one, so that the SDK and the app do not share settings.
    public init(host: String, key: String, client: Client = Client()) {
        self.client = client
        client.configureDefaults { defaults in
            defaults.host = host
            defaults.authentication = .bearer(key)
            defaults.retry = .exponential(limit: 2, baseDelay: .milliseconds(1))
        }
    }

    /// The charges. The last charge of a page is its cursor.
    public var charges: Items<Payment> {
        client.get("/charges").items(of: Payment.self, by: .cursor(as: "starting_after") { page in page.items.last?.id })
    }

    /// The refunds, by the cursor of each page.
    public var refunds: Items<Payment> { client.get("/refunds").items(of: Payment.self, by: .cursor()) }

    /// The refunds, by the cursor at the place where this service has it.
    public var allRefunds: Items<Payment> { client.get("/refunds").items(of: Payment.self, by: .cursor("page_token", as: "page_token")) }

    /// Returns the payouts from a page on.
    public func payouts(from page: Int = 1) -> Items<Payment> { client.get("/payouts").params(["page": page]).items(of: Payment.self) }

    /// The disputes, by the link of each page.
    public var disputes: Items<Payment> { client.get("/disputes").items(of: Payment.self, by: .links) }

    /// The invoices, by the cursor of each page.
    public var invoices: Items<Payment> { client.get("/invoices").items(of: Payment.self, by: .cursor()) }

    /// The transfers, all of which must arrive in half a second.
    public var transfers: Items<Payment> { client.get("/transfers").deadline(.milliseconds(500)).items(of: Payment.self, by: .cursor()) }

    /// Returns the balance.
    public func balance() async throws -> Int { try await client.get("/balance").deadline(.seconds(2)).value() }
}
