// An SDK for a shop whose forms are signed and whose responses have errcode, errmsg and data; its errors are the SDK's own.
import Catena
import Foundation

public struct ShopError: Error, Equatable {
    public let code: ErrorCode?
    public let text: String
}

public protocol ShopResponse: ResponseFamily, Decodable {}

extension ShopResponse {
    public static func commonError(in reading: EnvelopeResult) -> (any Error)? {
        reading.isFailure ? ShopError(code: reading.code, text: reading.message) : nil
    }
}

public struct Order: ShopResponse {
    public let id: Int
    public let state: String
}

public struct Shop: Sendable {
    let client: Client

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

    public func order(_ item: Int, count: Int = 1, note: String? = nil) async throws -> Order {
        try await client.post("/orders").params(["item": item, "count": count, "note": note]).value()
    }

    public func order(id: Int) async throws -> Order {
        try await client.get("/orders/{id}").param("id", id).value()
    }

    public func cancel(id: Int) async throws -> Order {
        try await client.post("/orders/{id}/cancel").param("id", id).idempotencyKey().value()
    }

    public func seen(id: Int) {
        client.post("/orders/{id}/seen").param("id", id).void()
    }
}

public func orderText(_ item: Int, from shop: Shop) async -> String {
    do {
        return "Order \(try await shop.order(item).id)"
    } catch let error as ShopError where error.code == 41001 {
        return "Sold out: \(error.text)"
    } catch {
        return error.localizedDescription
    }
}
