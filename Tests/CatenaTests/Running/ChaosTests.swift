import CatenaTesting
import Testing

@testable import Catena

@Suite("Everything at once", .limitedParallelism)
struct ChaosTests {
    @Test(
        "with faults everywhere, every call ends once: with its own response, with an explained error or cancelled",
        .enabled(
            if: LoadedLibcurl.tellsResets || Carrier(PlatformTransport.chosen.transport).engine == .curl,
            "URLSession does not report resets here, so that a call ends only at its time limit"))
    func chaos() async throws {
        let count = 600
        let chaos = try Chaos(count: count)
        let tally = await chaos.run(width: 32)
        #expect(tally.total == count)
        #expect(tally.settled == count)
        #expect(tally.wrong == [])
        #expect(tally.values > count / 2)
        let backend = CallRun(chaos.client.tag("chaos")).tagState
        await backend.flights.becameIdle()
        await backend.concurrency?.reached { $0.running == 0 }
        #expect(backend.concurrency?.load.waiting == 0)
    }
}
