import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("The list of calls", .limitedParallelism) struct ListTests {
    @Test("a row has the request, the response and the duration of a call")
    func row() async throws {
        let probe = try Probe()
        probe.stubs.post("/v1/rooms").reply(code: 0, data: ["id": 7])
        probe.client.configure("forum") { $0.host = "https://forum.example.com/api" }
        try await probe.client.tag("forum").post("/v1/rooms").params(["name": "lobby"]).query(["page": 1]).execute(.void).value
        let row = try await probe.row()
        #expect(row.tag.string == "forum")
        #expect(row.method.string == "POST")
        #expect(row.host.string == "https://forum.example.com")
        #expect(row.path.string == "/api/v1/rooms?page=1")
        #expect(row.state.string == "succeeded")
        #expect(row.status.int == 200)
        #expect(row.code.string == "0")
        #expect(row.source.string == "stub")
        #expect(row.attempts.int == 1)
        #expect(row.sent.int == #"{"name":"lobby"}"#.utf8.count)
        #expect((row.received.int ?? 0) > 10)
        #expect((row.ms.double ?? -1) >= 0)
        #expect(row.message.string == "")
    }

    @Test("the row of a failure has its code, kind and message")
    func failure() async throws {
        let probe = try Probe()
        probe.stubs.get("/pay").reply(code: 10086, message: "not enough money")
        _ = await probe.client.get("/pay").execute().catch { _ in }.result
        let row = try await probe.row()
        #expect(row.state.string == "failed")
        #expect(row.code.string == "10086")
        #expect(row.kind.string == "business")
        #expect(row.message.string == "not enough money")
        #expect(row.status.int == 200)
    }

    @Test("a call whose request was invalid is a row, too")
    func unmade() async throws {
        let probe = try Probe()
        _ = await probe.client.get("/a").header("X-Bad", "a\nb").execute().catch { _ in }.result
        let row = try await probe.row()
        #expect(row.state.string == "failed")
        #expect(row.kind.string == "invalidRequest")
        #expect(row.method.string == "GET")
        #expect(row.path.string == "/a")
        #expect(row.attempts.int == 0)
    }

    @Test("the state of a call is running until it ends, and cancelled if it was cancelled")
    func running() async throws {
        let server = try LoopbackServer()
        server.get("/slow") { _ in .unanswered }
        let probe = try Probe(watching: Client())
        let call = probe.client.host(server.url).get("/slow").execute()
        await server.requestsReceived(1)
        #expect(try await probe.row().state.string == "running")
        call.cancel()
        _ = await call.result
        // The inspector records the end after the promise has settled, and sends an event to the page.
        let told = probe.get("/api/events").events(reconnecting: .never)
        for try await event in told where event.event == "calls" {
            if try JSON(parsing: Data(event.data.utf8)).calls[0].state.string == "cancelled" { break }
        }
        #expect(try await probe.row().state.string == "cancelled")
    }

    @Test("the list is filtered by tag, status, text and failure, newest first, in pages")
    func queries() async throws {
        let probe = try Probe()
        probe.stubs.get("/a").reply(data: 1)
        probe.stubs.get("/b").reply(status: 404)
        for path in ["/a", "/b", "/a?x=needle"] { _ = await probe.client.tag("forum").get(path).execute().catch { _ in }.result }
        _ = await probe.client.tag("wallet").get("/b").execute().catch { _ in }.result
        #expect(try await probe.rows().map(\.path.string) == ["/b", "/a?x=needle", "/b", "/a"])
        #expect(try await probe.rows("?tag=wallet").count == 1)
        #expect(try await probe.rows("?status=404").count == 2)
        #expect(try await probe.rows("?status=2xx").count == 2)
        #expect(try await probe.rows("?text=NEEDLE").count == 1)
        #expect(try await probe.rows("?failures=1&tag=forum").count == 1)
        let first = try await probe.get("/api/calls?limit=3").value()
        #expect(first.more.bool == true)
        let rest = try await probe.get("/api/calls?limit=3&before=\(first.calls[2].id.int ?? 0)").value()
        #expect(rest.calls.array?.count == 1)
        #expect(rest.more.bool == false)
        let refused = await probe.get("/api/calls?before=x").execute().result
        guard case .failure(let error as APIError) = refused else { return #expect(Bool(false)) }
        #expect(error.status == 400)
    }

    @Test("pages follow the order of the list instead of the order of ids")
    func pages() async throws {
        let probe = try Probe()
        let (entered, enter) = Promise<Bool>.pending()
        let (opened, open) = Promise<Bool>.pending()
        probe.stubs.get("/*").reply(data: 1)
        probe.client.commonHeaders { tag async throws -> HTTPHeaders in
            if tag == "held" {
                enter.fulfill(true)
                _ = try await opened.value
            }
            return [:]
        }
        let held = probe.client.tag("held").get("/first").execute()
        _ = try await entered.value
        _ = try await probe.client.get("/second").value()
        open.fulfill(true)
        _ = try await held.value
        #expect(try await probe.rows().map(\.path.string) == ["/first", "/second"])
        let newest = try await probe.rows("?limit=1")[0]
        #expect(try await probe.rows("?before=\(newest.id.int ?? 0)").map(\.path.string) == ["/second"])
        #expect(try await probe.rows("?before=999999999").isEmpty)
    }

    @Test("rows hide secrets unless the settings show them", arguments: [false, true])
    func secrets(_ showsSecrets: Bool) async throws {
        let probe = try Probe { $0.showsSecrets = showsSecrets }
        probe.stubs.get("/me").reply(code: 7, message: "token=made-up is wrong")
        _ = await probe.client.get("/me").query(["token": "made-up"]).execute().catch { _ in }.result
        let row = try await probe.row()
        #expect(row.path.string == (showsSecrets ? "/me?token=made-up" : "/me?token=***"))
        #expect(row.message.string == (showsSecrets ? "token=made-up is wrong" : "token=*** is wrong"))
    }

    @Test("clearing empties the list")
    func clear() async throws {
        let probe = try Probe()
        probe.stubs.get("/a").reply(data: 1)
        _ = try await probe.client.get("/a").value()
        try await probe.post("/api/clear").execute(.void).value
        #expect(try await probe.rows().isEmpty)
        _ = try await probe.client.get("/a").value()
        #expect(try await probe.rows().count == 1)
    }
}
