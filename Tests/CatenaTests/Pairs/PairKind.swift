import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// The ways in which a call is made, for tests of what holds for each of them.
enum PairKind: String, CaseIterable, CustomTestStringConvertible {
    case awaited, promised, dedupe, once, hedge, values, page, poll, stream, events, download

    var testDescription: String { rawValue }

    /// A response that the call takes.
    var reply: StubReply {
        switch self {
        case .page: .reply(data: [1])
        case .events: .text("data: 1\n\n", contentType: "text/event-stream")
        default: .reply(data: 1)
        }
    }

    /// Makes the call and waits for its end.
    func run(_ request: Request) async throws {
        switch self {
        case .awaited: _ = try await request.value(as: Int.self)
        case .promised: _ = try await request.execute(as: Int.self).value
        case .dedupe: _ = try await request.set(\.dedupe, true).value(as: Int.self)
        case .once: _ = try await request.once().value(as: Int.self)
        case .hedge: _ = try await request.set(\.hedgeDelay, .seconds(600)).value(as: Int.self)
        case .values: _ = try await request.values(of: Int.self).collected()
        case .page: for try await _ in request.pages(of: Int.self) { break }
        case .poll: _ = try await request.poll(every: .seconds(1), until: { (_: Int) in true })
        case .stream: for try await _ in request.stream() {}
        case .events: for try await _ in request.events(reconnecting: .never) {}
        case .download:
            let folder = try ScratchFolder()
            _ = try await request.download(to: folder.file("a"))
        }
    }
}

/// Waits until so many calls wait for the response to a request, which `dedupe()` or `once()` lets them share.
func joined(_ count: Int, _ request: Request, isOnce: Bool) async throws {
    let run = CallRun(request)
    let call = try await Preparation.call(of: run)
    let key = try #require(try isOnce ? DedupeKey(once: call) : DedupeKey(call, needsPayload: true))
    await run.tagState.flights.waiters(of: key, count: count)
}
