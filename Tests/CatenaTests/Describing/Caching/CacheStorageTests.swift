import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Cache storage", .limitedParallelism)
struct CacheStorageTests {
    private static func key(_ number: Int, place: Int = 0) -> RequestKey {
        RequestKey(place: MessageDigest.sha256("\(place)").hex, digest: MessageDigest.sha256("\(number)").hex)
    }

    private static func response(_ body: Data = Data("body".utf8)) -> CachedResponse {
        CachedResponse(
            head: .init(
                status: 200, fields: [.init(name: "ETag", value: "\"é\"")], varying: ["accept": "x"],
                requested: Date(timeIntervalSince1970: 1.5), received: Date(timeIntervalSince1970: 2.25)), body: body)
    }

    @Test("the least recently used response is evicted first")
    func recency() {
        var index = RecencyIndex<String>()
        for name in ["a", "b", "c", "d"] { index.insert(name, size: 10) }
        #expect(index.touch("a") == true)
        #expect(index.touch("x") == false)
        #expect(index.remove("c") == true)
        #expect(index.remove("c") == false)
        index.insert("b", size: 15)
        #expect(index.totalSize == 35)
        #expect(index.evict(to: 26) == ["d"])
        #expect(index.evict(to: 20) == ["a"])
        #expect(index.evict(to: 0) == ["b"])
        #expect(index.evict(to: -1) == [])
        #expect(index.totalSize == 0)
        for round in 0..<3 {
            for number in 0..<1000 { index.insert("\(number)", size: 1) }
            for number in stride(from: 0, to: 1000, by: 2) { index.touch("\(number)") }
            let evicted = index.evict(to: 500)
            #expect(evicted.allSatisfy { Int($0)?.isMultiple(of: 2) == false }, "round \(round)")
            #expect(index.count == 500)
        }
    }

    private static func both(limit: Int, _ body: (any CacheStorage, TemporaryFolder) throws -> Void) rethrows {
        let folder = TemporaryFolder()
        try body(MemoryCacheStorage(limit: limit), folder)
        try body(DiskCacheStorage(folder: folder.url, limit: limit) { error in Issue.record(error) }, folder)
    }

