import Catena
import CatenaTesting
import LinkPages
import SignedForms
import StreamingChat

@MainActor
func checkLinkPages(_ report: Report) async throws {
    let stubs = Stubs()
    let issues = "/repos/a/b/issues"
    stubs.get(issues).query(["page": 2]).reply(json: [["number": 3, "title": "Three"]])
    stubs.get(issues).header("Authorization", "Bearer made-up").header("X-Api-Version", "2022-11-28")
        .reply(
            .json([["number": 1, "title": "One"], ["number": 2, "title": "Two"]])
                .header("Link", "<https://api.example.com\(issues)?page=2>; rel=\"next\""))
    stubs.post(issues).json(["title": "New", "body": "text"]).reply(json: ["number": 4, "title": "New"], status: 201)
    stubs.post(issues).reply(
        json: ["message": "Validation Failed", "errors": [["resource": "Issue", "field": "title", "code": "missing_field"]]], status: 422)
    stubs.patch("\(issues)/4").json(["state": "closed"]).reply(json: ["number": 4, "title": "New"])
    stubs.put("/user/starred/a/b").reply(status: 204)

    let repository = Repository("a/b", token: "made-up", client: Client(testing: stubs))
    report.check("issues", try await repository.issues(label: "bug").map(\.number), [1, 2, 3])
    report.check("first page", stubs.calls(to: issues).first?.query("labels"), "bug")
    report.check("issue", try await repository.issue(titled: "Two")?.number, 2)
    report.check("issue", try await repository.issue(titled: "Four")?.number, nil)
    report.check("open", try await repository.open("New", body: "text").number, 4)
    do {
        _ = try await repository.open("")
        report.check("open", "a value", "none")
    } catch let error as Invalid {
        report.check("open", error.errors.map(\.field), ["title"])
    }
    report.check("close", try await repository.close(4).number, 4)
    repository.star()
    await stubs.requestsReceived(9)
    try stubs.verify()
}

@MainActor
func checkSignedForms(_ report: Report) async throws {
    func signature(_ text: String) -> String { MessageDigest.md5("\(text)&key=made-up").hex.uppercased() }
    let common = "app_id=a1"
    let stubs = Stubs()
    stubs.post("/gateway/orders")
        .form([
            "item": 7, "count": 1, "app_id": "a1", "timestamp": 1_700_000_000,
            "sign": signature("\(common)&count=1&item=7&timestamp=1700000000"),
        ])
        .reply(json: ["errcode": 0, "errmsg": "", "data": ["id": 70, "state": "new"]])
    stubs.post("/gateway/orders").form(["item": 8]).reply(json: ["errcode": 41001, "errmsg": "Friday."])
    stubs.get("/gateway/orders/70").query(["sign": signature("\(common)&timestamp=1700000000")])
        .sequence(.json(["errcode": -1, "errmsg": "busy"]), .json(["errcode": 0, "data": ["id": 70, "state": "paid"]]))
    stubs.post("/gateway/orders/70/cancel").reply(json: ["errcode": 0, "data": ["id": 70, "state": "cancelled"]])
    stubs.post("/gateway/orders/70/seen").reply(json: ["errcode": 0])

    let shop = Shop(app: "a1", secret: "made-up", client: Client(testing: stubs)) { 1_700_000_000 }
    report.check("order", await orderText(7, from: shop), "Order 70")
    report.check("order", await orderText(8, from: shop), "Sold out: Friday.")
    report.check("order(id:)", try await shop.order(id: 70).state, "paid")
    report.check("cancel", try await shop.cancel(id: 70).state, "cancelled")
    shop.seen(id: 70)
    await stubs.requestsReceived(6)
    try stubs.verify()
}

@MainActor
func checkStreamingChat(_ report: Report) async throws {
    func chunk(_ text: String) -> String { #"data: {"choices":[{"delta":{"content":"\#(text)"}}]}"# + "\n\n" }
    let error = #"{"error":{"code":"overloaded","message":"Later."}}"#
    let stubs = Stubs()
    stubs.post("/v1/chat/completions").header("Authorization", "Bearer made-up").json(containing: ["stream": true])
        .sequence(
            .text(chunk("Hello") + chunk(" there") + "data: [DONE]\n\n", contentType: "text/event-stream").chunked(by: 7),
            .text(chunk("Hel") + "data: \(error)\n\n", contentType: "text/event-stream"),
            .text(error, status: 429, contentType: "application/json"))
    stubs.post("/v1/chat/completions").json(containing: ["stream": false])
        .reply(json: ["choices": [["message": ["role": "assistant", "content": "Yes."]]]])
    stubs.get("/v1/models").reply(json: ["object": "list", "data": [["id": "small"], ["id": "large"]]])
    stubs.post("/v1/ratings").reply(status: 204)

    let chat = Chat("small", key: "made-up", client: Client(testing: stubs))
    for (pieces, code) in [(["Hello", " there"], nil), (["Hel"], "overloaded"), ([], "overloaded")] as [([String], String?)] {
        var received: [String] = []
        var failure: String?
        do {
            try await chat.reply(to: [Message("Hi")]) { received.append($0) }
        } catch let error as ChatError {
            failure = error.code
        }
        report.check("pieces", received, pieces)
        report.check("error", failure, code)
    }
    report.check("answer", try await chat.answer(to: "Is it?"), "Yes.")
    report.check("models", try await chat.models(), ["small", "large"])
    chat.rate("Yes.", 5)
    await stubs.requestsReceived(6)
    try stubs.verify()
}
