import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Files of credentials and cookies that change or cannot be written", .limitedParallelism)
struct CredentialFileFaultTests {
    private let folder = TemporaryFolder()
    private var place: URL { folder.url.appendingPathComponent("credential") }

    init() throws { try OwnerOnlyFile.makeFolder(folder.url) }

    private static func store(_ cookie: String, in jar: CookieJar) throws {
        jar.store(["Set-Cookie": "\(cookie); Max-Age=1000"], from: try HTTPAddress(parsing: "https://stubs.test/"))
    }

    // MARK: A file that grows

    @Test("a file that grows while it is read is read to its new end, and never beyond the limit")
    func growing() throws {
        let start = Data(repeating: 1, count: 5000)
        try OwnerOnlyFile.write(start, to: place, isDurable: false)
        let file = try #require(try LocalFile.open(place.path, .own))
        let writer = try FileHandle(forWritingTo: place)
        defer { try? writer.close() }
        try writer.seekToEnd()
        try writer.write(contentsOf: Data(repeating: 2, count: 5000))
        #expect(try LocalFile.read(file, place.path, limit: 10_000) == start + Data(repeating: 2, count: 5000))
        let again = try #require(try LocalFile.open(place.path, .own))
        try writer.write(contentsOf: Data(repeating: 3, count: 1))
        let error = #expect(throws: FileError.self) { try LocalFile.read(again, place.path, limit: 10_000) }
        #expect(error?.description == "Cannot read \(place.path): It has more than 10000 bytes")
    }

