import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("An event without its empty line", .limitedParallelism)
struct UnfinishedEventTests {
    let clock = VirtualClock()

    private func client(_ texts: String...) -> (client: Client, stub: ClosureTransport) {
        let count = Counter()
        let stub = ClosureTransport { _ in
            count.increment()
            return count.count <= texts.count ? EventStreamTests.answer(texts[count.count - 1]) : .status(204)
        }
        let client = Client(transport: stub, clock: clock)
        client.defaultHost = "https://example.com"
        return (client, stub)
    }

    /// Returns the values before the end, and the error with which they end.
    private func values<Value>(_ events: EventValues<Value>) async -> (values: [Value], error: APIError?) {
        var values: [Value] = []
        do {
            for try await value in events { values.append(value) }
            return (values, nil)
        } catch {
            return (values, APIError.wrapping(error))
        }
    }

    private static let ends = ["data: 2", "data: 2\n", "data: 2\r", "data: 2\r\n", "id: 7\ndata: 2\nevent: last", ": note\ndata:2\n"]

    @Test("an unfinished event is the body of the error with which values end", arguments: ends)
    func failing(end: String) async throws {
        let (client, stub) = client("data: 1\n\n" + end)
        let seen = Recorder<APIError.Kind>()
        client.onError { error, _ in
            seen.note(error.kind)
            return .proceed
        }
        let found = await values(client.post("/a").events(as: Int.self))
        #expect(found.values == [1])
        #expect(found.error?.kind == .connectionLost)
        #expect(
            found.error?.message
                == "The events have ended within event 2, which lacks its empty line; unfinished: .deliver gives it. It begins: 2")
        #expect(found.error?.body == Data("2".utf8))
        #expect(found.error?.status == 200)
        #expect(seen.events == [.connectionLost])
        #expect(stub.requests.count == 1 && client.calls.tasks().isEmpty)
    }

    @Test("an unfinished event is delivered where asked for, and may be a failure or no value", arguments: ends)
    func delivered(end: String) async throws {
        let (client, _) = client("data: 1\n\n" + end, "data: 1\n\n" + end, "data: {\"error\":\"x\"}", "data: {\"te")
        #expect(try await client.post("/a").events(as: Int.self, unfinished: .deliver).collected() == [1, 2])
        #expect(try await client.post("/a").events(unfinished: .deliver).collected().map(\.data) == ["1", "2"])
        let failure = await values(client.post("/a").events(as: Int.self, unfinished: .deliver)).error
        #expect(failure?.kind == .business && failure?.message == "x")
        let half = await values(client.post("/a").events(as: JSON.self, unfinished: .deliver)).error
        #expect(half?.kind == .decoding && half?.message.hasPrefix("Event 1: ") == true)
        #expect(client.calls.tasks().isEmpty)
    }

    @Test("an unfinished event is discarded where asked for, and by default without a type", arguments: ends)
    func discarded(end: String) async throws {
        let (client, _) = client("data: 1\n\n" + end, "data: 1\n\n" + end, "data: 1\n\n" + end)
        #expect(try await client.post("/a").events().collected().map(\.data) == ["1"])
        #expect(try await client.post("/a").events(as: Int.self, unfinished: .discard).collected() == [1])
        let error = await #expect(throws: APIError.self) { try await client.post("/a").events(unfinished: .fail).collected() }
        #expect(error?.body == Data("2".utf8))
    }

    @Test("fields without data are no unfinished event", arguments: ["", "id: 7\n", ": note", "event: x", "data: ", "data:\t\ndata"])
    func noData(end: String) async throws {
        let (client, _) = client("data: 1\n\n" + end, "data: 1\n\n" + end)
        #expect(try await client.post("/a").events(as: Int.self).collected() == [1])
        #expect(try await client.post("/a").events(as: Int.self, unfinished: .deliver).collected() == [1])
    }

    @Test("the error for a missing sentinel contains the unfinished event, and hides its secrets")
    func sentinel() async throws {
        let (client, _) = client("data: 1\n\ndata: {\"token\":\"s3cr3t", "data: 1\n\ndata: 2", "data: 1\n\ndata: [DONE]")
        let error = await values(client.post("/a").events(as: Int.self, until: "[DONE]")).error
        #expect(error?.kind == .connectionLost)
        #expect(error?.message.hasPrefix(#"The events have ended without "[DONE]" and within event 2, "#) == true)
        #expect(error?.message.contains("s3cr3t") == false && error?.description.contains("s3cr3t") == false)
        #expect(error?.body == Data(#"{"token":"s3cr3t"#.utf8))
        let delivered = await values(client.post("/a").events(as: Int.self, until: "[DONE]", unfinished: .deliver))
        #expect(delivered.values == [1, 2])
        #expect(delivered.error?.message == #"The events have ended without "[DONE]"."#)
        #expect(try await client.post("/a").events(as: Int.self, until: "[DONE]", unfinished: .deliver).collected() == [1])
    }

    @Test("an event that is too long is an error at the end of the response as well", arguments: [UnfinishedEvent.fail, .deliver])
    func tooLong(unfinished: UnfinishedEvent) async throws {
        let (client, _) = client("data: 1\n\ndata: 12345\ndata: 123456")
        let found = await values(client.post("/a").events(as: Int.self, unfinished: unfinished, limit: 12))
        #expect(found.values == [1])
        #expect(found.error?.kind == .bodyTooLarge)
    }

    @Test("a reconnection follows an unfinished event, which is delivered where asked for and then counts with its id")
    func reconnecting() async throws {
        for (unfinished, values, ids) in [
            (UnfinishedEvent.fail, [1, 3], [nil, "6"]), (.deliver, [1, 2, 3], [nil, "7"]), (.discard, [1, 3], [nil, "6"]),
        ] {
            let (client, stub) = client("id: 6\ndata: 1\n\nid: 7\ndata: 2", "data: 3\n\ndata: [DONE]\n\n")
            let task = Task { try await client.get("/a").events(as: Int.self, unfinished: unfinished).collected() }
            await clock.scheduled(.seconds(3))
            clock.advance(by: .seconds(3))
            #expect(try await task.value == values, "\(unfinished)")
            #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == ids, "\(unfinished)")
        }
    }

    @Test("a connection that breaks within an event is a failure, and the event is discarded", arguments: [UnfinishedEvent.fail, .deliver])
    func broken(unfinished: UnfinishedEvent) async throws {
        let client = Client(
            transport: ClosureTransport { _ in EventStreamTests.answer("data: 1\n\ndata: 2", end: APIError(.connectionLost)) })
        client.defaultHost = "https://example.com"
        let found = await values(client.post("/a").events(as: Int.self, unfinished: unfinished))
        #expect(found.values == [1])
        #expect(found.error?.kind == .connectionLost && found.error?.body == nil)
    }
}
