import Catena
import CatenaTesting
import SignedForms
import Testing

@Suite struct SignedFormsTests {
    private let stubs = Stubs()
    private var shop: Shop { Shop(app: "a1", secret: "made-up", client: Client(testing: stubs)) { 1_700_000_000 } }

    private func signature(_ text: String) -> String { MessageDigest.md5("\(text)&key=made-up").hex.uppercased() }

    @Test("an order is a signed form")
    func order() async throws {
        stubs.post("/gateway/orders")
            .form([
                "item": 7, "count": 1, "app_id": "a1", "timestamp": 1_700_000_000,
                "sign": signature("app_id=a1&count=1&item=7&timestamp=1700000000"),
            ])
            .reply(json: ["errcode": 0, "errmsg": "", "data": ["id": 70, "state": "new"]])
        #expect(await orderText(7, from: shop) == "Order 70")
        try stubs.verify()
    }

    @Test("a refusal of the shop is an error of the SDK")
    func soldOut() async throws {
        stubs.post("/gateway/orders").form(["item": 8]).reply(json: ["errcode": 41001, "errmsg": "Friday."])
        let error = await #expect(throws: ShopError.self) { try await shop.order(8) }
        #expect(error?.code == 41001 && error?.text == "Friday.")
        #expect(await orderText(8, from: shop) == "Sold out: Friday.")
    }

    @Test("a busy shop is asked again")
    func busy() async throws {
        stubs.get("/gateway/orders/70").query(["sign": signature("app_id=a1&timestamp=1700000000")])
            .sequence(.json(["errcode": -1, "errmsg": "busy"]), .json(["errcode": 0, "data": ["id": 70, "state": "paid"]]))
        #expect(try await shop.order(id: 70).state == "paid")
        try stubs.verify()
    }

    @Test("an order is cancelled once, however often the call is sent")
    func cancel() async throws {
        stubs.post("/gateway/orders/70/cancel")
            .sequence(.connectionLost, .json(["errcode": 0, "data": ["id": 70, "state": "cancelled"]]))
        #expect(try await shop.cancel(id: 70).state == "cancelled")
        #expect(Set(stubs.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
    }

    @Test("that an order was seen is sent without waiting for the response")
    func seen() async throws {
        stubs.post("/gateway/orders/70/seen").reply(json: ["errcode": 0])
        shop.seen(id: 70)
        try await stubs.verifyWhenIdle()
    }
}
