import CatenaRules
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// The behaviour that a team relies on after a library of rules.
@Suite("Statements 8 to 13: rules and control", .limitedParallelism)
struct RuleStatementTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
        client.onDiagnostic { _ in }
    }

    private func load(_ rules: String) throws { try client.rules.load(Data(rules.utf8)) }

    @Test("8: requests are made from rules, by name or by a rule, which come from JSON, a property list or a server; DEFAULT fills gaps")
    func rules() async throws {
        let json = #"{"DEFAULT": {"Base": "https://forum.example.com/", "Headers": {"X-App": "1"}}, "Topics": {"Path": "topics"}}"#
        func target() async throws -> String {
            let sent = try await client.request(named: "Topics").params(["page": 1]).preview()
            return "\(sent.sentLine) \(sent.headers["X-App"] ?? "")"
        }
        try load(json)
        #expect(try await target() == "GET https://forum.example.com/topics?page=1 1")
        var rule = Rule("Votes")
        rule.path = "topics/{id}/votes"
        #expect(try await client.rules.request(rule).params(["id": 7]).preview().address.text == "https://forum.example.com/topics/7/votes")
        try load(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
                <key>DEFAULT</key><dict><key>Base</key><string>https://list.example.com/</string></dict>
                <key>Topics</key><dict><key>Path</key><string>topics</string></dict>
            </dict></plist>
            """)
        #expect(try await target() == "GET https://list.example.com/topics?page=1 ")
        let folder = try ScratchFolder()
        stubs.get("https://server.example.com/rules.json").reply(text: json)
        try await client.rules.load(
            from: client.absoluteURL("https://server.example.com/rules.json"), keepingCopyIn: folder.url.appending(path: "rules.json"))
        #expect(try await target() == "GET https://forum.example.com/topics?page=1 1")
    }

    @Test("9: requests and responses are JSON, unless DEFAULT or a rule names another serializer")
    func serializers() async throws {
        stubs.on(nil, "/**").reply(json: ["code": 0, "data": ["id": 7]])
        let plain = #""Base": "https://stubs.test/", "Path": "x", "Method": "POST""#
        func sent(_ rules: String) async throws -> String {
            try load(rules)
            let sent = try await client.request(named: "R").params(["a": 1]).preview()
            return "\(sent.headers["Content-Type"] ?? "") \(sent.sentBody ?? "")"
        }
        func answer(_ rules: String) async throws -> String? {
            try load(rules)
            let (ended, resolver) = Promise<RuleValue?>.pending()
            client.request(named: "R") { $0.completion = { _, value, _ in resolver.fulfill(value) } }
            let value = try await ended.value
            return (value?.content as? JSON)?.id.int.map { "JSON \($0)" } ?? value?.as(String.self).map { "text of \($0.count)" }
        }
        #expect(try await sent(#"{"R": {\#(plain)}}"#) == #"application/json {"a":1}"#)
        #expect(try await sent(#"{"DEFAULT": {"Serializer": "form"}, "R": {\#(plain)}}"#) == "application/x-www-form-urlencoded a=1")
        #expect(
            try await sent(#"{"DEFAULT": {"Serializer": "form"}, "R": {\#(plain), "Serializer": "json"}}"#) == #"application/json {"a":1}"#)
        #expect(try await answer(#"{"R": {\#(plain)}}"#) == "JSON 7")
        #expect(try await answer(#"{"DEFAULT": {"Response Serializer": "text"}, "R": {\#(plain)}}"#) == "text of 26")
        #expect(
            try await answer(#"{"DEFAULT": {"Response Serializer": "text"}, "R": {\#(plain), "Response Serializer": "payload"}}"#)
                == "JSON 7")
    }

    @MainActor private final class Screen: ActivityPresenter {
        var isLoading = false
        var told: [String] = []
        func present(_ message: ActivityMessage?) { told.append(message?.text ?? "hidden") }
    }

    @Test(
        "10: message, control and progress belong to the request, which has several closures for its end; errors are handled in one place")
    @MainActor func binding() async throws {
        let screen = Screen()
        client.calls.presenter = screen
        client.onError { error, _ in
            await MainActor.run { screen.told.append("handler \(error.code)") }
            return .proceed
        }
        try load(#"{"R": {"Base": "https://stubs.test/", "Path": "x"}}"#)
        stubs.get("/x").sequence(.text("7"), .reply(code: 5, message: "closed"))
        for outcome in [
            ["success 7, loading: false", "finished true", "completion"], ["failure 5, loading: false", "finished false", "completion"],
        ] {
            screen.told = []
            let (ended, resolver) = Promise<Void>.pending()
            client.request(named: "R") { context in
                context.loadMessage = "Loading …"
                context.request = context.request.loading(\.isLoading, on: screen)
                    .onProgress(.download) { _ in screen.told.append("progress, loading: \(screen.isLoading)") }
                context.success = { _, value in screen.told.append("success \(value.json.int ?? 0), loading: \(screen.isLoading)") }
                context.failure = { _, error in screen.told.append("failure \(error.code), loading: \(screen.isLoading)") }
                context.finished = { _, isSuccess in screen.told.append("finished \(isSuccess)") }
                context.completion = { _, _, _ in
                    screen.told.append("completion")
                    resolver.fulfill(())
                }
            }
            try await ended.value
            #expect(screen.told.first == "Loading …")
            #expect(screen.told.contains("progress, loading: true"))
            #expect(screen.told.contains("handler 5") == outcome.contains("finished false"))
            #expect(screen.told.suffix(4) == ["hidden"] + outcome)
        }
    }

    @Test("11: calls are found and cancelled by their id and by their group, without a reference to them")
    func identifiers() async throws {
        let gated = GatedClient()
        let calls = [("list", "home"), ("list", "other"), ("item", "home"), ("item", nil)].map { id, group in
            gated.client.get("/a").id(id).group(group).execute(as: Int.self)
        }
        #expect(gated.client.calls.tasks(id: "list").map(\.group) == ["home", "other"])
        #expect(gated.client.calls.tasks(group: "home").map(\.id) == ["list", "item"])
        gated.client.calls.cancel(group: "home")
        #expect(calls.map(\.isPending) == [false, true, false, true])
        gated.client.calls.cancel(id: "list")
        #expect(calls.map(\.isPending) == [false, false, false, true])
        gated.open()
        #expect(try await calls[3].value == 7)
    }

    @Test("12: a cancelled call runs finished and completion, which see the cancellation, but not failure")
    func cancelling() async throws {
        // The clock stands still, so that no limit ends the call before it is cancelled.
        let client = Client(testing: stubs, clock: VirtualClock())
        try client.rules.load(Data(#"{"R": {"Base": "https://stubs.test/", "Path": "x"}}"#.utf8))
        stubs.get("/x").reply(.unanswered)
        let told = Recorder<String>()
        let (ended, resolver) = Promise<Void>.pending()
        let task = client.request(named: "R") { context in
            context.success = { _, _ in told.note("success") }
            context.failure = { _, _ in told.note("failure") }
            context.finished = { task, isSuccess in told.note("finished \(isSuccess) \(task.error?.kind == .cancelled)") }
            context.completion = { task, value, error in
                told.note("completion \(value == nil) \(error == nil) \(task.error?.kind == .cancelled)")
                resolver.fulfill(())
            }
        }
        task.cancel()
        try await ended.value
        #expect(told.events == ["finished false true", "completion true true true"])
    }

    /// A library of models that decodes its values from lines of text.
    private struct Lines: PayloadDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            return try JSONDecoder().decode(type, from: try JSONEncoder().encode(lines))
        }
    }

    @Test("13: libraries of models can be plugged in, and the app's own bundle can replace the messages for the user")
    func plugging() async throws {
        client.rules.register(Topic.self)
        client.configureDefaults { $0.decoders["text/lines"] = Lines() }
        stubs.get("/lines").reply(body: Data("a\nb".utf8), contentType: "text/lines")
        #expect(try await client.get("/lines").value(as: [String].self) == ["a", "b"])
        try load(#"{"R": {"Base": "https://stubs.test/", "Path": "x", "Response Type": 2, "Response Class": "Topic"}}"#)
        stubs.get("/x").reply(data: Topic(id: 7))
        let (ended, resolver) = Promise<Topic?>.pending()
        client.request(named: "R") { $0.completion = { _, value, _ in resolver.fulfill(value?.as(Topic.self)) } }
        #expect(try await ended.value == Topic(id: 7))

        let folder = try ScratchFolder()
        let table = "\"catena.error.offline\" = \"No network, says the app.\";"
        try Data(table.utf8).write(to: folder.url.appending(path: "Localizable.strings"))
        let bundle = try #require(Bundle(url: folder.url))
        stubs.get("/offline").reply(.offline)
        stubs.get("/missing").reply(status: 404)
        let offline = try #require(await #expect(throws: APIError.self) { try await client.get("/offline").value() })
        let missing = try #require(await #expect(throws: APIError.self) { try await client.get("/missing").value() })
        ErrorSentence.$app.withValue(AppSentences(bundle)) {
            #expect(offline.localizedDescription == "No network, says the app.")
            #expect(!missing.localizedDescription.isEmpty && !missing.localizedDescription.contains("error."))
        }
    }
}
