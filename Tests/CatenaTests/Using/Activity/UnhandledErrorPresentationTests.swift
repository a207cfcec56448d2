import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct ErrorLineTests {
    @Test("errors are shown one after the other, except those equal to one that is shown or waits") @MainActor
    func line() async {
        let shown = Recorder<String>()
        let gates = (0..<4).map { _ in Promise<Void>.pending() }
        let line = UnhandledErrorPresenter { error in
            let number = shown.count
            shown.note(error.message)
            _ = await gates[number].promise.result
        }
        for text in ["a", "b", "a", "b", "c"] { line.add(APIError(.business, message: text)) }
        await shown.reached(1)
        #expect(shown.events == ["a"])
        gates[0].resolver.fulfill(())
        await shown.reached(2)
        // This error is shown again, because no equal one is shown or waits any more.
        line.add(APIError(.business, message: "a"))
        gates[1].resolver.fulfill(())
        gates[2].resolver.fulfill(())
        await shown.reached(4)
        gates[3].resolver.fulfill(())
        #expect(shown.events == ["a", "b", "c", "a"])
    }
}

// Belongs to the tests of the global handler, so that they do not run at the same time.
extension UnhandledErrorTests {
    @Test("unhandled errors are presented on the main actor; handled, awaited and cancelled ones are not")
    func presented() async throws {
        let (never, keeper) = Promise<Void>.pending()
        defer { keeper.fulfill(()) }
        let stub = ClosureTransport { request in
            if request.address.path == "/cancelled" { try await never.value }
            return .json(#"{"code": 9, "msg": "\#(request.address.path)"}"#)
        }
        let client = Client(transport: stub, clock: VirtualClock())
        client.defaultHost = "https://unheard.example.com"
        let shown = Recorder<String>()
        let (last, resolver) = Promise<Void>.pending()
        API.calls.presentUnhandledErrors { error in
            MainActor.assertIsolated()
            guard error.request?.url.contains("unheard.example.com") == true else { return }
            shown.note(error.message)
            if error.message == "/last" { resolver.fulfill(()) }
        }
        defer { API.calls.presentUnhandledErrors(nil) }
        _ = await client.get("/handled").execute().catch { _ in }.result
        _ = try? await client.get("/awaited").value()
        client.get("/cancelled").execute().cancel()
        client.get("/seen").execute().then { _ in }.catch { _ in }.finally {}
        client.get("/first").execute().then { _ in }.finally {}
        await shown.meets { $0.contains("/first") }
        client.get("/last").execute().then { _ in }
        try await last.value
        #expect(shown.events == ["/first", "/last"])
    }
}
