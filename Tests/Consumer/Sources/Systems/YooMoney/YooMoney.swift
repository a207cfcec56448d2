// An SDK migrated from YooMoney's Core API: methods as types, hosts by key, a response family with its own errors.
import Catena
import Foundation

extension Tag {
    static let payments: Tag = "payments"
}

public struct NoMoney: Error {}

public struct PaymentError: Error {
    public let code: ErrorCode?
    public let text: String
}

public protocol PaymentResponse: ResponseFamily, Decodable {}

extension PaymentResponse {
    public static func commonError(in reading: EnvelopeResult) -> (any Error)? {
        reading.code == "no_money" ? NoMoney() : nil
    }
}

public struct Payment: PaymentResponse {
    public let id: String
    public let paid: Bool

    public static func specificError(in reading: EnvelopeResult) -> (any Error)? {
        reading.response.status == 400 ? PaymentError(code: reading.code, text: reading.message) : nil
    }
}

struct Pay: Endpoint {
    typealias Response = Payment
    let cents: Int
    let note: String?
    var tag: Tag { .payments }
    var path: Path { "/v3/payments" }
    var body: EndpointBody { .json(["amount": cents, "description": note]) }
    func adjust(_ request: Request) -> Request { request.set(\.idempotencyKey, .random) }
}

struct Find: Endpoint, Encodable {
    typealias Response = Payment
    let id: String
    var tag: Tag { .payments }
    var path: Path { "/v3/payments/{id}" }
}

public struct Payments: Sendable {
    let client: Client

    public init(token: String, hosts: [String: String], client: Client = Client()) {
        self.client = client
        client.configureDefaults { $0.hostProvider = HostTable(hosts) }
        client.configure(.payments) { payments in
            payments.authentication = .bearer(token)
            payments.retry = .exponential(limit: 2)
        }
    }

    public func pay(_ cents: Int, note: String? = nil) async throws -> Payment {
        try await client.value(Pay(cents: cents, note: note))
    }

    public func find(_ id: String) async throws -> Payment {
        try await client.value(Find(id: id))
    }
}

public func receipt(for cents: Int, with payments: Payments) async -> String {
    do {
        let payment = try await payments.pay(cents)
        return "Payment \(payment.id)"
    } catch is NoMoney {
        return "There is not enough money."
    } catch let error as PaymentError {
        return "Refused: \(error.text)"
    } catch {
        return error.localizedDescription
    }
}