    @Test("a file without an end that others write to ends no store's reading late: what is read is bounded")
    func endless() throws {
        try OwnerOnlyFile.write(Data(count: 16 << 20), to: place, isDurable: false)
        let file = try #require(try LocalFile.open(place.path, .own))
        let writer = try FileHandle(forWritingTo: place)
        defer { try? writer.close() }
        try writer.seekToEnd()
        try writer.write(contentsOf: Data(count: 1 << 20))
        #expect(throws: FileError.self) { try LocalFile.read(file, place.path, limit: 16 << 20) }
        let store = FileCredentialStore<BearerToken>(file: place)
        #expect(
            #expect(throws: CredentialStoreError.self) { try store.load() }?.description.contains("It has more than 16777216 bytes") == true
        )
    }

    // MARK: A file that is removed

    @Test(
        "a file that is removed between two calls signs nobody out before a refresh, and the next save creates it",
        arguments: [true, false])
    func removedCredential(withFolder: Bool) async throws {
        let stubs = Stubs()
        stubs.get("/a").reply { request in .reply(data: request.headers["Authorization"] ?? "") }
        let store = FileCredentialStore<BearerToken>(file: place)
        try store.save(BearerToken(accessToken: "one", user: "ann"))
        let signIn = Authentication(BearerAuthenticator(), store: store)
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = signIn }
        #expect(try await client.tag("forum").get("/a").value(as: String.self) == "Bearer one")
        try FileManager.default.removeItem(at: withFolder ? folder.url : place)
        #expect(try await client.tag("forum").get("/a").value(as: String.self) == "Bearer one")
        #expect(try store.load() == nil)
        try signIn.signIn(BearerToken(accessToken: "two", user: "ann"))
        #expect(try await client.tag("forum").get("/a").value(as: String.self) == "Bearer two")
        #expect(try store.load()?.accessToken == "two")
        try FileManager.default.removeItem(at: place)
        // A sign-out wants the file to be absent, and it is.
        try signIn.signOut()
        #expect(folder.names == [])
    }

    @Test("a removed file is a sign-out by another process for a refresh, which is not sent then")
    func removedBeforeRefresh() async throws {
        let stubs = Stubs()
        stubs.get("/a").reply(.status(401))
        let refreshes = Counter()
        let store = FileCredentialStore<BearerToken>(file: place)
        try store.save(BearerToken(accessToken: "one", refreshToken: "r", user: "ann"))
        let scheme = BearerAuthenticator { token in
            refreshes.increment()
            return token
        }
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = Authentication(scheme, store: store) }
        stubs.get("/b").reply(data: 1)
        #expect(try await client.tag("forum").get("/b").value(as: Int.self) == 1)
        try FileManager.default.removeItem(at: place)
        let error = await client.tag("forum").get("/a").execute(.void).result.apiError
        #expect(error?.kind == .missingCredential && refreshes.count == 0)
    }

    @Test("cookies whose file is removed between two calls are still sent, and written again")
    func removedCookies() async throws {
        let stubs = Stubs()
        stubs.get("/a").reply { request in .reply(data: request.headers["Cookie"] ?? "") }
        let jar = CookieJar(store: FileCredentialStore<KeptCookies>(file: place)) { nil }
        let client = Client(testing: stubs)
        client.configure("forum") { $0.cookieJar = jar }
        try Self.store("sid=1", in: jar)
        try jar.save()
        #expect(try await client.tag("forum").get("/a").value(as: String.self) == "sid=1")
        try FileManager.default.removeItem(at: folder.url)
        #expect(try await client.tag("forum").get("/a").value(as: String.self) == "sid=1")
        try jar.save()
        #expect(CookieJar(store: FileCredentialStore<KeptCookies>(file: place)) { nil }.cookies.map(\.name) == ["sid"])
        #expect(folder.names == ["credential"])
    }

    // MARK: No space and no rights

    #if compiler(>=6.2) && os(Linux) && canImport(Glibc)
    // A limit and a user of a process apply to all its threads, so these tests have a process of their own.

    @Test("without space, a save fails and leaves the former file and no other; the new credential is in use, and stored by the next save")
    func noSpace() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let place = folder.url.appendingPathComponent("credential")
            let store = FileCredentialStore<BearerToken>(file: place)
            let signIn = Authentication(BearerAuthenticator(), store: store)
            try signIn.signIn(BearerToken(accessToken: "one"))
            let jarPlace = folder.url.appendingPathComponent("cookies")
            let jar = CookieJar(store: FileCredentialStore<KeptCookies>(file: jarPlace)) { nil }
            try Self.store("sid=1", in: jar)
            try jar.save()
            try Self.limitFiles(to: 8)
            let long = BearerToken(accessToken: String(repeating: "made-up", count: 100))
            let error = #expect(throws: FileError.self) { try signIn.signIn(long) }
            #expect(error?.code == EFBIG && error?.action == "write")
            #expect(throws: FileError.self) { try store.save(long) }
            #expect(try signIn.credential()?.accessToken == long.accessToken)
            #expect(try store.load()?.accessToken == "one")
            try Self.store("tab=2", in: jar)
            #expect(throws: FileError.self) { try jar.save() }
            #expect(jar.cookies.map(\.name) == ["sid", "tab"])
            #expect(CookieJar(store: FileCredentialStore<KeptCookies>(file: jarPlace)) { nil }.cookies.map(\.name) == ["sid"])
            #expect(folder.names == ["cookies", "credential"])
            try Self.limitFiles(to: rlim_t.max)
            try store.save(long)
            try jar.save()
            #expect(try store.load()?.accessToken == long.accessToken)
            #expect(CookieJar(store: FileCredentialStore<KeptCookies>(file: jarPlace)) { nil }.cookies.count == 2)
        }
    }

    @Test("without rights, reading, saving and removing fail with the reason, and leave what is there")
    func noRights() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            try OwnerOnlyFile.makeFolder(folder.url)
            // Root has all rights, so it becomes another user.
            if geteuid() == 0 {
                #expect(chown(folder.url.path, 65_534, 65_534) == 0 && setegid(65_534) == 0 && seteuid(65_534) == 0)
            }
            let place = folder.url.appendingPathComponent("credential")
            let store = FileCredentialStore<BearerToken>(file: place)
            try store.save(BearerToken(accessToken: "one"))
            #expect(chmod(place.path, 0) == 0)
            let reading = #expect(throws: CredentialStoreError.self) { try store.load() }
            #expect(reading?.description == "Cannot read \(place.path): Permission denied.")
            #expect(CookieJar(store: FileCredentialStore<KeptCookies>(file: place)) { nil }.cookies.isEmpty)
            #expect(chmod(place.path, 0o600) == 0 && chmod(folder.url.path, 0o500) == 0)
            let saving = #expect(throws: FileError.self) { try store.save(BearerToken(accessToken: "two")) }
            #expect(saving?.code == EACCES && saving?.action == "create")
            let removing = #expect(throws: FileError.self) { try store.save(nil) }
            #expect(removing?.code == EACCES && removing?.action == "remove")
            let jar = CookieJar(store: FileCredentialStore<KeptCookies>(file: place)) { nil }
            try Self.store("sid=1", in: jar)
            #expect(throws: FileError.self) { try jar.save() }
            #expect(throws: FileError.self) { try store.lock() }
            #expect(try store.load()?.accessToken == "one")
            #expect(folder.names == ["credential"])
            // Nothing may be looked up in the folder.
            #expect(chmod(folder.url.path, 0) == 0)
            #expect(throws: CredentialStoreError.self) { try store.load() }
            #expect(throws: FileError.self) { try store.save(nil) }
            #expect(chmod(folder.url.path, 0o700) == 0)
        }
    }

    /// Limits the length of the files that this process writes, as a full disk does.
    private static func limitFiles(to length: rlim_t) throws {
        signal(SIGXFSZ, SIG_IGN)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limit = rlimit()
        try #require(getrlimit(resource, &limit) == 0)
        limit.rlim_cur = min(length, limit.rlim_max)
        try #require(setrlimit(resource, &limit) == 0)
    }
    #endif

    @Test("a folder in the place of the file's folder, or a file in it, fails with the reason")
    func otherPlace() throws {
        try Data().write(to: place)
        let store = FileCredentialStore<BearerToken>(file: place.appendingPathComponent("inner"))
        #expect(try store.load() == nil)
        #expect(throws: (any Error).self) { try store.save(BearerToken(accessToken: "one")) }
        #expect(folder.names == ["credential"])
    }
}
