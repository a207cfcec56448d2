import Catena
import CatenaTesting
import DanXi
import RFAPI
import XAPI
import Yana
import YooMoney

@MainActor
func checkXAPI(_ report: Report) async throws {
    let stubs = Stubs()
    stubs.post("/v1/seen").query(["via": "list", "app": "ios"]).reply(data: "")
    stubs.get("/v1/rooms/lobby/users").query(["page": 1, "app": "ios", "v": "3.2"]).header("X-Token", "made-up")
        .sequence(.status(503), .reply(data: [["name": "Ann"], ["name": "Bob"]]))
    stubs.get("/v1/rooms/closed/users").reply(code: 10086, message: "cleaning")
    stubs.get("/v1/rooms/private/users").reply(status: 401)
    stubs.get("/v1/rooms/broken/users").reply(code: 7, message: "sorry")
    stubs.post("/login").form(["email": "a@example.com", "password": "made-up", "app": "ios", "v": "3.2"]).reply(data: ["token": "t"])
    stubs.get("/me").header("X-Token", "t").reply(data: ["name": "Ann"])
    stubs.get("https://news.example.com/latest").reply(json: ["items": [["title": "Rain"]]])
    stubs.get("https://wallet.example.com/balance").reply(json: ["result": ["code": "OK", "text": ""], "payload": ["cents": 5]])

    try await stubs.activate {
        XAPI.configure { "made-up" }
        let screen = XAPI.Screen()
        let texts = [
            "lobby": "Ann, Bob", "closed": "Closed: cleaning", "private": "Sign in, please.", "broken": "7: sorry",
        ]
        for (room, text) in texts {
            _ = await screen.open(room).result
            report.check("open(\(room))", screen.text, text)
            report.check("isLoading", screen.isLoading, false)
        }
        _ = try await screen.logIn("a@example.com", "made-up").value
        report.check("logIn", screen.text, "Hello Ann")
        _ = try await screen.headline().value
        report.check("headline", screen.text, "Rain")
        report.check("balance", try await screen.balance().cents, 5)
        await stubs.requestsReceived(13)
    }
    try stubs.verify()
}

@MainActor
func checkRFAPI(_ report: Report) async throws {
    let stubs = Stubs()
    stubs.get("/api/topics").query(["page": 2, "size": 20]).header("X-App", "3.2")
        .reply(json: ["errcode": 0, "data": [["id": 1, "title": "Tea"], ["id": 2, "title": "Rain"]]])
    stubs.get("/api/topics").query(["page": 3]).reply(json: ["errcode": 5, "errmsg": "There are two pages."])
    stubs.post("/api/topics/{id}/seen").reply(json: ["errcode": 0])
    stubs.get("/api/topics/1").reply(json: ["id": 1, "title": "Tea"])
    stubs.get("/api/topics/9").reply(status: 404)
    stubs.post("/api/topics").header("X-Token", "made-up").json(["title": "New"]).reply(json: [
        "data": ["id": 3, "title": "New"], "errcode": 0,
    ])
    stubs.post("/api/topics").reply(json: ["errcode": 10010, "errmsg": "Signed out elsewhere."])

    try await stubs.activate {
        try RFAPI.configure(token: "made-up")
        let screen = RFAPI.TopicScreen()
        await withCheckedContinuation { done in screen.load(page: 2) { done.resume() } }
        report.check("load", screen.titles, ["Tea", "Rain"])
        report.check("isLoading", screen.isLoading, false)
        await withCheckedContinuation { done in screen.load(page: 3) { done.resume() } }
        report.check("load", screen.message, "There are two pages.")
        _ = try await screen.open(1).value
        report.check("open", screen.titles, ["Tea"])
        _ = await screen.open(9).result
        report.check("open", screen.message, "There is no such topic.")
        _ = try await screen.publish("New")
        do {
            _ = try await screen.publish("Other")
            report.check("publish", "a value", "none")
        } catch is CancellationError {}
        screen.leave()
        await stubs.requestsReceived(8)
    }
    try stubs.verify()
}

