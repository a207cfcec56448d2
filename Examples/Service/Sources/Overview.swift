import Catena
import Hummingbird

/// A user and the latest orders, merged from two backends.
struct Overview: ResponseCodable, Equatable {
    let id: Int
    let name: String
    /// The orders, or nil if they are unavailable, because a page without orders is better than none.
    let orders: [Order]?
}

extension Backends {
    /// Calls both backends concurrently. If the profile fails, the call to the orders is cancelled.
    func overview(of user: Int) async throws -> Overview {
        async let orders = ordersIfAvailable(of: user)
        let profile = try await profile(of: user)
        return Overview(id: profile.id, name: profile.name, orders: try await orders)
    }

    private func ordersIfAvailable(of user: Int) async throws -> [Order]? {
        do {
            return try await orders(of: user)
        } catch is APIError {
            return nil
        }
    }
}
