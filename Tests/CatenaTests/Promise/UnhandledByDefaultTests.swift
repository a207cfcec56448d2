// Whether something is written to standard error can only be seen from outside.
#if compiler(>=6.2) && DEBUG && (os(Linux) || os(macOS))
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Unhandled errors in a program without a handler of its own", .limitedParallelism)
struct UnhandledByDefaultTests {
    struct Refusal: Error {
        let password: String
    }

    /// Returns the lines about errors that a program has written to standard error.
    private func lines(_ result: ExitTest.Result) -> [Substring] {
        String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n").filter { $0.contains("Catena:") }
    }

    /// Counts the errors that the default handler receives.
    private static func counted() -> Counter {
        let told = Counter()
        let handler = PromiseDiagnostics.onUnhandledError
        PromiseDiagnostics.onUnhandledError = { unhandled in
            handler?(unhandled)
            told.increment()
        }
        return told
    }

    @Test("a dropped error is written with its place, a handled one is not")
    func dropped() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            _ = try? await Promise<Int>(error: Refusal(password: "s3cr3t")).value
            _ = await Promise<Int>(error: Refusal(password: "s3cr3t")).catch { _ in }.result
            _ = Promise<Int>(error: Refusal(password: "s3cr3t"), file: "App/Screen.swift", line: 12).map { $0 + 1 }
            let (promise, resolver) = Promise<Int>.pending()
            promise.cancel()
            withExtendedLifetime(resolver) {}
        }
        let lines = lines(result)
        #expect(lines.count == 1)
        // No redaction is installed here, so that only the type and the code of the error are written.
        let start = "Catena: unhandled failure from App/Screen.swift:12: CatenaTests.UnhandledByDefaultTests.Refusal 1"
        #expect(lines.first?.hasPrefix(start) == true, "\(lines)")
        #expect(!lines.joined().contains("s3cr3t"))
    }

    @Test("the unhandled error of a call is written with code, message and address, without secrets")
    func call() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let told = UnhandledByDefaultTests.counted()
            let client = Client(
                transport: ClosureTransport { _ in
                    .json(#"{"code": 7, "msg": "closed, token=s3cr3t"}"#, headers: ["Set-Cookie": "sid=s3cr3t"])
                })
            client.defaultHost = "https://example.com"
            client.post("/a").query(["token": "s3cr3t"]).json(["password": "s3cr3t"]).execute(.void, file: "App/Screen.swift", line: 12)
            await told.reached(1)
            _ = Promise<Int>(error: Refusal(password: "s3cr3t"))
            await told.reached(2)
        }
        let lines = lines(result)
        #expect(lines.count == 2)
        #expect(lines.first?.contains("from App/Screen.swift:12: business 7 · status 200 · closed, token=*** · POST") == true, "\(lines)")
        #expect(lines.last?.hasSuffix("CatenaTests.UnhandledByDefaultTests.Refusal") == true, "\(lines)")
        #expect(!lines.joined().contains("s3cr3t"))
    }

    @Test("the failure of a call in a then closure, which drops its promise, is written with the place of that call")
    func inThen() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let told = UnhandledByDefaultTests.counted()
            let client = Client(transport: ClosureTransport { _ in .status(500) })
            client.defaultHost = "https://example.com"
            Promise(value: 1).then { _ in client.post("/a").execute(.void, file: "App/Screen.swift", line: 12) }
            await told.reached(1)
        }
        let lines = lines(result)
        #expect(lines.count == 1)
        #expect(lines.first?.contains("from App/Screen.swift:12: ") == true, "\(lines)")
    }

    @Test("a handler of the program's own, or none, replaces the default")
    func replaced() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            #expect(PromiseDiagnostics.onUnhandledError != nil)
            let told = Counter()
            PromiseDiagnostics.onUnhandledError = { _ in told.increment() }
            _ = Promise<Int>(error: Refusal(password: ""))
            #expect(told.count == 1)
            PromiseDiagnostics.onUnhandledError = nil
            _ = Promise<Int>(error: Refusal(password: ""))
            #expect(told.count == 1)
            API.calls.presentUnhandledErrors(nil)
            _ = Promise<Int>(error: Refusal(password: ""))
        }
        #expect(lines(result).isEmpty)
    }

    @Test("a loop of errors writes only a few lines, from any number of threads")
    func flood() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...4 {
                    group.addTask { for _ in 1...5000 { _ = Promise<Int>(error: Refusal(password: "")) } }
                }
            }
        }
        #expect((1...60).contains(lines(result).count))
    }
}
#endif
