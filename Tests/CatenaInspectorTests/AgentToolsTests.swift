import Catena
import CatenaPromise
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("The tools of agents", .limitedParallelism) struct AgentToolsTests {
    /// A source whose calls have given texts, and which notes what is done to it.
    private final class Source: AgentSource {
        let agentsMayAct: Bool
        let shown: JSON
        let deeds = Mutex<[String]>([])

        init(_ shown: JSON = [:], agentsMayAct: Bool = false) {
            (self.shown, self.agentsMayAct) = (shown, agentsMayAct)
        }

        func rows(_ query: CallQuery) -> Data { Data("{}".utf8) }
        func details(of id: UInt64) -> Data { shown.encoded }
        func again(_ id: UInt64) { deeds.withLock { $0.append("again \(id)") } }

        func addStub(_ effect: Data) -> Data {
            deeds.withLock { $0.append(String(decoding: effect, as: UTF8.self)) }
            return effect
        }

        func removeStub(_ id: String) { deeds.withLock { $0.append("remove \(id)") } }
    }

    private static let acts: [(AgentTool, JSON, String)] = [
        (.repeatCall, ["id": 7], "again 7"), (.removeStub, ["id": 3], "remove 3"),
        (
            .addStub, ["path": "/a", "status": 404, "body": "x", "headers": ["X-A": "1"], "delay": 5, "method": "GET", "tag": "forum"],
            #"{"kind":"stub","path":"/a","method":"GET","tag":"forum","body":"x","status":404,"delay":5,"headers":[["X-A","1"]]}"#
        ),
    ]

    @Test("a tool that acts does nothing unless the app allows it, and the answer names the option", arguments: acts.indices)
    func readOnly(index: Int) {
        let (tool, arguments, deed) = Self.acts[index]
        let source = Source()
        let refused = AgentTools(source: source).answer(tool, arguments)
        #expect(refused.isError)
        #expect(refused.texts[0].contains("agentsMayAct"))
        #expect(source.deeds.withLock { $0 }.isEmpty)
        let allowed = Source(agentsMayAct: true)
        #expect(!AgentTools(source: allowed).answer(tool, arguments).isError)
        #expect(allowed.deeds.withLock { $0 } == [deed])
    }

    @Test("the tools that say that they only read change nothing", arguments: AgentTool.allCases.filter(\.isReadOnly))
    func reading(tool: AgentTool) {
        let source = Source(agentsMayAct: true)
        _ = AgentTools(source: source).answer(tool, ["id": 1, "of": "request", "as": "curl"])
        #expect(source.deeds.withLock { $0 }.isEmpty)
    }

    /// Reads all pages of a text, and checks their size.
    private func pages(_ tool: AgentTool, _ arguments: JSON, _ source: Source) throws -> [String] {
        var (pages, cursor): ([String], String?) = ([], nil)
        repeat {
            var object = arguments.object?.members.map { ($0.key, $0.value) } ?? []
            if let cursor { object.append(("cursor", JSON(stringLiteral: cursor))) }
            var output = JSONOutput()
            output.object { output in
                for (key, value) in object {
                    output.key(text: key)
                    output.value(value)
                }
            }
            let answer = AgentTools(source: source).answer(tool, try JSON(parsing: output.data))
            try #require(!answer.isError, "\(answer.texts)")
            #expect(answer.texts[0].utf8.count <= AgentAnswer.longest)
            #expect(answer.result.count <= 7 * AgentAnswer.longest)
            pages.append(answer.texts[0])
            cursor = answer.texts.dropFirst().first.flatMap { $0.firstMatch(of: /"cursor": "(\d+)"/) }.map { String($0.1) }
            try #require(pages.count < 1000)
        } while cursor != nil
        return pages
    }

    @Test(
        "a long body is read in pages of bounded size, which together are the body",
        arguments: ["a", "é", "🙂", "\u{1}", "e\u{301}\u{302}", "\""])
    func pages(piece: String) throws {
        let body = String(repeating: piece, count: 60_000)
        let source = Source(["attempts": [["number": 1, "response": ["body": ["text": JSON(stringLiteral: body)]]]]])
        let pages = try pages(.readBody, ["id": 1, "of": "response"], source)
        #expect(pages.count > 1)
        #expect(pages.joined() == body)
    }

    @Test(
        "a call with many long texts is shown in pages of bounded size", arguments: [AgentTool.showCall, .showTimeline, .explainEnvelope])
    func large(tool: AgentTool) throws {
        let long = JSON(stringLiteral: String(repeating: "long ", count: 500))
        let lines = JSON(array: (0..<100).map { _ in long })
        let source = Source(["decisions": lines, "envelope": lines, "curl": long])
        #expect(try pages(tool, ["id": 1], source).count > 3)
    }

    @Test(
        "a cursor that no answer gave is refused, and so is one within a code point",
        arguments: ["-1", "x", "99999999999999999999999", "9", "1"])
    func cursor(_ cursor: String) {
        let source = Source(["attempts": [["number": 1, "response": ["body": ["text": "éé"]]]]])
        let answer = AgentTools(source: source).answer(.readBody, ["id": 1, "of": "response", "cursor": JSON(stringLiteral: cursor)])
        #expect(answer.isError)
        #expect(answer.texts[0].contains("cursor"))
    }

    @Test(
        "a body that is not there, is no text or is not whole says so",
        arguments: [
            (nil, ["There is no body."]), (["hidden": "It is hidden."], ["It is hidden."]),
            (["base64": "AAAA"], ["AAAA", "It is base64."]),
            (["text": "ab", "cut": true, "size": 9], ["ab", "Only the beginning of the body is kept. It has 9 bytes."]),
        ] as [(JSON, [String])])
    func bodies(body: JSON, texts: [String]) {
        let source = Source(["attempts": [["number": 1, "request": ["body": body]]]])
        #expect(AgentTools(source: source).answer(.readBody, ["id": 1, "of": "request"]).texts == texts)
        #expect(AgentTools(source: source).answer(.readBody, ["id": 1, "of": "request", "attempt": 1]).texts == texts)
        #expect(AgentTools(source: source).answer(.readBody, ["id": 1, "of": "request", "attempt": 2]).isError)
    }

    @Test("the calls of an app are listed by filter, in pages of bounded size that have each call once")
    func list() async throws {
        let probe = try Probe { $0.limits.calls = 500 }
        probe.stubs.get("/bad").reply(status: 404)
        probe.stubs.get("/**").reply(data: 1)
        let tools = AgentTools(source: probe.inspector.core)
        // An address of 45 KB is shortened, so that a page has many rows.
        for number in 0..<300 {
            let text = String(repeating: "\u{1}é", count: number == 7 ? 5_000 : 60)
            _ = try await probe.client.tag("forum").get("/\(number)").query(["q": text]).value()
        }
        _ = await probe.client.tag("wallet").get("/bad").execute().catch { _ in }.result
        var (ids, cursor, pages): ([Int], JSON, Int) = ([], .nullValue, 0)
        repeat {
            let answer = tools.answer(.listCalls, ["limit": 200, "cursor": cursor])
            try #require(!answer.isError)
            #expect(answer.texts[0].utf8.count <= AgentAnswer.longest)
            ids += try answer.texts[0].split(separator: "\n").map { try JSON(parsing: Data($0.utf8)).id.int ?? -1 }
            let next = answer.texts.dropFirst().first.flatMap { $0.firstMatch(of: /"cursor": "(\d+)"/) }
            cursor = next.map { JSON(stringLiteral: String($0.1)) } ?? .nullValue
            pages += 1
            try #require(pages < 100)
        } while !cursor.isNull
        #expect(pages > 2)
        #expect(ids.count == 301 && Set(ids).count == 301)
        #expect(ids == ids.sorted(by: >))
        #expect(tools.answer(.listCalls, ["tag": "wallet"]).texts[0].contains("\"status\":404"))
        #expect(tools.answer(.listCalls, ["failures": true]).texts[0].split(separator: "\n").count == 1)
        #expect(tools.answer(.listCalls, [:]).texts[0].split(separator: "\n").count <= 50)
        #expect(tools.answer(.listCalls, ["status": "5xx"]).texts == ["There is no such call."])
    }

    @Test("one call is shown whole, with its envelope, its timeline and its code, and without secrets even if the page shows them")
    func call() async throws {
        let probe = try Probe { $0.showsSecrets = true }
        probe.client.configure("forum") { $0.host = "https://forum.example.com" }
        probe.stubs.post("/login").reply(code: 7, message: "no, token=made-up-token")
        let call = probe.client.tag("forum").post("/login").json(["password": "made-up-password"]).header(
            "Authorization", "Bearer made-up-key")
        _ = await call.execute().catch { _ in }.result
        #expect(try await probe.get("/api/calls").execute(.string).value.contains("made-up-token"))
        let tools = AgentTools(source: probe.inspector.core)
        let row = try JSON(parsing: Data(tools.answer(.listCalls, nil).texts[0].utf8))
        let shown = try JSON(parsing: Data(tools.answer(.showCall, ["id": row.id]).texts[0].utf8))
        #expect(shown.summary.code.string == "7")
        #expect(shown.attempts[0].response.status.int == 200)
        #expect(shown.error.kind.string == "business")
        #expect(shown.curl.isNull)
        #expect(tools.answer(.explainEnvelope, ["id": row.id]).texts[0].contains("found: "))
        let timeline = try JSON(parsing: Data(tools.answer(.showTimeline, ["id": row.id]).texts[0].utf8))
        #expect(timeline.attempts[0].outcome.string == "failed")
        #expect(timeline.attempts[0].request.isNull)
        #expect(timeline.lanes.array?.isEmpty == false)
        #expect(tools.answer(.copyCall, ["id": row.id, "as": "swift"]).texts[0].hasPrefix("API.tag(.forum)"))
        let texts = AgentTool.allCases.filter(\.isReadOnly).flatMap { tool in
            ["request", "response"].flatMap { side in
                ["curl", "swift", "stub"].flatMap { form in
                    tools.answer(tool, ["id": row.id, "of": JSON(stringLiteral: side), "as": JSON(stringLiteral: form)]).texts
                }
            }
        }
        for secret in ["made-up-token", "made-up-password", "made-up-key"] {
            #expect(!texts.contains { $0.contains(secret) }, "\(secret)")
        }
        #expect(tools.answer(.showCall, ["id": 999_999]).isError)
    }
}
