import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The error of a failed refresh", .limitedParallelism)
struct RefreshErrorTests {
    private struct Expired: LocalizedError {
        let plan: String
        var errorDescription: String? { "Your plan has ended." }
    }

    /// Returns a call whose refresh fails with an error.
    private func call(_ error: any Error) -> Promise<Int> {
        let client = Client(transport: ClosureTransport { _ in .status(401) })
        client.configure("forum") { forum in
            forum.host = "https://forum.test"
            forum.authentication = Authentication(CountingScheme { _ in throw error }, store: MemoryCredentialStore(.first))
        }
        return client.tag("forum").get("/a").execute(as: Int.self)
    }

    @Test("`catch(as:)` receives what the refresh has thrown, itself or as the cause of its error", arguments: [false, true])
    func byType(isWrapped: Bool) async {
        let seen = Recorder<String>()
        let expired = Expired(plan: "gold")
        let error: any Error = isWrapped ? APIError(.business, code: 7, underlying: expired) : expired
        _ = await call(error).catch(as: CocoaError.self) { _ in seen.note("other") }
            .catch(as: Expired.self) { error in seen.note(error.plan) }.catch { _ in seen.note("any") }.result
        #expect(seen.events == ["gold"])
    }

    @Test("`catch(as:)` still receives the error of the refresh as such")
    func refresh() async {
        let seen = Recorder<Int?>()
        _ = await call(Expired(plan: "gold")).catch(as: RefreshError.self) { error in seen.note(error.original?.status) }.result
        #expect(seen.events == [401])
    }

    @Test("the user reads the text of what the refresh has thrown")
    func text() async {
        #expect(await call(Expired(plan: "gold")).result.apiError?.localizedDescription == "Your plan has ended.")
    }
}
