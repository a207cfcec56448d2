import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Credential stores", .limitedParallelism)
struct CredentialStoreTests {
    @Test("a credential that was saved in a file is loaded until it is removed")
    func file() throws {
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("a/credential.json")
        let store = FileCredentialStore<BearerToken>(file: file)
        #expect(try store.load() == nil)
        try store.save(nil)
        let token = BearerToken(accessToken: "t", refreshToken: "r", expiry: Date(timeIntervalSince1970: 5), user: "7")
        try store.save(BearerToken(accessToken: "former"))
        try store.save(token)
        #expect(try FileCredentialStore<BearerToken>(file: file).load() == token)
        #expect(TemporaryFolder.permissions(of: file) == 0o600)
        #expect(TemporaryFolder.permissions(of: file.deletingLastPathComponent()) == 0o700)
        try store.save(nil)
        #expect(try store.load() == nil)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("a file without a credential, or readable by others, is an error that shows no content")
    func badFiles() throws {
        let folder = TemporaryFolder()
        try OwnerOnlyFile.makeFolder(folder.url)
        let file = folder.url.appendingPathComponent("f")
        let store = FileCredentialStore<BearerToken>(file: file)
        try OwnerOnlyFile.write(Data(#"{"accessToken": 5, "x": "s3cret"}"#.utf8), to: file, isDurable: false)
        let broken = #expect(throws: CredentialStoreError.self) { try store.load() }
        #expect(broken?.description == "\(file.path) does not hold a credential.")
        try OwnerOnlyFile.write(try JSONEncoder().encode(BearerToken(accessToken: "t")), to: file, isDurable: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        let open = #expect(throws: CredentialStoreError.self) { try store.load() }
        #expect(open?.description == "Cannot read \(file.path): Others than its owner can read it.")
    }

    @Test("a file of another user is neither read, replaced nor removed, and the error gives this reason", .enabled(if: geteuid() == 0))
    func otherOwner() throws {
        let folder = TemporaryFolder()
        try OwnerOnlyFile.makeFolder(folder.url)
        let file = folder.url.appendingPathComponent("f")
        let content = try JSONEncoder().encode(BearerToken(accessToken: "t"))
        try OwnerOnlyFile.write(content, to: file, isDurable: false)
        #expect(chown(file.path, 12345, 12345) == 0)
        let store = FileCredentialStore<BearerToken>(file: file)
        let error = #expect(throws: CredentialStoreError.self) { try store.load() }
        #expect(error?.description == "Cannot read \(file.path): It belongs to another user.")
        #expect(throws: (any Error).self) { try store.save(BearerToken(accessToken: "u")) }
        #expect(throws: (any Error).self) { try store.save(nil) }
        #expect(try Data(contentsOf: file) == content)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.ownerAccountID] as? Int == 12345)
    }

    @Test("a sign-in reads its store once and before each refresh, and saves every change")
    func following() async throws {
        let store = CountingStore(Stamp(number: 4))
        let authentication = Authentication(CountingScheme(), store: store)
        _ = try await authentication.call { _ in nil }
        _ = try await authentication.call { $0 == "a5" ? nil : APIError(.status, status: 401) }
        #expect(store.loads.count == 2)
        #expect(store.saved.events == [Stamp(number: 5)])
        try authentication.signIn(Stamp(number: 8))
        try authentication.signOut()
        #expect(store.saved.events == [Stamp(number: 5), Stamp(number: 8), nil])
    }

    @Test("a store that cannot be read fails the call; one that cannot be written does not fail a refresh, but is reported")
    func failing() async throws {
        let store = CountingStore(Stamp.first)
        let authentication = Authentication(CountingScheme(), store: store)
        store.fails.withLock { $0 = true }
        await #expect(throws: Failure(9)) { try await authentication.call { _ in nil } }
        store.fails.withLock { $0 = false }
        var request = HTTPRequest(method: .get, address: try HTTPAddress(parsing: "https://h/"))
        let reported = Recorder<String>()
        var context = AuthenticationContext(clock: VirtualClock())
        context.report = { reported.note("\($0)") }
        let pass = try await authentication.authenticateAfterWait(&request, context)
        store.fails.withLock { $0 = true }
        #expect(try await authentication.recover(from: APIError(.status, status: 401), pass, context))
        #expect(reported.events == ["Failure(number: 9)"])
        #expect(try authentication.credential() == Stamp(number: 1))
        #expect(throws: Failure(9)) { try authentication.signOut() }
        #expect(try authentication.credential() == nil)
        // Later credentials are saved although an earlier save failed.
        store.fails.withLock { $0 = false }
        try authentication.signIn(Stamp(number: 2))
        #expect(store.saved.events == [Stamp(number: 2)])
    }
}

private final class CountingStore: CredentialStore {
    let loads = Counter()
    let saved = Recorder<Stamp?>()
    let fails = Mutex(false)
    private let initial: Stamp?

    init(_ initial: Stamp?) {
        self.initial = initial
    }

    func load() throws -> Stamp? {
        loads.increment()
        if fails.withLock({ $0 }) { throw Failure(9) }
        return initial
    }

    func save(_ credential: Stamp?) throws {
        if fails.withLock({ $0 }) { throw Failure(9) }
        saved.note(credential)
    }
}
