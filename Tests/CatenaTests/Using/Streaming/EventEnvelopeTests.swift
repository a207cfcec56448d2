import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Events in an envelope", .limitedParallelism)
struct EventEnvelopeTests {
    struct Chunk: Codable, Equatable, Sendable {
        let text: String
    }

    /// A type for all events of a chat, which needs no key.
    struct Part: Decodable, Equatable, Sendable {
        var type: String?
        var text: String?
    }

    struct Sample: Sendable, CustomTestStringConvertible {
        let body: String
        var event: String?
        var code: ErrorCode = .integer(0)
        var message = ""
        var envelope = Envelope.standard

        var testDescription: String { body }
        var text: String { EventEnvelopeTests.event(body, event) }
    }

    let clock = VirtualClock()

    static func event(_ data: String, _ name: String? = nil) -> String {
        (name.map { "event: \($0)\n" } ?? "") + "data: \(data)\n\n"
    }

    private func client(
        _ envelope: Envelope = .standard, _ answer: @escaping @Sendable () -> TransportResponse
    ) -> (client: Client, stub: ClosureTransport) {
        let stub = ClosureTransport { _ in answer() }
        let client = Client(transport: stub, clock: clock)
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.envelope = envelope
        }
        return (client, stub)
    }

    /// Returns the values of a stream and the error at its end.
    private func values<Value>(_ events: EventValues<Value>) async -> (values: [Value], error: APIError?) {
        var values: [Value] = []
        do {
            for try await value in events { values.append(value) }
            return (values, nil)
        } catch {
            return (values, APIError.wrapping(error))
        }
    }

    /// The properties of an error that the body determines.
    private func facts(_ error: APIError?) -> [String] {
        guard let error else { return [] }
        return [
            "\(error.kind)", "\(error.code)", error.message, "\(error.category as Any)", "\(error.retryAfter as Any)", error.traceID ?? "",
            "\(error.status as Any)", String(decoding: error.body ?? Data(), as: UTF8.self), error.explanation ?? "",
        ]
    }

    // MARK: Failures

    private static let failures = [
        Sample(body: #"{"error":{"code":"overloaded","message":"Later."}}"#, code: "overloaded", message: "Later."),
        Sample(
            body: #"{"error":{"message":"Too many tokens","type":"invalid_request_error","param":null,"code":null}}"#,
            code: "invalid_request_error", message: "Too many tokens"),
        Sample(
            body: #"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, event: "error", code: "overloaded_error",
            message: "Overloaded"),
        Sample(body: #"{"type":"error","code":"rate_limit","message":"Slow down","param":null}"#, code: "rate_limit", message: "Slow down"),
        Sample(body: #"{"error":"the model is not loaded"}"#, code: "false", message: "the model is not loaded"),
        Sample(body: #"{"errcode":40001,"errmsg":"invalid credential"}"#, event: "delta", code: 40001, message: "invalid credential"),
        Sample(body: #"{"code":7,"msg":"no such model","data":null,"requestId":"r-1"}"#, code: 7, message: "no such model"),
        Sample(
            body: #"{"code":9,"msg":"busy","wait":2}"#, code: 9, message: "busy",
            envelope: .standard.retryable(9).retryDelay("wait")),
        Sample(
            body: #"{"result":{"code":"E7","text":"spent"},"payload":null}"#, code: "E7", message: "spent",
            envelope: .standard.codes("result.code").message("result.text").data("payload").success(0, "OK")),
    ]

    @Test("a failure in an event is the error of a response with this body, first or after values", arguments: failures, [0, 2])
    func failure(sample: Sample, count: Int) async throws {
        let (whole, _) = client(sample.envelope) { .json(sample.body) }
        let expected = await #expect(throws: APIError.self) { try await whole.get("/a").retry(.never).value(as: Chunk.self) }
        let pieces = Array(repeating: Self.event(#"{"text":"a"}"#), count: count) + [sample.text, Self.event(#"{"text":"late"}"#)]
        let (client, stub) = client(sample.envelope) { EventStreamTests.answer(pieces.joined()) }
        let seen = Recorder<APIError>()
        client.onError { error, _ in
            seen.note(error)
            return .proceed
        }
        // Neither retried nor followed by a reconnection, although the method is idempotent.
        let found = await values(client.get("/a").retry(.exponential(limit: 2)).events(as: Chunk.self, until: "[DONE]"))
        #expect(found.values == Array(repeating: Chunk(text: "a"), count: count))
        let error = try #require(found.error)
        #expect(error.kind == .business && error.code == sample.code && error.message == sample.message)
        #expect(facts(error) == facts(expected))
        #expect(error.request?.url == "https://example.com/a" && error.attempts == 1)
        #expect(stub.requests.count == 1)
        #expect(seen.events.map(\.code) == [sample.code])
        #expect(client.calls.tasks().isEmpty)
    }

    @Test("a failure is found for dynamic values and for a type that needs no key", arguments: failures)
    func undemanding(sample: Sample) async throws {
        let (client, _) = client(sample.envelope) { EventStreamTests.answer(sample.text) }
        let request = client.post("/a")
        for error in [await values(request.events(as: JSON.self)).error, await values(request.events(as: Part.self)).error] {
            #expect(error?.kind == .business && error?.code == sample.code && error?.message == sample.message, "\(error as Any)")
        }
    }

    @Test("a clear failure is one for a type that decodes it, too, as it is of a response")
    func modelled() async throws {
        struct Frame: Decodable, Equatable, Sendable {
            struct Fault: Decodable, Equatable, Sendable { let message: String }
            var text: String?
            var error: Fault?
        }
        let body = #"{"error":{"message":"Later."}}"#
        let (whole, _) = client { .json(body) }
        let (client, _) = client { EventStreamTests.answer(Self.event(#"{"text":"a"}"#) + Self.event(body)) }
        let error = await #expect(throws: APIError.self) { try await whole.get("/a").value(as: Frame.self) }
        #expect(error?.message == "Later.")
        let found = await values(client.post("/a").events(as: Frame.self))
        #expect(found.values == [Frame(text: "a")])
        #expect(found.error?.message == "Later.")
    }

    @Test("without an envelope a failure is an event like others")
    func raw() async throws {
        let (client, _) = client { EventStreamTests.answer(Self.event(#"{"error":{"message":"Later."}}"#)) }
        let request = client.post("/a").envelope(.raw)
        #expect(try await request.events(as: JSON.self).collected() == [["error": ["message": "Later."]]])
        let error = await values(request.events(as: Chunk.self)).error
        #expect(error?.kind == .decoding && error?.message.hasPrefix("Event 1: Cannot decode Chunk") == true)
    }

    @Test("the events without a type are never read as an envelope")
    func untyped() async throws {
        let texts = Self.failures.map(\.body) + [#"{"code":0,"data":{"text":"a"}}"#, "[DONE]"]
        let (client, _) = client { EventStreamTests.answer(texts.map { Self.event($0) }.joined()) }
        #expect(try await client.post("/a").events().collected().map(\.data) == texts)
    }

    @Test("a handler may replace or silence the failure of an event")
    func handled() async throws {
        let (client, _) = client { EventStreamTests.answer(Self.event(#"{"error":"x"}"#)) }
        client.onError { _, _ in .replace(with: APIError(.business, code: 77)) }
        #expect(await values(client.get("/a").events(as: Chunk.self)).error?.code == 77)
        client.onError { _, _ in .cancelSilently }
        await #expect(throws: CancellationError.self) { try await client.get("/a").events(as: Chunk.self).collected() }
    }

    @Test("an unknown code with words of success is a failure, and diagnostics name it once")
    func suspectedSuccess() async throws {
        let (client, _) = client { EventStreamTests.answer(Self.event(#"{"code":1,"msg":"ok"}"#)) }
        let reports = Recorder<DiagnosticEvent>()
        client.onDiagnostic { reports.note($0) }
        for _ in 1...2 {
            let error = await values(client.post("/a").events(as: Chunk.self)).error
            #expect(error?.code == 1 && error?.explanation?.contains("addSuccess(1)") == true)
        }
        #expect(reports.events.map(\.kind) == [.unrecognizedSuccess])
    }

    @Test("a family and an endpoint find their own errors in events")
    func ownErrors() async throws {
        struct Spent: Error {}
        struct Line: ResponseFamily, Decodable {
            let text: String
            static func commonError(in reading: EnvelopeResult) -> (any Error)? { reading.code == 7001 ? Spent() : nil }
        }
        struct Chat: Endpoint {
            typealias Response = JSON
            var path: Path { "/a" }
            func error(in reading: EnvelopeResult) -> (any Error)? { reading.code == 7001 ? Spent() : nil }
        }
        let (client, _) = client { EventStreamTests.answer(Self.event(#"{"text":"a"}"#) + Self.event(#"{"code":7001,"msg":"no"}"#)) }
        let errors = [
            await values(client.get("/a").events(as: Line.self)).error,
            await values(client.request(for: Chat()).events(as: Chunk.self)).error,
        ]
        for error in errors {
            #expect(error?.underlying is Spent)
            #expect(error?.code == 7001 && error?.message == "no")
        }
    }

    // MARK: Payloads

    private static let payloads = [
        Sample(body: #"{"text":"a"}"#), Sample(body: #"{"code":0,"data":{"text":"a"}}"#),
        Sample(body: #"{"code":0,"msg":"ok","text":"a"}"#),
        Sample(body: #"{"success":true,"result":{"text":"a"}}"#), Sample(body: #"{"data":{"text":"a"},"data2":1}"#),
        Sample(
            body: #"{"result":{"code":"OK"},"payload":{"text":"a"}}"#,
            envelope: .standard.codes("result.code").data("payload").success(0, "OK")),
        Sample(body: #"{"code":0,"data":"{\"text\":\"a\"}"}"#, envelope: .standard.payloadInText()),
        Sample(body: #"{"code":0,"data":"61"}"#, envelope: .standard.transformPayload { _ in Data(#"{"text":"a"}"#.utf8) }),
    ]

    @Test("a type is decoded from the payload or from the whole event, as from a response", arguments: payloads)
    func payload(sample: Sample) async throws {
        let (whole, _) = client(sample.envelope) { .json(sample.body) }
        #expect(try await whole.get("/a").value(as: Chunk.self) == Chunk(text: "a"))
        let (client, _) = client(sample.envelope) { EventStreamTests.answer(sample.text + sample.text) }
        #expect(try await client.post("/a").events(as: Chunk.self).collected() == [Chunk(text: "a"), Chunk(text: "a")])
    }

    @Test("a dynamic value is the whole event, unless the call unwraps a part of it")
    func dynamic() async throws {
        let (client, _) = client { EventStreamTests.answer(Self.event(#"{"code":0,"data":{"text":"a"}}"#)) }
        let request = client.post("/a")
        #expect(try await request.events(as: JSON.self).collected() == [["code": 0, "data": ["text": "a"]]])
        #expect(try await request.set(\.unwrap, .path("data")).events(as: JSON.self).collected() == [["text": "a"]])
        #expect(try await request.set(\.unwrap, .path("data.text")).events(as: String.self).collected() == ["a"])
        #expect(try await request.envelope(.standard.removingNulls()).events(as: JSON.self).collected().map(\.code) == [0])
    }

    @Test("an event without a payload names the event in its error, and an optional is nil")
    func missingPayload() async throws {
        let (client, _) = client { EventStreamTests.answer(Self.event(#"{"text":"a"}"#) + Self.event(#"{"code":0,"msg":"ok"}"#, "end")) }
        let found = await values(client.post("/a").events(as: Chunk.self))
        #expect(found.values == [Chunk(text: "a")])
        #expect(found.error?.kind == .missingPayload && found.error?.message.hasPrefix("Event 2 (end): ") == true)
        #expect(try await client.post("/a").events(as: Chunk?.self).collected() == [Chunk(text: "a"), nil])
    }

    @Test("a type that finds none of its keys in an event is not reported, because events differ")
    func differentEvents() async throws {
        let (client, _) = client { EventStreamTests.answer(Self.event(#"{"ping":1}"#) + Self.event(#"{"text":"a"}"#)) }
        let reports = Recorder<DiagnosticEvent>()
        client.onDiagnostic { reports.note($0) }
        #expect(try await client.post("/a").events(as: Part.self).collected() == [Part(), Part(text: "a")])
        #expect(reports.events.isEmpty)
    }

    @Test("the media types that a call accepts are those of the response, not of its events")
    func acceptedType() async throws {
        let (client, _) = client { EventStreamTests.answer(Self.event(#"{"text":"a"}"#)) }
        #expect(
            try await client.post("/a").set(\.acceptedTypes, ["text/event-stream"]).events(as: Chunk.self).collected() == [Chunk(text: "a")]
        )
    }
}