    @Test("a saved response can be loaded until it is removed by key, by address or with all others")
    func saving() {
        Self.both(limit: 1_000_000) { storage, _ in
            #expect(storage.load(Self.key(1)) == nil)
            for number in 1...4 { storage.save(Self.response(Data("\(number)".utf8)), for: Self.key(number, place: number / 3)) }
            for number in 1...4 { #expect(storage.load(Self.key(number, place: number / 3))?.body == Data("\(number)".utf8)) }
            #expect(storage.load(Self.key(1, place: 0))?.head == Self.response().head)
            storage.save(Self.response(Data("new".utf8)), for: Self.key(1))
            #expect(storage.load(Self.key(1))?.body == Data("new".utf8))
            storage.remove(Self.key(1))
            #expect(storage.load(Self.key(1)) == nil)
            #expect(storage.load(Self.key(2)) != nil)
            storage.removeAll(of: Self.key(3, place: 1).place)
            #expect(storage.load(Self.key(3, place: 1)) == nil)
            #expect(storage.load(Self.key(4, place: 1)) == nil)
            #expect(storage.size > 0)
            storage.clear()
            #expect(storage.load(Self.key(2)) == nil)
            #expect(storage.size == 0)
        }
    }

    @Test("the responses with matching names are removed, and so are those whose names are not known")
    func naming() throws {
        func response(_ path: String) throws -> CachedResponse {
            let request = HTTPRequest(method: .get, address: try HTTPAddress(parsing: "https://h" + path))
            let headers: HTTPHeaders = path == "/large" ? ["X-Large": String(repeating: "a", count: 100_000)] : [:]
            let response = HTTPResponse(status: 200, headers: headers, body: Data(count: 50_000), address: request.address)
            return CachedResponse(
                response, to: request, requested: Date(timeIntervalSince1970: 1), received: Date(timeIntervalSince1970: 2))
        }
        let paths = ["/rooms", "/rooms/7", "/users", "/large"]
        try Self.both(limit: 1_000_000) { storage, _ in
            for (number, path) in paths.enumerated() { storage.save(try response(path), for: Self.key(number)) }
            storage.save(Self.response(), for: Self.key(9))
            storage.removeAll(named: [PathPattern(ResponseNames.pattern("/rooms/*", at: "https://h"))])
            #expect(storage.load(Self.key(0)) != nil)
            #expect(storage.load(Self.key(1)) == nil)
            #expect(storage.load(Self.key(2)) != nil)
            // A file whose head is longer than the part that is read is removed, too.
            #expect((storage.load(Self.key(3)) == nil) == (storage is DiskCacheStorage))
            #expect(storage.load(Self.key(9)) == nil)
            storage.removeAll(named: [PathPattern(ResponseNames.pattern("/**", at: "https://h"))])
            for number in 0..<paths.count { #expect(storage.load(Self.key(number)) == nil) }
            #expect(storage.size == 0)
        }
    }

    @Test("a storage removes by name what another one has written into its folder")
    func namedByAnother() throws {
        let folder = TemporaryFolder()
        let storages = (0..<2).map { _ in DiskCacheStorage(folder: folder.url, limit: 100_000) { error in Issue.record(error) } }
        storages[0].save(Self.response(), for: Self.key(1))
        storages[1].removeAll(named: [PathPattern("/a/**")])
        #expect(storages[0].load(Self.key(1)) == nil)
    }

    @Test("a storage never exceeds its limit, and does not store a response that is larger than the limit")
    func limit() {
        Self.both(limit: 10_000) { storage, folder in
            for number in 0..<50 {
                storage.save(Self.response(Data(count: 1000)), for: Self.key(number))
                #expect(storage.size <= 10_000)
                #expect(storage.load(Self.key(0)) != nil || number > 8)
            }
            #expect(storage.load(Self.key(49)) != nil)
            #expect(storage.load(Self.key(10)) == nil)
            #expect(storage.size > 5000)
            storage.save(Self.response(Data(count: 20_000)), for: Self.key(49))
            #expect(storage.load(Self.key(49)) == nil)
            #expect(folder.answers.count < 10)
        }
    }

    @Test("a disk cache survives its object, is readable by its owner only, and adapts to a smaller limit")
    func reopening() throws {
        let folder = TemporaryFolder()
        let fail: @Sendable (any Error) -> Void = { error in Issue.record(error) }
        let first = DiskCacheStorage(folder: folder.url, limit: 100_000, onFailure: fail)
        for number in 0..<5 { first.save(Self.response(Data(count: 1000)), for: Self.key(number)) }
        #expect(folder.names == ["catena-responses"])
        #expect(TemporaryFolder.permissions(of: folder.own) == 0o700)
        for name in folder.answers { #expect(TemporaryFolder.permissions(of: folder.own.appendingPathComponent(name)) == 0o600) }
        let second = DiskCacheStorage(folder: folder.url, limit: 100_000, onFailure: fail)
        #expect(second.size == first.size)
        #expect(second.load(Self.key(3)) == Self.response(Data(count: 1000)))
        let small = DiskCacheStorage(folder: folder.url, limit: 3000, onFailure: fail)
        #expect(small.size <= 3000)
        #expect(folder.answers.count == 2)
    }

    @Test("a disk cache leaves other files in its folder, and the folder's permissions, unchanged")
    func sharedFolder() throws {
        let folder = TemporaryFolder()
        let names = ["a.partial", ".b.partial", "c.response", "\(Self.key(7).place)-\(Self.key(7).digest).response"]
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("d.partial/inner"), withIntermediateDirectories: true, attributes: nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        for name in names { try Data("theirs".utf8).write(to: folder.url.appendingPathComponent(name)) }
        let cache = ResponseCache.disk(folder: folder.url, limit: 10) { error in Issue.record(error) }
        cache.clear()
        #expect(folder.names == (names + ["catena-responses", "d.partial"]).sorted())
        #expect(TemporaryFolder.permissions(of: folder.url) == 0o755)
    }

    @Test("a new storage removes only abandoned temporary files of its own, not locked, recent or foreign ones")
    func temporaries() throws {
        let folder = TemporaryFolder()
        let fail: @Sendable (any Error) -> Void = { error in Issue.record(error) }
        _ = DiskCacheStorage(folder: folder.url, limit: 1000, onFailure: fail)
        func temporary(_ number: Int, _ name: String = "") -> URL {
            let key = Self.key(number)
            let name = name.isEmpty ? "\(key.place)-\(key.digest).response" : name
            return folder.own.appendingPathComponent(".\(name).\(UUID().uuidString).partial")
        }
        let (abandoned, locked, recent, foreign) = (temporary(1), temporary(2), temporary(3), temporary(4, "notes.txt"))
        for file in [abandoned, locked, recent, foreign] { try Data("x".utf8).write(to: file) }
        for file in [abandoned, locked, foreign] {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: file.path)
        }
        let folderOfThatName = temporary(5)
        try FileManager.default.createDirectory(at: folderOfThatName, withIntermediateDirectories: false)
        // A writer in another process holds this lock.
        let descriptor = open(locked.path, O_WRONLY)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        _ = DiskCacheStorage(folder: folder.url, limit: 1000, onFailure: fail)
        #expect(Set(folder.answers) == Set([locked, recent, foreign, folderOfThatName].map(\.lastPathComponent)))
    }

    @Test("two storages with one folder read each other's responses without errors")
    func twoProcesses() {
        let folder = TemporaryFolder()
        let fail: @Sendable (any Error) -> Void = { error in Issue.record(error) }
        let first = DiskCacheStorage(folder: folder.url, limit: 100_000, onFailure: fail)
        first.save(Self.response(), for: Self.key(1))
        let second = DiskCacheStorage(folder: folder.url, limit: 100_000, onFailure: fail)
        #expect(second.load(Self.key(1)) == Self.response())
        second.clear()
        #expect(first.load(Self.key(1)) == nil)
        first.save(Self.response(), for: Self.key(2))
        #expect(first.load(Self.key(2)) == Self.response())
    }

    @Test("a storage finds and removes what another one has written into its folder", arguments: [false, true])
    func writtenByAnother(clearsAll: Bool) {
        let folder = TemporaryFolder()
        let fail: @Sendable (any Error) -> Void = { error in Issue.record(error) }
        let storages = (0..<2).map { _ in DiskCacheStorage(folder: folder.url, limit: 100_000, onFailure: fail) }
        storages[0].save(Self.response(), for: Self.key(1))
        #expect(storages[1].load(Self.key(1)) == Self.response())
        storages[0].save(Self.response(), for: Self.key(2))
        if clearsAll { storages[1].clear() } else { storages[1].removeAll(of: Self.key(2).place) }
        #expect(storages[0].load(Self.key(2)) == nil)
        #expect(DiskCacheStorage(folder: folder.url, limit: 100_000, onFailure: fail).load(Self.key(2)) == nil)
    }

    @Test("a truncated, altered or replaced file is a miss and is removed")
    func corruption() throws {
        let folder = TemporaryFolder()
        let storage = DiskCacheStorage(folder: folder.url, limit: 1_000_000) { error in Issue.record(error) }
        storage.save(Self.response(), for: Self.key(1))
        let name = try #require(folder.answers.first)
        let file = folder.own.appendingPathComponent(name)
        let whole = try Data(contentsOf: file)
        var broken = [Data(), Data("{}".utf8), whole + Data([0]), Data(whole.dropFirst())]
        for length in stride(from: 0, to: whole.count, by: 7) { broken.append(whole.prefix(length)) }
        for index in stride(from: 0, to: whole.count, by: 5) {
            var changed = whole
            changed[index] ^= 0x40
            broken.append(changed)
        }
        for content in broken {
            storage.save(Self.response(), for: Self.key(1))
            try content.write(to: file)
            #expect(storage.load(Self.key(1)) == nil)
            #expect(folder.answers.isEmpty)
        }
        storage.save(Self.response(), for: Self.key(1))
        try FileManager.default.removeItem(at: file)
        #expect(storage.load(Self.key(1)) == nil)
        #expect(storage.size == 0)
        // The unchanged file is still valid.
        #expect(CacheFileFormat.decode(whole, of: Self.key(1)) == Self.response())
    }

    @Test("a folder with more files than are read can be emptied as a whole, by address and by name", arguments: ["all", "place", "name"])
    func crowded(way: String) throws {
        let (folder, reported) = (TemporaryFolder(), Recorder<String>())
        let full = DiskCacheStorage(folder: folder.url, limit: 1_000_000) { error in Issue.record(error) }
        for number in 0..<95 { full.save(Self.response(), for: Self.key(number, place: number % 2)) }
        let foreign = folder.own.appendingPathComponent("notes.response")
        try Data("a note".utf8).write(to: foreign)
        let storage = DiskCacheStorage(folder: folder.url, limit: 1_000_000, mostFiles: 20) { reported.note("\($0)") }
        #expect(reported.count == 1)
        switch way {
        case "all": storage.clear()
        case "place": storage.removeAll(of: Self.key(0, place: 1).place)
        default: storage.removeAll(named: [PathPattern("/a/**")])
        }
        #expect(reported.count == 1)
        #expect(folder.answers.count == (way == "place" ? 49 : 1))
        #expect(FileManager.default.fileExists(atPath: foreign.path))
    }

    @Test("a file under another response's name is a miss")
    func renamed() throws {
        let folder = TemporaryFolder()
        let storage = DiskCacheStorage(folder: folder.url, limit: 100_000) { _ in }
        storage.save(Self.response(), for: Self.key(1))
        let name = try #require(folder.answers.first)
        let former = folder.own.appendingPathComponent(name)
        storage.save(Self.response(), for: Self.key(2))
        let other = try #require(folder.answers.first { $0 != name })
        try FileManager.default.removeItem(at: folder.own.appendingPathComponent(other))
        try FileManager.default.moveItem(at: former, to: folder.own.appendingPathComponent(other))
        #expect(storage.load(Self.key(2)) == nil)
    }

    @Test("an unusable folder is reported once until it can be used, and every look-up is a miss")
    func unusableFolder() throws {
        let folder = TemporaryFolder()
        try Data("a file".utf8).write(to: folder.url)
        let reported = Recorder<String>()
        let storage = DiskCacheStorage(folder: folder.url.appendingPathComponent("cache"), limit: 1000) { reported.note("\($0)") }
        for number in 0..<3 {
            storage.save(Self.response(), for: Self.key(number))
            #expect(storage.load(Self.key(number)) == nil)
        }
        #expect(reported.count == 1)
        #expect(storage.size == 0)
        try FileManager.default.removeItem(at: folder.url)
        try OwnerOnlyFile.makeFolder(folder.url.appendingPathComponent("cache/catena-responses"))
        storage.save(Self.response(), for: Self.key(1))
        #expect(storage.load(Self.key(1)) != nil)
        try FileManager.default.removeItem(at: folder.url)
        for number in 2..<5 { storage.save(Self.response(), for: Self.key(number)) }
        #expect(reported.count == 2)
    }

    @Test("concurrent operations on a cache do no harm")
    func concurrently() async {
        let folder = TemporaryFolder()
        let caches = [
            ResponseCache.memory(limit: 5000),
            .disk(folder: folder.url, limit: 5000) { error in Issue.record(error) },
        ]
        for cache in caches {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let key = Self.key(number % 13, place: number % 3)
                        switch number % 5 {
                        case 0: cache.storage.remove(key)
                        case 1: cache.storage.removeAll(of: key.place)
                        case 2: #expect(cache.storage.load(key).map { $0.body.count == 500 } != false)
                        default: cache.storage.save(Self.response(Data(count: 500)), for: key)
                        }
                    }
                }
            }
            #expect(cache.size <= 5000)
            cache.clear()
            #expect(cache.size == 0)
        }
    }
}

extension TemporaryFolder {
    /// The cache's own folder within this one.
    fileprivate var own: URL { url.appendingPathComponent("catena-responses") }

    fileprivate var answers: [String] { (try? FileManager.default.contentsOfDirectory(atPath: own.path)) ?? [] }
}
