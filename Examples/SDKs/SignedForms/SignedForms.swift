// An SDK for a shop whose forms are signed and whose responses have errcode, errmsg and data; its errors are the SDK's own.
import Catena
import Foundation

/// The shop refuses a call.
public struct ShopError: Error, Equatable {
    public let code: ErrorCode?
    public let text: String
}

/// A response of the shop. All of them share one envelope, and so one kind of error.
public protocol ShopResponse: ResponseFamily, Decodable {}

extension ShopResponse {
    public static func commonError(in reading: EnvelopeResult) -> (any Error)? {
        reading.isFailure ? ShopError(code: reading.code, text: reading.message) : nil
    }
}

/// An order.
public struct Order: ShopResponse {
    public let id: Int
    public let state: String
}

/// The shop, as one of its partners calls it.
public struct Shop: Sendable {
    let client: Client

    /// - Parameters:
    ///   - app: The ID of the partner.
    ///   - secret: What the calls are signed with. It is sent nowhere and shown nowhere.
    ///   - client: Its own client keeps the SDK apart from the settings of the app. Tests pass one with stubs.
    ///   - now: The time of a call, which is signed with it.
    public init(app: String, secret: String, client: Client = Client(), now: @escaping @Sendable () -> Int) {
        self.client = client
        var signer = ParameterSigner(.md5, secret: .suffix("&key=\(secret)"), placement: .params("sign"))
        signer.format = .upperHex
        signer.dropsEmpty = true
        client.configureDefaults { [signer] defaults in
            defaults.host = "https://shop.example.com/gateway"
            defaults.encoding = .form
            defaults.commonParams = .merged
            defaults.signer = signer
            defaults.envelope = .standard.retryable(-1)
            defaults.retry = .exponential(limit: 2)
        }
        client.commonParams { _ in ["app_id": app, "timestamp": now()] }
    }

    /// Orders an item.
    ///
    /// - Throws: ``ShopError`` with code 41001 if it is sold out.
    public func order(_ item: Int, count: Int = 1, note: String? = nil) async throws -> Order {
        try await client.post("/orders").params(["item": item, "count": count, "note": note]).value()
    }

    /// The order with this ID.
    public func order(id: Int) async throws -> Order {
        try await client.get("/orders/{id}").param("id", id).value()
    }

    /// Cancels an order. The key lets the shop recognize a second attempt.
    public func cancel(id: Int) async throws -> Order {
        try await client.post("/orders/{id}/cancel").param("id", id).idempotencyKey().value()
    }

    /// Says that the user has seen the order, without waiting for the response.
    public func seen(id: Int) {
        client.post("/orders/{id}/seen").param("id", id).void()
    }
}

/// What an app shows after an order.
public func orderText(_ item: Int, from shop: Shop) async -> String {
    do {
        return "Order \(try await shop.order(item).id)"
    } catch let error as ShopError where error.code == 41001 {
        return "Sold out: \(error.text)"
    } catch {
        return error.localizedDescription
    }
}
