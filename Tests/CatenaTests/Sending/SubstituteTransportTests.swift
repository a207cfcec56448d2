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
            let client = Client(transport: SubstituteTransport("libcurl.so.4 is not there. Install libcurl4"), timers: SystemClock.shared)
            client.configureDefaults { $0.retry = .exponential(limit: 1) }
            do {
                _ = try await client.host("http://127.0.0.1:1").get("/").data()
                exit(1)
            } catch let error as APIError {
                let words = ["libcurl.so.4 is not there", "libcurl4", "CatenaURLSession", "useWithoutLibcurl()"]
                exit(error.attempts == 1 && words.allSatisfy(error.message.contains) ? 0 : 2)
            }
        }
    }

    @Test("calls go over the transport that the app has set, also if it is set later")
    func later() async throws {
        await #expect(processExitsWith: .success) {
            let client = Client(transport: SubstituteTransport("made up"), timers: SystemClock.shared)
            let before = await Result { try await client.host("http://127.0.0.1:1").get("/").data() }
            SubstituteTransport.set { Substitute() }
            let after = await Result { try await client.host("http://127.0.0.1:1").get("/").data() }
            exit((try? before.get()) == nil && (try? after.get()) == Data("late".utf8) ? 0 : 1)
        }
    }

    @Test("the password of a proxy in the environment is hidden, although the client is older than the transport")
    func password() async throws {
        await #expect(processExitsWith: .success) {
            setenv("http_proxy", "http://catena:made-up-word-7@127.0.0.1:1", 1)
            let client = Client(transport: SubstituteTransport("made up"), timers: SystemClock.shared)
            SubstituteTransport.set { Substitute(failure: APIError(.connect, message: "no way past made-up-word-7")) }
            do {
                _ = try await client.host("http://127.0.0.1:1").get("/").data()
                exit(1)
            } catch let error as APIError {
                exit(error.message.hasPrefix("no way past") && !"\(error) \(error.message)".contains("made-up-word-7") ? 0 : 2)
            }
        }
    }
}

private struct Substitute: OwnTransport {
    let engine = TransportEngine.urlSession
    var failure: APIError?

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        if let failure { throw failure }
        return TransportResponse(status: 200, body: TransportBody(Data("late".utf8)))
    }
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
#endif
