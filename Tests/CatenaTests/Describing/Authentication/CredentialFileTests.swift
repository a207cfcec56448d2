import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Puts something at a path in place of a file of Catena.
struct PlacedThing: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (URL) throws -> Void

    static let all: [PlacedThing] = [
        PlacedThing(testDescription: "folder") { place in
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data("kept".utf8).write(to: place.appendingPathComponent("photo"))
        },
        PlacedThing(testDescription: "link") { place in
            let other = place.deletingLastPathComponent().appendingPathComponent("other")
            try OwnerOnlyFile.write(Data(#"{"accessToken":"t"}"#.utf8), to: other, isDurable: false)
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: other)
        },
        PlacedThing(testDescription: "link loop") { place in
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: place)
        },
        PlacedThing(testDescription: "pipe") { place in #expect(mkfifo(place.path, 0o600) == 0) },
        PlacedThing(testDescription: "socket") { place in
            #expect(mknod(place.path, mode_t(S_IFSOCK) | 0o600, 0) == 0)
        },
        PlacedThing(testDescription: "large file") { place in
            try OwnerOnlyFile.write(Data(count: 20 << 20), to: place, isDurable: false)
        },
        PlacedThing(testDescription: "file of others") { place in
            try Data(#"{"accessToken":"t"}"#.utf8).write(to: place)
            #expect(chmod(place.path, 0o644) == 0)
        },
    ]

    /// The things that are no regular files, which nothing may replace or remove.
    static let noFiles = all.prefix(5)
}

@Suite("Files of credentials", .limitedParallelism)
struct CredentialFileTests {
    private let folder = TemporaryFolder()
    private var place: URL { folder.url.appendingPathComponent("credential") }

    private func put(_ thing: PlacedThing) throws {
        try OwnerOnlyFile.makeFolder(folder.url)
        try thing.make(place)
    }

    @Test("a store reads only a regular file of bounded size that is its owner's alone", arguments: PlacedThing.all)
    func reading(thing: PlacedThing) throws {
        try put(thing)
        let store = FileCredentialStore<BearerToken>(file: place)
        #expect(throws: (any Error).self) { try store.load() }
    }

    @Test("a sign-out and a sign-in fail in the place of another thing, and leave it", arguments: PlacedThing.noFiles)
    func removing(thing: PlacedThing) throws {
        try put(thing)
        let names = folder.names
        let store = FileCredentialStore<BearerToken>(file: place)
        #expect(throws: (any Error).self) { try store.save(nil) }
        #expect(throws: (any Error).self) { try store.save(BearerToken(accessToken: "t")) }
        let signIn = Authentication(BearerAuthenticator(), store: store)
        #expect(throws: (any Error).self) { try signIn.signIn(BearerToken(accessToken: "t")) }
        #expect(throws: (any Error).self) { try signIn.signOut() }
        #expect(folder.names == names)
        var status = stat()
        #expect(lstat(place.path, &status) == 0)
        if thing.testDescription == "folder" {
            #expect(try Data(contentsOf: place.appendingPathComponent("photo")) == Data("kept".utf8))
        }
    }

    @Test("a pipe in the place of a lock or of cookies blocks no call")
    func pipes() async throws {
        try put(PlacedThing.all[3])
        #expect(mkfifo(folder.url.appendingPathComponent(".credential.lock").path, 0o600) == 0)
        let stubs = Stubs()
        stubs.get("/a").reply(data: 1)
        let client = Client(testing: stubs)
        client.configure("forum") {
            $0.cookieJar = CookieJar(store: FileCredentialStore<KeptCookies>(file: place)) { nil }
        }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 1)
        #expect(throws: (any Error).self) { try FileCredentialStore<BearerToken>(file: place).lock() }
    }

    @Test("a store that does not answer blocks neither execute() nor other calls, and the deadline holds")
    func blocked() async throws {
        let store = BlockingStore()
        defer { store.open() }
        let (stubs, clock) = (Stubs(), VirtualClock())
        stubs.get("/a").reply(data: 1)
        let client = Client(testing: stubs, clock: clock)
        client.configure("slow") { $0.authentication = Authentication(BearerAuthenticator(), store: store) }
        client.configure("other") { _ in }
        let calls = (0..<16).map { _ in client.tag("slow").get("/a").deadline(.seconds(5)).execute(as: Int.self) }
        await store.asked.reached(1)
        #expect(try await client.tag("other").get("/a").value(as: Int.self) == 1)
        await clock.delays { $0.filter { $0 == .seconds(5) }.count == 16 }
        clock.advance(by: .seconds(5))
        for call in calls { #expect(await call.result.apiError?.kind == .timeout) }
        #expect(store.asked.count == 1)
    }

    @Test("a call that began before its store was read belongs to the user in the store", arguments: [true, false])
    func beganBefore(isSameUser: Bool) async throws {
        let store = BlockingStore()
        let stubs = Stubs()
        stubs.get("/a").reply { call in .reply(data: call.headers["Authorization"] ?? "") }
        let client = Client(testing: stubs)
        let signIn = Authentication(PersonScheme(), store: PersonStore(store))
        client.configure("forum") { $0.authentication = signIn }
        let call = client.tag("forum").get("/a").execute(as: String.self)
        await store.asked.reached(1)
        store.open()
        try signIn.signIn(Person(name: isSameUser ? "Ann" : "Bob", number: 7))
        let result = await call.result
        if isSameUser {
            #expect(["Ann0", "Ann7"].contains(try result.get()))
        } else {
            #expect(result.apiError?.kind == .missingCredential || (try? result.get()) == "Ann0")
        }
    }
}

/// A store whose reads wait until it is opened.
private final class BlockingStore: CredentialStore {
    let asked = Counter()
    private let gate = DispatchSemaphore(value: 0)

    func open() { for _ in 0..<64 { gate.signal() } }

    func load() throws -> BearerToken? {
        asked.increment()
        gate.wait()
        return BearerToken(accessToken: "made-up", user: "Ann")
    }

    func save(_ credential: BearerToken?) {}
}

private struct PersonStore: CredentialStore {
    let store: BlockingStore

    init(_ store: BlockingStore) { self.store = store }

    func load() throws -> Person? { try store.load().map { Person(name: $0.user ?? "") } }

    func save(_ credential: Person?) {}
}
