import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Faults outside of a call's stages: in a response that the caller has received, or before a request is sent.
@Suite("Errors outside of the stages of a call", .limitedParallelism)
struct FoundErrorTests {
    enum Fault: CaseIterable, Sendable {
        case jsonLine, lastJSONLine, longLine, charset, longEvent, eventType, eventStatus
        case event, missingEnd, refusedEvents
        case samePage, sameItems, foreignLink, tooManyPages
        case digest, folder

        /// Whether the failing call has received a response.
        var isAnswered: Bool { ![.tooManyPages, .digest, .folder].contains(self) }

        var kind: APIError.Kind {
            switch self {
            case .jsonLine, .lastJSONLine, .charset, .eventType, .eventStatus, .event: .decoding
            case .longLine, .longEvent: .bodyTooLarge
            case .samePage, .sameItems: .protocolViolation
            case .tooManyPages, .refusedEvents: .business
            case .missingEnd: .connectionLost
            case .foreignLink: .redirect
            case .digest, .folder: .invalidRequest
            }
        }

        /// The number of calls, including the failing one.
        var calls: Int { [.samePage, .sameItems, .tooManyPages].contains(self) ? 2 : 1 }

        fileprivate func answer() -> TransportResponse {
            switch self {
            case .jsonLine: .pieces(["1\n", "no number\n2\n"])
            case .lastJSONLine: .pieces(["1\nno number"])
            case .longEvent: .pieces(["data: 123456\n\n"], headers: ["Content-Type": "text/event-stream"])
            case .charset: .pieces(["1"], headers: ["Content-Type": "text/plain; charset=utf-16"])
            case .eventStatus: .pieces(["data: 1\n\n"], status: 201, headers: ["Content-Type": "text/event-stream"])
            case .foreignLink: .json(#"{"items":[1],"next":"https://evil.example.org/?p=2"}"#)
            case .event, .missingEnd:
                .pieces(["data: 1\n\n", self == .event ? "data: x\n\n" : ""], headers: ["Content-Type": "text/event-stream"])
            case .refusedEvents: .json(#"{"code": 7, "msg": "no such model"}"#)
            case .samePage, .sameItems, .tooManyPages: .json("[1]")
            case .longLine, .eventType, .digest, .folder: .pieces(["123456\n"])
            }
        }

        fileprivate func run(_ request: Request) async throws {
            let target = FileManager.default.temporaryDirectory
            switch self {
            case .jsonLine, .lastJSONLine: _ = try await request.lines(as: Int.self).collected()
            case .longLine: _ = try await request.lines(limit: 4).collected()
            case .charset: _ = try await request.lines().collected()
            case .longEvent: _ = try await request.events(limit: 4).collected()
            case .eventType, .eventStatus: _ = try await request.events().collected()
            case .event: _ = try await request.events(as: Int.self, until: "[DONE]").collected()
            case .missingEnd: _ = try await request.events(as: JSON.self, until: "[DONE]", reconnecting: .never).collected()
            case .refusedEvents: _ = try await request.events(as: JSON.self, until: "[DONE]").collected()
            case .sameItems: _ = try await request.items(of: Int.self).collected()
            case .samePage: _ = try await request.pages(of: Int.self, by: .number()).collected()
            case .foreignLink: _ = try await request.pages(of: Int.self, by: .links).collected()
            case .tooManyPages: _ = try await request.pages(of: Int.self, by: .number().limit(1)).collected()
            case .digest: _ = try await request.execute(.download(to: target.appending(path: "catena-never"), sha256: "0")).value
            case .folder: _ = try await request.execute(.download(to: URL(filePath: target.path(), directoryHint: .isDirectory))).value
            }
        }
    }

    private func client(_ fault: Fault) -> Client {
        let client = Client(transport: ClosureTransport { _ in fault.answer() })
        client.defaultHost = "https://example.com"
        return client
    }

    @Test("handlers receive each error once, with the request and response of its call and the app's text", arguments: Fault.allCases)
    func seenOnce(fault: Fault) async throws {
        let client = client(fault)
        let seen = Recorder<APIError>()
        client.onError { error, _ in
            seen.note(error)
            return .proceed
        }
        client.configureDefaults { $0.errorMessages = { _ in "words of the app" } }
        let error = try #require(await #expect(throws: APIError.self) { try await fault.run(client.get("/a")) })
        #expect(error.kind == fault.kind)
        #expect(error.localizedDescription == "words of the app")
        #expect(seen.events.map(\.kind) == [fault.kind])
        for error in seen.events + [error] {
            #expect(error.request?.url == "https://example.com/a" || error.request?.url.hasPrefix("https://example.com/a?") == true)
            #expect((error.response != nil) == fault.isAnswered)
            #expect((error.status != nil) == fault.isAnswered)
            #expect(error.attempts == (fault.isAnswered ? 1 : 0))
        }
    }

    @Test("a handler may silence or replace the error", arguments: Fault.allCases)
    func decided(fault: Fault) async throws {
        let client = client(fault)
        client.onError { _, _ in .cancelSilently }
        await #expect(throws: CancellationError.self) { try await fault.run(client.get("/a")) }
        client.onError { _, _ in .replace(with: APIError(.business, code: 77)) }
        let error = await #expect(throws: APIError.self) { try await fault.run(client.get("/a")) }
        #expect(error?.code == 77)
    }

    @Test("observers receive the end of each call once, and no call stays active", arguments: Fault.allCases)
    func finished(fault: Fault) async throws {
        let client = client(fault)
        let ends = Recorder<UInt64>()
        client.observe { event in
            if case .finished = event.kind { ends.note(event.callID) }
        }
        await #expect(throws: APIError.self) { try await fault.run(client.get("/a")) }
        #expect(client.calls.tasks().isEmpty)
        await ends.reached(fault.calls)
        #expect(ends.events.count == fault.calls && Set(ends.events).count == fault.calls)
    }

    @Test("for observers, an unusable page is a failed call", arguments: [Fault.samePage, .sameItems, .foreignLink, .tooManyPages])
    func failedPage(fault: Fault) async throws {
        let client = client(fault)
        let ends = Recorder<APIError.Kind?>()
        client.observe { event in
            if case .finished(let result) = event.kind { ends.note((result.error as? APIError)?.kind) }
        }
        await #expect(throws: APIError.self) { try await fault.run(client.get("/a")) }
        await ends.reached(fault.calls)
        #expect(ends.events.last == fault.kind)
    }
}
