// An SDK for a shop with signed forms, responses in errcode, errmsg and data, and errors of the SDK.
import Catena
import Foundation

/// The error if the shop refuses a call.
public struct ShopError: Error, Equatable {
    public let code: ErrorCode?
    public let text: String
}

/// A response of the shop. All responses share an envelope and an error type.
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

/// The shop's API for one of its partners.
public struct Shop: Sendable {
    let client: Client

    /// - Parameters:
    ///   - app: The ID of the partner.
    ///   - secret: The secret that signs the calls. It is neither sent nor shown.
    ///   - client: The client. By default a new one, so that the SDK and the app do not share settings. Tests pass one with stubs.
    ///   - now: Returns the time of a call, which is signed.
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

    /// Returns the order with an ID.
    public func order(id: Int) async throws -> Order {
        try await client.get("/orders/{id}").param("id", id).value()
    }

    /// Cancels an order. The key lets the shop recognize a second attempt.
    public func cancel(id: Int) async throws -> Order {
        try await client.post("/orders/{id}/cancel").param("id", id).set(\.idempotencyKey, .random).value()
    }

    /// Reports that the user has seen the order, without waiting for the response.
    public func seen(id: Int) {
        client.post("/orders/{id}/seen").param("id", id).execute(.void)
    }
}

/// Returns a text to show after an order.
public func orderText(_ item: Int, from shop: Shop) async -> String {
    do {
        return "Order \(try await shop.order(item).id)"
    } catch let error as ShopError where error.code == 41001 {
        return "Sold out: \(error.text)"
    } catch {
        return error.localizedDescription
    }
}
