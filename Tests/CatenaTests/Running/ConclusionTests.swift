import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The end of a call", .limitedParallelism)
struct ConclusionTests {
    /// The ways to make a call, each with the response that fails it.
    enum Way: CaseIterable {
        case value, promise, stream, events, download, invalidTarget, decoding, brokenStream

        var answer: TransportResponse {
            switch self {
            case .decoding: .json("[]")
            case .brokenStream: .pieces(["a"], end: APIError(.connectionLost))
            default: .json(#"{"code":7}"#, status: 500)
            }
        }
    }

    private func end(_ way: Way, _ request: Request) async -> (any Error)? {
        do {
            switch way {
            case .value: _ = try await request.value()
            case .promise: _ = try await request.execute(as: Int.self).value
            case .stream: for try await _ in request.stream() {}
            case .brokenStream: for try await _ in request.stream() {}
            case .events: for try await _ in request.events() {}
            case .download: _ = try await request.execute(.download(to: ScratchFolder().file("a"))).value
            case .invalidTarget: _ = try await request.execute(.download(to: URL(filePath: "/tmp/", directoryHint: .isDirectory))).value
            case .decoding: _ = try await request.value(as: Int.self)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test("observers receive the end of a call once, and error handlers its error once, with the request", arguments: Way.allCases)
    func once(way: Way) async throws {
        let client = Client(transport: ClosureTransport { _ in way.answer })
        let (told, telling) = Promise<Void>.pending()
        let ends = Recorder<String>()
        let errors = Recorder<APIError>()
        client.observe { event in
            guard case .finished(let result) = event.kind else { return }
            ends.note((try? result.get()) == nil ? "error" : "answer")
            telling.fulfill(())
        }
        client.onError { error, _ in
            errors.note(error)
            return .replace(with: APIError(.business, code: 99))
        }
        let error = await end(way, client.host("https://example.com").get("/a"))
        #expect((error as? APIError)?.code == 99)
        try await told.value
        await client.observation.finish()
        // Observers receive the end of a stream with its head. An error of its body follows later.
        #expect(ends.events == [way == .brokenStream ? "answer" : "error"])
        #expect(errors.events.count == 1)
        #expect(errors.events.first?.request?.url == "https://example.com/a")
    }

    @Test("the outcome of a call does not change after its end")
    func idempotent() async throws {
        let client = Client(transport: ClosureTransport { _ in .json("1") })
        let seen = Counter()
        client.onError { _, _ in
            seen.increment()
            return .replace(with: APIError(.business, code: 99))
        }
        let run = CallRun(client.host("https://example.com").get("/a"))
        let first = await run.conclude(APIError(.connect))
        let second = await run.conclude(APIError(.timeout))
        #expect((first as? APIError)?.code == 99 && (second as? APIError)?.code == 99)
        #expect(seen.count == 1)
    }

    @Test("a handler that never decides has until the deadline; then the call fails with its original error")
    func hangingHandler() async throws {
        let clock = VirtualClock()
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code":7}"#, status: 500) }, clock: clock)
        let (never, resolver) = Promise<Void>.pending()
        defer { withExtendedLifetime(resolver) {} }
        let (asked, asking) = Promise<Void>.pending()
        client.onError { _, _ in
            asking.fulfill(())
            try? await never.value
            return .cancelSilently
        }
        let call = client.host("https://example.com").get("/a").deadline(.seconds(5)).execute()
        try await asked.value
        clock.advance(by: .seconds(5))
        #expect(await call.result.apiError?.status == 500)
    }

    @Test("the handler of a missed deadline has one more second")
    func hangingHandlerOfDeadline() async throws {
        let clock = VirtualClock()
        let (never, resolver) = Promise<Void>.pending()
        // Separate from `never`, because this promise is cancelled with the transport that awaits it.
        let (silence, answer) = Promise<Void>.pending()
        defer { withExtendedLifetime((resolver, answer)) {} }
        let client = Client(
            transport: ClosureTransport { _ in
                try await silence.value
                return .json("1")
            }, clock: clock)
        let (asked, asking) = Promise<Void>.pending()
        client.onError { _, _ in
            asking.fulfill(())
            try? await never.value
            return .cancelSilently
        }
        let call = client.host("https://example.com").get("/a").deadline(.seconds(5)).execute()
        await clock.scheduled(.seconds(60))
        clock.advance(by: .seconds(5))
        try await asked.value
        clock.advance(by: .seconds(1))
        #expect(await call.result.apiError?.kind == .timeout)
    }

    @Test("one source file notifies observers of an end and runs the error handlers")
    func onePlace() throws {
        let sources = URL.packageRoot.appending(path: "Sources/Catena")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        let texts = try files.filter { $0.pathExtension == "swift" }.map {
            (name: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8))
        }
        #expect(texts.count > 100)
        for word in ["notifyObservers(", "await ask(handlers", "note(stopped:"] {
            let users = texts.filter { file in
                file.text.split(separator: "\n").contains { $0.contains(word) && !$0.contains("func ") }
            }
            #expect(users.map(\.name) == ["Conclusion.swift"], "\(word)")
        }
    }
}

@Suite("Responses from interceptors", .limitedParallelism) struct ReceivedTests {
    private let client = Client(transport: ClosureTransport { _ in .json(#"{"code":0,"data":1}"#, headers: ["X-Old": "1"]) })

    @Test("a call uses the status, headers and body that an interceptor returns", arguments: [nil, "status", "header", "body"])
    func baggage(change: String?) async throws {
        client.intercept("change") { call, next in
            let response = try await next(call)
            // Copied through an array, because apps may store a response before they return it.
            var copy = [response][0]
            if change == "status" { copy.status = 201 }
            if change == "header" { copy.headers["X-New"] = "1" }
            if change == "body" { copy.body = Data(#"{"code":0,"data":2}"#.utf8) }
            return copy
        }
        let response = try await client.host("https://example.com").get("/a").execute(.response(as: Int.self)).value
        #expect(response.payload == (change == "body" ? 2 : 1))
        #expect(response.status == (change == "status" ? 201 : 200))
        #expect(response.headers["X-New"] == (change == "header" ? "1" : nil))
    }

    @Test("a stream continues after an interceptor has changed its headers, and a replaced body ends it")
    func stream() async throws {
        for replaces in [false, true] {
            client.intercept("change") { call, next in
                var response = try await next(call)
                response.headers["X-New"] = "1"
                if replaces { response.body = Data("other".utf8) }
                return response
            }
            let answer = try await client.host("https://example.com").get("/a").stream().open()
            #expect(answer.headers["X-New"] == "1")
            var body = Data()
            for try await piece in answer { body += piece }
            #expect(String(decoding: body, as: UTF8.self) == (replaces ? "other" : #"{"code":0,"data":1}"#))
        }
    }
}
