import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A step of a call that does not go with another one, and the words of the error.
struct RefusedStep: Sendable, CustomTestStringConvertible {
    let words: [String]
    let run: @Sendable (Client) async throws -> Void

    init(_ words: String..., run: @escaping @Sendable (Client) async throws -> Void) {
        self.words = words
        self.run = run
    }

    var testDescription: String { words.joined(separator: " and ") }

    /// Checks that the call fails before anything is sent.
    func check(_ stubs: Stubs, _ client: Client) async {
        let error = await #expect(throws: APIError.self) { try await run(client) }
        #expect(error?.kind == .invalidRequest)
        for word in words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
        #expect(stubs.requests.isEmpty)
    }
}

@Suite("Steps that do not go with `once()`", .limitedParallelism)
struct OnceRefusalTests {
    private static let file = URL(fileURLWithPath: #filePath)

    static let steps = [
        RefusedStep("once", "stream()") { for try await _ in $0.get("/a").once().stream() {} },
        RefusedStep("once", "lines()") { for try await _ in $0.get("/a").once().lines() {} },
        RefusedStep("once", "lines()") { for try await _ in $0.get("/a").once().lines(as: Int.self) {} },
        RefusedStep("once", "events()") { for try await _ in $0.get("/a").once().events() {} },
        RefusedStep("once", "download(to:)") { client in
            let target = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            _ = try await client.get("/a").once().download(to: target)
        },
        RefusedStep("once", "values(of:)") { for try await _ in $0.get("/a").once().values(of: Int.self) {} },
        RefusedStep("once", "id(_:replacing:)") { try await $0.post("/a").once().id("order", replacing: true).void() },
        RefusedStep("once", "control") { try await $0.post("/a").once().set(\.control, TransferControl()).void() },
        RefusedStep("once", "multipart") { client in
            try await client.post("/a").once().multipart { $0.file(file, name: "photo") }.void()
        },
        RefusedStep("dedupe", "once()") { try await $0.post("/a").set(\.dedupe, true).void() },
    ]

    @Test("a call that cannot be joined fails, and its error names both steps")
    static func refusedRows() async {
        await each(steps, [true, false] as [Bool]) { await Self().refused(step: $0, isIntercepted: $1) }
    }

    func refused(step: RefusedStep, isIntercepted: Bool) async {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        stubs.on(nil, "/a").reply(data: 1)
        // Such an interceptor makes the stages run as a chain.
        if isIntercepted { client.intercept("first", .before(.start)) { call, next in try await next(call) } }
        await step.check(stubs, client)
    }
}
