import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaRules

struct Topic: Codable, Sendable, Equatable {
    let id: Int
}

/// The outcome of a call: its closures in the order of their calls, with their arguments, and the error of its task.
private struct Story: Sendable, Equatable {
    var told: [String]
    var taskError: String?
}

@Suite("Calls in one closure", .limitedParallelism) struct RuleContextTests {
    private static let rules = """
        {
            "DEFAULT": {"Base": "https://example.com/"},
            "Good": {"Path": "good"}, "Bad": {"Path": "bad"}, "Slow": {"Path": "slow"}, "Nowhere": {"Path": "//evil.test"},
            "Model": {"Path": "topic", "Response Type": 2, "Response Class": "Topic"},
            "Models": {"Path": "topics", "Response Type": 3, "Response Class": "Topic"},
            "NullModel": {"Path": "null", "Response Type": 2, "Response Class": "Topic", "Response Accept Null": true},
            "NoNullModel": {"Path": "null", "Response Type": 2, "Response Class": "Topic"},
            "EmptyNull": {"Path": "empty", "Response Accept Null": true},
            "Empty": {"Path": "empty"}, "EmptySuccess": {"Path": "empty", "Response Type": 1},
            "NoEmpty": {"Path": "empty", "Response Accept Null": false}, "EmptyObject": {"Path": "empty", "Response Type": 2},
            "Null": {"Path": "null", "Response Accept Null": true},
            "AnyObject": {"Path": "topic", "Response Type": 2}, "NoObject": {"Path": "topics", "Response Type": 2},
            "AnyObjects": {"Path": "topics", "Response Type": 3}, "NoObjects": {"Path": "topic", "Response Type": 3},
            "NullObjects": {"Path": "null", "Response Type": 3, "Response Accept Null": true},
            "Success": {"Path": "topic", "Response Type": 1},
            "Raw": {"Path": "topic", "Response Serializer": "AFHTTPResponseSerializer"},
            "Text": {"Path": "topic", "Response Serializer": "text"}
        }
        """

