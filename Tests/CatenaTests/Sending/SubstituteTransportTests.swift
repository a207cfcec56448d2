#if os(Linux)
import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("A system without libcurl", .limitedParallelism)
struct SubstituteTransportTests {
    @Test("a call fails with an error that names what to install and the product that sends without it")
    func absent() async throws {
        // In a process of its own, because the tests have set a substitute.
        await #expect(processExitsWith: .success) {
            let client = Client(transport: SubstituteTransport(reason: "libcurl.so.4 is not there"), timers: SystemClock.shared)
            do {
                _ = try await client.host("http://127.0.0.1:1").get("/").data()
                exit(1)
            } catch let error as APIError {
                let words = ["libcurl.so.4 is not there", "libcurl4", "CatenaURLSession", "useWithoutLibcurl()"]
                exit(error.kind == .connect && words.allSatisfy(error.message.contains) ? 0 : 2)
            }
        }
    }

    @Test("calls go over the transport that the app has set, also if it is set later")
    func later() async throws {
        await #expect(processExitsWith: .success) {
            let client = Client(transport: SubstituteTransport(reason: "made up"), timers: SystemClock.shared)
            let before = await Result { try await client.host("http://127.0.0.1:1").get("/").data() }
            SubstituteTransport.set(Substitute())
            let after = await Result { try await client.host("http://127.0.0.1:1").get("/").data() }
            exit((try? before.get()) == nil && (try? after.get()) == Data("late".utf8) ? 0 : 1)
        }
    }
}

private struct Substitute: CollectingTransport {
    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        TransportResponse(status: 200, body: TransportBody(Data("late".utf8)))
    }

    func collect(_ request: HTTPRequest, limit: Int, stopper: TransferStopper) async throws -> HTTPResponse {
        try await send(request).whole(of: request, limit: limit, notifying: stopper)
    }
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
#endif
