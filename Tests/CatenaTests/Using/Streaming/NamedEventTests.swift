import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Events by name", .limitedParallelism)
struct NamedEventTests {
    struct Delta: Codable, Equatable, Sendable {
        let text: String
    }

    struct Usage: Codable, Equatable, Sendable {
        let tokens: Int
    }

    /// An error of the backend's own.
    struct Overload: Error, Equatable {}

    struct Answer: ResponseFamily, Decodable {
        let text: String

        static func specificError(in reading: EnvelopeResult) -> (any Error)? { reading.code == "overloaded" ? Overload() : nil }
    }

    private static let failing = [
        "event: delta\ndata: {\"text\": \"a\"}\n\n",
        "event: error\ndata: {\"error\": {\"code\": \"overloaded\", \"message\": \"Later.\"}}\n\n",
        "event: delta\ndata: {\"text\": \"b\"}\n\n",
    ]

    private static let mixed = [
        "event: ping\ndata: {\"type\": \"ping\"}\n\n", "event: delta\ndata: {\"text\": \"a\"}\n\n", "event: ping\ndata: no JSON\n\n",
        "data: {\"text\": \"unnamed\"}\n\n", "event: delta\ndata: {\"text\": \"b\"}\n\n", "event: usage\ndata: {\"tokens\": 7}\n\n",
        "event: delta\ndata:\n\n",
    ]

    private func request(_ pieces: [String], envelope: Envelope = .standard) -> Request {
        let stub = ClosureTransport { _ in .pieces(pieces, headers: ["Content-Type": "text/event-stream"]) }
        let client = Client(transport: stub, clock: VirtualClock())
        return client.host("https://example.com").post("/messages").envelope(envelope)
    }

    @Test(
        "events of one name are values, and others are skipped whatever they contain",
        arguments: [("delta", ["a", "b"]), ("message", ["unnamed"]), ("Delta", []), ("", [])])
    func one(name: String, texts: [String]) async throws {
        let deltas = try await request(Self.mixed).events(as: Delta.self, named: name).collected()
        #expect(deltas.map(\.text) == texts)
    }

    @Test("without a name each event is a value")
    func all() async throws {
        let values = try await request(["event: a\ndata: 1\n\n", "data: 2\n\n"]).events(as: Int.self).collected()
        #expect(values == [1, 2])
    }

    @Test("each name has its type, in the order of the events")
    func types() async throws {
        var found: [String] = []
        for try await event in request(Self.mixed).events(named: ["delta": Delta.self, "usage": Usage.self, "message": JSON.self]) {
            switch event {
            case let delta as Delta: found.append(delta.text)
            case let usage as Usage: found.append("\(usage.tokens)")
            case let json as JSON: found.append(json["text"].string ?? "")
            default: Issue.record("\(event)")
            }
        }
        #expect(found == ["a", "unnamed", "b", "7"])
        #expect(try await request(Self.mixed).events(named: [:]).collected().isEmpty)
    }

    @Test("a failure ends the loop whatever the name of its event is")
    func failure() async throws {
        let texts = Recorder<String>()
        let error = await #expect(throws: APIError.self) {
            for try await delta in request(Self.failing).events(as: Delta.self, named: "delta") { texts.note(delta.text) }
        }
        #expect(texts.events == ["a"])
        #expect(error?.kind == .business)
        #expect(error?.code == "overloaded")
        #expect(error?.message == "Later.")
        // Without an envelope no event is a failure.
        let deltas = try await request(Self.failing, envelope: .raw).events(as: Delta.self, named: "delta").collected()
        #expect(deltas.map(\.text) == ["a", "b"])
    }

    @Test("the errors of a family are recognized by name as without one")
    func family() async throws {
        let pieces = Self.failing.map { $0.replacing("event: error", with: "event: delta") }
        func failure(_ events: some AsyncSequence) async -> (any Error)? {
            do {
                _ = try await events.collected()
                return nil
            } catch {
                return error
            }
        }
        for error in [
            await failure(request(pieces).events(as: Answer.self)), await failure(request(pieces).events(as: Answer.self, named: "delta")),
            await failure(request(pieces).events(named: ["delta": Answer.self, "usage": Usage.self])),
        ] {
            #expect(error is Overload || (error as? APIError)?.underlying is Overload, "\(String(describing: error))")
        }
    }

    @Test("an event that its type does not fit fails the loop, and the error has its number and name")
    func unfit() async throws {
        let events = request(["event: ping\ndata: 1\n\n", "event: usage\ndata: {\"tokens\": \"many\"}\n\n"]).events(named: [
            "usage": Usage.self
        ])
        let error = await #expect(throws: APIError.self) { for try await _ in events {} }
        #expect(error?.kind == .decoding)
        #expect(error?.message.hasPrefix("Event 2 (usage): ") == true)
    }

    @Test("the sentinel ends the loop whatever its name is, and the stream connects again without it")
    func sentinel() async throws {
        let pieces = [
            "event: delta\ndata: {\"text\": \"a\"}\n\n", "event: end\ndata: [DONE]\n\n", "event: delta\ndata: {\"text\": \"b\"}\n\n",
        ]
        #expect(try await request(pieces).events(as: Delta.self, named: "delta").collected() == [Delta(text: "a")])
        #expect(try await request(pieces).events(named: ["delta": Delta.self], until: "[DONE]").collected().count == 1)
    }

    @Test("an endpoint's request has both forms")
    func endpoint() async throws {
        struct Messages: Endpoint {
            typealias Response = JSON
            let path: Path = "/messages"
            let method = HTTPMethod.post
        }
        let stub = ClosureTransport { _ in .pieces(Self.mixed, headers: ["Content-Type": "text/event-stream"]) }
        let client = Client(transport: stub, clock: VirtualClock())
        client.defaultHost = "https://example.com"
        let request = client.request(for: Messages())
        #expect(try await request.events(as: Delta.self, named: "delta").collected().count == 2)
        #expect(try await request.events(named: ["delta": Delta.self, "usage": Usage.self]).collected().count == 3)
    }
}