    /// Returns a client whose slow call never ends, and a promise that settles when the slow call has begun.
    private static func client() throws -> (client: Client, began: Promise<Void>) {
        let (began, resolver) = Promise<Void>.pending()
        let never = Promise<Void>.pending()
        let client = Client(
            transport: ClosureTransport { request in
                switch request.address.path {
                case "/good": return .json(#"{"code": 0, "data": 7}"#)
                case "/topic": return .json(#"{"id": 1}"#)
                case "/topics": return .json(#"[{"id": 1}, {"id": 2}]"#)
                case "/null": return .json("null")
                case "/empty": return .status(200)
                case "/slow":
                    resolver.fulfill(())
                    try await never.promise.value
                    withExtendedLifetime(never.resolver) {}
                    return .json("{}")
                default: return .json(#"{"code": 5, "msg": "closed"}"#)
                }
            })
        client.rules.register(Topic.self)
        try client.rules.load(Data(Self.rules.utf8))
        return (client, began)
    }

    /// Makes a call and records all calls of its closures.
    private static func run(
        _ name: String, on client: Client, journal: Recorder<String> = Recorder<String>(), prepare: (inout RuleContext) -> Void = { _ in },
        then act: (RuleTask) async -> Void = { _ in }
    ) async -> Story {
        let (ended, resolver) = Promise<Void>.pending()
        let task = client.request(named: name) { context in
            prepare(&context)
            context.success = { _, value in journal.note("success \(value.content.map { "\($0)" } ?? "nil")") }
            context.failure = { _, error in journal.note("failure \(error.kind) \(error.code)") }
            context.finished = { task, isSuccess in journal.note("finished \(isSuccess) \(task.isEnded)") }
            context.completion = { task, value, error in
                let content = value.map { $0.content.map { "\($0)" } ?? "null" } ?? "nil"
                journal.note("completion \(content) \(error.map { "\($0.code)" } ?? "nil")")
                resolver.fulfill(())
            }
        }
        await act(task)
        _ = await ended.result
        await MainActor.run {}
        return Story(told: journal.events, taskError: task.error.map { "\($0.kind) \($0.code)" })
    }

    /// A model that only its own initializer can create.
    private struct Thread: Sendable, Equatable {
        struct NoNumber: Error {}

        let number: Int

        init(_ json: JSON) throws {
            guard let number = json.id.int else { throw NoNumber() }
            self.number = number
        }
    }

    @Test("a closure that is registered for a class creates single objects and lists, and accepts null if the rule does")
    func madeByClosure() async throws {
        let (client, _) = try Self.client()
        client.rules.register(responseClass: "Topic") { json in try Thread(json) }
        func value(_ name: String) async -> Result<RuleValue, APIError> {
            let (ended, resolver) = Promise<Result<RuleValue, APIError>>.pending()
            client.request(named: name) { context in
                context.completion = { _, value, error in
                    resolver.fulfill(value.map { .success($0) } ?? .failure(error ?? APIError(.other)))
                }
            }
            return (try? await ended.value) ?? .failure(APIError(.other))
        }
        #expect(try await value("Model").get().as(Thread.self)?.number == 1)
        #expect(try await value("Models").get().as([Thread].self)?.map(\.number) == [1, 2])
        #expect(try await value("Model").get().json.id.int == 1)
        #expect(try await value("Models").get().json[1].id.int == 2)
        #expect(try await value("NullModel").get().content == nil)
        let missing = await #expect(throws: APIError.self) { _ = try await value("NoNullModel").get() }
        #expect(missing?.kind == .missingPayload)
        client.rules.register(responseClass: "Topic") { json -> Thread in throw Thread.NoNumber() }
        let refused = await #expect(throws: APIError.self) { _ = try await value("Model").get() }
        #expect(refused?.kind == .decoding && refused?.underlying is Thread.NoNumber)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let outcome: String
        var name = "Bad"
        var handler: (@Sendable (APIError) -> ErrorDecision)?
        var debugFail: ErrorCode?
        var cancels = false
        let told: [String]
        let taskError: String?

        var testDescription: String { outcome }
    }

    @Test(
        "the closures are called in the order of RFAPI's table",
        arguments: [
            Row(outcome: "success", name: "Good", told: ["success 7", "finished true true", "completion 7 nil"], taskError: nil),
            Row(
                outcome: "failure", told: ["handler business 5", "failure business 5", "finished false true", "completion nil 5"],
                taskError: "business 5"),
            Row(
                outcome: "the handler stops it", handler: { _ in .cancelSilently },
                told: ["handler business 5", "finished false true", "completion nil 5"], taskError: "business 5"),
            Row(
                outcome: "the handler replaces it", handler: { _ in .replace(with: APIError(.business, code: 6)) },
                told: ["handler business 5", "failure business 6", "finished false true", "completion nil 6"], taskError: "business 6"),
            Row(
                outcome: "cancelled", name: "Slow", cancels: true, told: ["finished false true", "completion nil nil"],
                taskError: "cancelled -999"),
            // RFAPI reports a cancellation here and calls no handler. Catena treats it as any other failure.
            Row(
                outcome: "no such rule", name: "Unknown",
                told: [
                    "handler invalidRequest -1000", "failure invalidRequest -1000", "finished false true", "completion nil -1000",
                ], taskError: "invalidRequest -1000"),
            Row(
                outcome: "no such address", name: "Nowhere",
                told: [
                    "handler invalidRequest -1000", "failure invalidRequest -1000", "finished false true", "completion nil -1000",
                ], taskError: "invalidRequest -1000"),
            Row(
                outcome: "told to fail", name: "Good", debugFail: 42,
                told: ["handler simulated 42", "failure simulated 42", "finished false true", "completion nil 42"],
                taskError: "simulated 42"),
        ])
    func outcomes(row: Row) async throws {
        let (client, began) = try Self.client()
        let journal = Recorder<String>()
        client.onError { error, _ in
            journal.note("handler \(error.kind) \(error.code)")
            return row.handler?(error) ?? .proceed
        }
        let story = await Self.run(row.name, on: client, journal: journal) { context in
            context.debugFail = row.debugFail
        } then: { task in
            guard row.cancels else { return }
            _ = await began.result
            task.cancel()
        }
        #expect(story == Story(told: row.told, taskError: row.taskError))
    }

    @Test(
        "an error is reported as unhandled if the call has neither a failure nor a completion closure",
        arguments: [("failure", false), ("completion", false), ("finished", true), ("", true)])
    func hearing(listener: String, isReported: Bool) {
        var context = RuleContext(Client().request)
        if listener == "failure" { context.failure = { _, _ in } }
        if listener == "completion" { context.completion = { _, _, _ in } }
        if listener == "finished" { context.finished = { _, _ in } }
        #expect(context.hearsFailures == !isReported)
    }

    @Test("the closures run on the main actor and after the call has returned, even if it fails at once")
    @MainActor func afterReturning() async throws {
        let (client, _) = try Self.client()
        let journal = Recorder<String>()
        let (ended, resolver) = Promise<Void>.pending()
        client.request(named: "Unknown") { context in
            context.completion = { _, _, _ in
                journal.note("told")
                resolver.fulfill(())
            }
        }
        journal.note("returned")
        _ = await ended.result
        #expect(journal.events == ["returned", "told"])
    }

    @Test("a call that is cancelled before its closures run ends as cancelled, and a second cancel() has no effect")
    @MainActor func cancelledEarly() async throws {
        for _ in 0..<20 {
            let (client, _) = try Self.client()
            let journal = Recorder<String>()
            let (ended, resolver) = Promise<Void>.pending()
            let task = client.request(named: "Good") { context in
                context.success = { _, _ in journal.note("success") }
                context.failure = { _, _ in journal.note("failure") }
                context.finished = { _, isSuccess in journal.note("finished \(isSuccess)") }
                context.completion = { _, value, error in
                    journal.note("completion \(value == nil) \(error == nil)")
                    resolver.fulfill(())
                }
            }
            task.cancel()
            task.cancel()
            _ = await ended.result
            await MainActor.run {}
            #expect(journal.events == ["finished false", "completion true true"])
        }
    }

    @Test("the result of a call can be awaited repeatedly, and arrives after the closures have run", arguments: ["Good", "Bad"])
    func awaited(name: String) async throws {
        let (client, _) = try Self.client()
        let journal = Recorder<String>()
        let task = client.request(named: name) { $0.completion = { _, _, _ in journal.note("told") } }
        for _ in 0..<2 {
            switch await task.result {
            case .success(let value): journal.note("\(value.json.int ?? 0)")
            case .failure(let error): journal.note("\((error as? APIError)?.code ?? 0)")
            }
        }
        #expect(journal.events == ["told"] + Array(repeating: name == "Good" ? "7" : "5", count: 2))
    }

    @Test("cancelling the task that awaits a call cancels the call") func cancelledAwait() async throws {
        let (client, began) = try Self.client()
        let call = client.request(named: "Slow") { _ in }
        let awaiting = Task { try await call.result.get().json.int }
        _ = await began.result
        awaiting.cancel()
        await #expect(throws: CancellationError.self) { try await awaiting.value }
        #expect(call.error?.kind == .cancelled)
    }

    @Test("cancelling a call that has ended changes nothing") func cancelledLate() async throws {
        let (client, _) = try Self.client()
        let (ended, resolver) = Promise<RuleTask>.pending()
        client.request(named: "Good") { $0.completion = { task, _, _ in resolver.fulfill(task) } }
        let task = try await ended.value
        task.cancel()
        #expect(task.isSuccess)
        #expect(task.error == nil)
        #expect(task.value?.json.int == 7)
    }

    @Test(
        "success receives the value in the form that the rule declares",
        arguments: [
            ("Good", "7"), ("Success", #"{"id":1}"#), ("Model", "Topic(id: 1)"), ("Models", "[Topic(id: 1), Topic(id: 2)]"),
            ("NullModel", "null"), ("EmptyNull", "null"), ("Null", "null"), ("NullObjects", "null"), ("AnyObject", #"{"id":1}"#),
            ("AnyObjects", #"[{"id":1},{"id":2}]"#), ("Raw", "9 bytes"), ("Text", #"{"id": 1}"#),
            ("Empty", "null"), ("EmptySuccess", "null"), ("NoEmpty", "missingPayload"), ("EmptyObject", "missingPayload"),
            ("NoNullModel", "missingPayload"), ("NoObject", "decoding"), ("NoObjects", "decoding"),
        ])
    func answers(name: String, expected: String) async throws {
        let (client, _) = try Self.client()
        let (ended, resolver) = Promise<String>.pending()
        client.request(named: name) { context in
            context.completion = { _, value, error in
                switch value?.content {
                case nil: resolver.fulfill(error.map { "\($0.kind)" } ?? "null")
                case let json as JSON: resolver.fulfill(json.text)
                case let data as Data: resolver.fulfill("\(data.count) bytes")
                case let other?:
                    resolver.fulfill(
                        "\(other)".replacing(/[A-Za-z]+\.Topic/, with: "Topic"))
                }
            }
        }
        #expect(try await ended.value == expected)
    }

    @Test("a value is returned only as its own type") func typed() {
        let value = RuleValue([Topic(id: 1)])
        #expect(value.as([Topic].self) == [Topic(id: 1)])
        #expect(value.as(Topic.self) == nil)
        #expect(value.json.isNull)
    }

    @Test("a context sets params, headers, time limit and further steps, and its task has the user info") func sent() async throws {
        let stub = ClosureTransport { _ in .json("1") }
        let client = Client(transport: stub)
        try client.rules.load(Data(#"{"R": {"Base": "https://example.com", "Path": "{id}"}}"#.utf8))
        let (ended, resolver) = Promise<RuleTask>.pending()
        let found = Recorder<[String?]>()
        client.request(named: "R") { context in
            context.params = ["id": 7, "page": 1]
            context.headers = ["X-App": "1"]
            context.timeout = .seconds(5)
            context.id = "story"
            context.group = "home"
            context.request = context.request.query(["q": "x"]).method(.put).before {
                found.note(client.calls.tasks(group: "home").map(\.id) + client.calls.tasks(id: "story").map(\.group))
            }
            context.userInfo = ["screen": "home"]
            context.completion = { task, _, _ in resolver.fulfill(task) }
        }
        let task = try await ended.value
        #expect(stub.requests.map(\.sentLine) == ["PUT https://example.com/7?q=x"])
        #expect(stub.requests.first?.sentBody == #"{"page":1}"#)
        #expect(stub.requests.first?.headers["X-App"] == "1")
        #expect(task.userInfo["screen"] as? String == "home")
        #expect(task.rule?.path == "{id}")
        #expect(found.events == [["story", "home"]])
    }

    @Test("a debug delay passes before anything is sent") func delay() async throws {
        let clock = VirtualClock()
        let stub = ClosureTransport { _ in .json("1") }
        let client = Client(transport: stub, clock: clock)
        client.defaultHost = "https://example.com"
        let call = client.get("/a").set(\.debugDelay, .seconds(3)).execute()
        await clock.scheduled(.seconds(3))
        #expect(stub.requests.isEmpty)
        clock.advance(by: .seconds(3))
        _ = try await call.value
        #expect(stub.requests.count == 1)
    }

    @Test("a call with debugFail fails without sending a request") func debugFail() async {
        let stub = ClosureTransport { _ in .json("1") }
        let client = Client(transport: stub)
        client.defaultHost = "https://example.com"
        let result = await client.get("/a").set(\.debugFail, "E1").execute().result
        #expect((result.error as? APIError)?.code == "E1")
        #expect((result.error as? APIError)?.kind == .simulated)
        #expect(stub.requests.isEmpty)
    }
}

extension UnhandledErrorTests {
    @Test("an unhandled error of a call in one closure is reported with the file and line of the call")
    func context() async throws {
        let (reported, resolver) = Promise<PromiseDiagnostics.UnhandledError>.pending()
        PromiseDiagnostics.onUnhandledError = { report in
            if (report.error as? APIError)?.code == 4711 { resolver.fulfill(report) }
        }
        var rule = Rule("Unheard")
        rule.path = "https://example.com/"
        let line: UInt = #line + 1
        Client().rules.request(rule) { context in
            context.debugFail = 4711
            context.finished = { _, _ in }
        }
        let report = try? await reported.value
        PromiseDiagnostics.onUnhandledError = nil
        #expect(report?.line == line)
        #expect(report?.file.hasSuffix("RuleContextTests.swift") == true)
    }
}
