import CatenaPromise
import TestSupport
import Testing

private final class Weak {
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) {
        self.object = object
    }
}

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

    @Test("a pending `all` keeps the values of settled members, and nothing else of them")
    func waiting() async throws {
        let (last, resolver) = Promise<Int>.pending()
        let (result, member) = {
            let (member, resolver) = Promise<Int>.pending()
            let result = Promise.all([last, member])
            resolver.fulfill(2)
            return (result, Weak(member.core))
        }()
        #expect(member.object == nil)
        resolver.fulfill(1)
        #expect(try await result.value == [1, 2])
    }

    @Test("a promise that never settles keeps nothing of a consumer that withdrew, however many there are", arguments: [1, 2, 3, 15, 40])
    func withdrawn(consumers: Int) {
        let (forever, resolver) = Promise<Int>.pending()
        let kept = (0..<consumers).map { _ in forever.map { $0 } }
        let withdrawn = {
            let derived = (0..<40).map { _ in
                let result = Promise.all([forever, forever.map { $0 }])
                result.cancel()
                return result
            }
            return derived.map { Weak($0.core) }
        }()
        #expect(withdrawn.allSatisfy { $0.object == nil })
        let one = {
            let derived = forever.map { $0 }
            derived.cancel()
            return Weak(derived.core)
        }()
        if consumers < 15 { #expect(one.object == nil) }
        #expect(kept.allSatisfy { $0.isPending })
        resolver.fulfill(1)
        #expect(!kept.contains { $0.isPending })
    }

    @Test("the consumers of a member run before those of the `all` result", arguments: [false, true])
    func order(isLast: Bool) {
        let journal = Recorder<String>()
        let members = (0..<2).map { _ in Promise<Int>.pending() }
        if isLast { members[0].resolver.fulfill(0) }
        _ = members[1].promise.map { _ in journal.note("member") }
        _ = Promise.all(members.map(\.promise)).map { _ in journal.note("result") }
        _ = members[1].promise.map { _ in journal.note("member again") }
        members[1].resolver.fulfill(1)
        #expect(journal.events == (isLast ? ["member", "member again", "result"] : ["member", "member again"]))
        members[0].resolver.fulfill(0)
        #expect(journal.events == ["member", "member again", "result"])
    }

    @Test("a member that occurs twice contributes its value twice")
    func twice() async throws {
        let (member, resolver) = Promise<Int>.pending()
        let result = Promise.all([member, member, Promise(value: 2)])
        #expect(result.isPending)
        resolver.fulfill(1)
        #expect(try await result.value == [1, 1, 2])
    }

    @Test("a member that occurs twice is cancelled with the collection")
    func cancelledTwice() {
        let (member, resolver) = Promise<Int>.pending()
        Promise.all([member, member]).cancel()
        #expect(!member.isPending)
        resolver.fulfill(1)
    }

    @Test("a member continues after its `all` has failed, and may get new consumers")
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