@MainActor
func checkYooMoney(_ report: Report) async throws {
    let stubs = Stubs()
    stubs.post("https://pay.example.com/v3/payments").header("Authorization", "Bearer made-up").json(["amount": 500])
        .reply(json: ["id": "p1", "paid": true])
    stubs.post("/v3/payments").json(containing: ["amount": 1])
        .reply(json: ["type": "error", "code": "no_money", "description": "No money."], status: 400)
    stubs.post("/v3/payments").json(containing: ["amount": 2])
        .reply(json: ["type": "error", "code": "invalid_request", "description": "Too little."], status: 400)
    stubs.get("/v3/payments/p1").reply(json: ["id": "p1", "paid": true])

    let payments = Payments(token: "made-up", hosts: ["payments": "//pay.example.com"], client: Client(testing: stubs))
    report.check("500", await receipt(for: 500, with: payments), "Payment p1")
    report.check("1", await receipt(for: 1, with: payments), "There is not enough money.")
    report.check("2", await receipt(for: 2, with: payments), "Refused: Too little.")
    report.check("find", try await payments.find("p1").paid, true)
    try stubs.verify()
}

@MainActor
func checkDanXi(_ report: Report) async throws {
    let stubs = Stubs()
    stubs.post("/login").json(["email": "a@example.com", "password": "made-up"]).header("Authorization", nil)
        .reply(json: ["access": "a1", "refresh": "r1"])
    stubs.get("/holes").header("Authorization", "Bearer a1").reply(status: 401)
    stubs.post("/refresh").header("Authorization", "Bearer r1").reply(json: ["access": "a2", "refresh": "r2"])
    stubs.get("/holes").header("Authorization", "Bearer a2").query(["division_id": 1])
        .reply(json: [["id": 7, "content": "Hello", "time_created": "2026-01-02T03:04:05"]])
    stubs.get("/holes").query(["division_id": 9]).reply(json: ["message": "There is no such division."], status: 404)
    stubs.post("/holes").json(["content": "Hi", "tags": [["name": "swift"]]]).reply(json: ["id": 8, "content": "Hi", "time_created": ""])
    stubs.delete("/holes/8").json(["reason": "spam"]).reply(status: 204)
    stubs.get("/favorites").reply(json: ["data": [7, 8]])
    stubs.get("/me").reply(json: ["nickname": "Ann"])
    stubs.post("/holes/7/seen").reply(status: 204)

    try await stubs.activate {
        DanXi.configure()
        let list = HoleList()
        await list.load(1)
        report.check("signed out", list.alert, "Sign in, please.")
        try await DanXi.Forum.logIn("a@example.com", "made-up")
        await list.load(1)
        report.check("load", list.contents, ["Hello"])
        await list.load(9)
        report.check("load", list.alert, "There is no such division.")
        report.check("post", try await DanXi.Forum.post("Hi", tags: ["swift"]).id, 8)
        try await DanXi.Forum.delete(8, reason: "spam")
        report.check("favorites", try await DanXi.Forum.favorites(), [7, 8])
        report.check("nickname", try await DanXi.Forum.nickname(), "Ann")
        list.open(7)
        await stubs.requestsReceived(10)
    }
    try stubs.verify()
}

@MainActor
func checkYana(_ report: Report) async throws {
    let stubs = Stubs()
    stubs.get("/rooms").query(["page": 1]).header("pub_ticket", "t1").header("pub_uid", "7")
        .reply(json: ["success": false, "code": 1401, "message": "The ticket has expired."])
    stubs.post("/ticket").reply(json: ["success": true, "data": ["user": "7", "ticket": "t2"]])
    stubs.get("/rooms").query(["page": 1]).header("pub_ticket", "t2").reply(json: ["success": true, "data": [["id": 1, "title": "Tea"]]])
    stubs.get("/rooms").query(["page": 2]).reply(json: ["success": false, "message": "There is one page."])
    stubs.get("/rooms").query(["page": 3]).faults(.timeout, rate: 1, seed: 1).reply(data: "")
    stubs.post("/rooms/1/join").reply(json: ["success": true])
    stubs.post("/rooms/1/leave").reply(json: ["success": true])
    stubs.get("/rooms/1/users").reply(json: ["success": true, "data": ["Ann"]])

    try await stubs.activate {
        try Yana.configure(secret: "made-up", user: "7", ticket: "t1")
        let lobby = Lobby()
        _ = try await lobby.load().value
        report.check("load", lobby.titles, ["Tea"])
        _ = await lobby.load(page: 2).result
        report.check("load", lobby.alert, "There is one page.")
        _ = await lobby.load(page: 3).result
        report.check("load", lobby.alert, "The network is slow.")
        try await lobby.join(1)
        lobby.leave(1)
        report.check("users", try await lobby.users(in: 1), ["Ann"])
        await stubs.requestsReceived(10)
    }
    try stubs.verify()
    let signature = stubs.requests(to: "/rooms").last?.query("pub_sign") ?? ""
    report.check("signature", signature.count == 32 && signature == signature.uppercased(), true)
}
