import CatenaPromise
import TestSupport
import Testing

@Suite(.limitedParallelism) struct PromiseCollectionTests {
    private struct Heavy: Error {
        let canary: Canary
    }

    @Test("an `all` that has failed keeps nothing alive, although a member of it never settles", arguments: [1, 1000])
    func failed(times: Int) {
        let cage = Canary.Cage()
        let (forever, resolver) = Promise<Int>.pending()
        for _ in 0..<times {
            let result = Promise.all([forever, Promise(error: Heavy(canary: cage.canary()))])
            #expect(!result.isPending)
        }
        #expect(cage.alive == 0)
        #expect(forever.isPending)
        resolver.fulfill(1)
    }

    @Test("a member goes on after an `all` has failed, and can be wanted again")
    func goesOn() async throws {
        let stops = Counter()
        let (member, resolver) = Promise<Int>.pending()
        resolver.onCancel { stops.increment() }
        let failed = Promise.all([member, Promise(error: Failure(1))])
        await #expect(throws: Failure(1)) { try await failed.value }
        let wanted = member.map { $0 + 1 }
        resolver.fulfill(1)
        #expect(try await wanted.value == 2)
        #expect(stops.count == 0)
    }
}
