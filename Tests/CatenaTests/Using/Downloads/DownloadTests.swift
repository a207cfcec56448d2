import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct DownloadTests {
    let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    /// The SHA-256 digest of "0123456789".
    static let digest = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"

    static func client(_ answer: @escaping @Sendable (HTTPRequest) async throws -> TransportResponse) -> Client {
        let client = Client(transport: ClosureTransport(answer))
        client.defaultHost = "https://example.com"
        return client
    }

    func text(_ name: String) throws -> String { try String(contentsOf: folder.file(name), encoding: .utf8) }

    @Test("a download creates its file and its folders, and leaves no other file") func plain() async throws {
        let client = Self.client { _ in .pieces(["01234", "56789"], headers: ["X-A": "1"]) }
        let target = folder.file("new/folders/report.txt")
        let download = try await client.get("/a").execute(.download(to: target)).value
        #expect(download.url == target)
        #expect(download.status == 200)
        #expect(download.headers["X-A"] == "1")
        #expect(download.byteCount == 10)
        #expect(download.resumedFrom == 0)
        #expect(try text("new/folders/report.txt") == "0123456789")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("new/folders").path()) == ["report.txt"])
    }

    @Test("an empty response is an empty file") func empty() async throws {
        let client = Self.client { _ in .status(200) }
        #expect(try await client.get("/a").execute(.download(to: folder.file("a"))).value.byteCount == 0)
        #expect(try text("a") == "")
    }

    @Test(
        "a download accepts file names with spaces, symbols, other scripts and the greatest length",
        arguments: ["a b%20c?.txt", "报告 📄.txt", ".hidden", "a.tar.gz", String(repeating: "x", count: 255)])
    func names(name: String) async throws {
        let client = Self.client { _ in .text("x", headers: ["ETag": "\"1\""]) }
        let download = try await client.get("/a").execute(.download(to: folder.file(name))).value
        #expect(download.url.lastPathComponent == name)
        #expect(folder.names == [name])
    }

    // MARK: Existing files

    @Test("a download onto a link fails before anything is sent, and the error names the reason") func linkedTarget() async throws {
        try Data("theirs".utf8).write(to: folder.file("other"))
        try FileManager.default.createSymbolicLink(at: folder.file("a"), withDestinationURL: folder.file("other"))
        let sent = Counter()
        let client = Self.client { _ in
            sent.increment()
            return .text("new")
        }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.download(to: folder.file("a"))).value }
        #expect(error?.kind == .file)
        #expect(error?.message.contains("It is a link") == true)
        #expect(sent.count == 0)
        #expect(try text("other") == "theirs")
    }

    @Test("an existing file is replaced only when the download is complete") func replacing() async throws {
        try Data("old".utf8).write(to: folder.file("a"))
        let (body, source) = AsyncStream<Data>.makeStream()
        let client = Self.client { _ in TransportResponse(status: 200, body: TransportBody(body)) }
        let download: Promise<Download> = client.get("/a").execute(.download(to: folder.file("a")))
        source.yield(Data("new".utf8))
        #expect(try await folder.contains(only: [".a.part", "a"]))
        #expect(try text("a") == "old")
        source.finish()
        _ = try await download.value
        #expect(try text("a") == "new")
        #expect(folder.names == ["a"])
    }

    @Test("with ifExists: .fail an existing file fails the download before anything is sent") func failing() async throws {
        try Data("old".utf8).write(to: folder.file("a"))
        let sent = Counter()
        let client = Self.client { _ in
            sent.increment()
            return .text("new")
        }
        let error = await #expect(throws: APIError.self) {
            try await client.get("/a").execute(.download(to: folder.file("a"), ifExists: .fail)).value
        }
        #expect(error?.kind == .file)
        #expect((error?.underlying as? POSIXError)?.code == .EEXIST)
        #expect(sent.count == 0)
        #expect(try text("a") == "old")
    }

    @Test("with ifExists: .fail a file that appears during the download is not replaced") func failingLate() async throws {
        let target = folder.file("a")
        let client = Self.client { _ in
            try Data("old".utf8).write(to: target)
            return .text("new", headers: ["ETag": "\"1\""])
        }
        let error = await #expect(throws: APIError.self) {
            try await client.get("/a").execute(.download(to: target, ifExists: .fail)).value
        }
        #expect((error?.underlying as? POSIXError)?.code == .EEXIST)
        #expect(try text("a") == "old")
        #expect(try await folder.contains(only: ["a"]))
    }

    @Test(
        "with ifExists: .keepBoth each download gets its own name", arguments: [("a.tar.gz", "a.tar 2.gz"), ("a", "a 2"), (".a", ".a 2")])
    func keepingBoth(name: String, second: String) async throws {
        let client = Self.client { _ in .text("x") }
        let names = try await [1, 2, 3].asyncMap { _ in
            try await client.get("/a").execute(.download(to: folder.file(name), ifExists: .keepBoth)).value.url.lastPathComponent
        }
        #expect(names.prefix(2) == [name, second])
        #expect(Set(folder.names) == Set(names) && names.count == 3)
    }

    @Test("a download whose part file has disappeared leaves nothing in the reserved place", arguments: [ExistingFile.fail, .keepBoth])
    func lostPart(existing: ExistingFile) async throws {
        let client = Self.client { [folder] _ in
            let pieces = Counter()
            let body = AsyncThrowingStream<Data, any Error> {
                pieces.increment()
                guard pieces.count == 3 else { return pieces.count < 3 ? Data("x".utf8) : nil }
                // The part file is certainly open once it has bytes.
                try await folder.waits { $0.size(".a.part") > 0 }
                for name in folder.names { try FileManager.default.removeItem(at: folder.file(name)) }
                return Data("y".utf8)
            }
            return TransportResponse(status: 200, body: TransportBody(body))
        }
        let error = await #expect(throws: APIError.self) {
            try await client.get("/a").execute(.download(to: folder.file("a"), ifExists: existing)).value
        }
        #expect(error?.kind == .file)
        #expect(folder.names == [])
    }

    @Test("simultaneous downloads to one place do not mix their bytes") func concurrently() async throws {
        let client = Self.client { request in .pieces((0..<100).map { _ in request.address.path.last.map(String.init) ?? "" }) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask { _ = try await client.get("/\(number)").execute(.download(to: folder.file("a"), ifExists: .keepBoth)).value }
            }
            try await group.waitForAll()
        }
        #expect(folder.names.count == 10)
        for name in folder.names { #expect(try Set(text(name)).count == 1 && text(name).count == 100) }
    }

    // MARK: Checksum

    @Test("a download with the right checksum succeeds, whatever the case of its digits", arguments: [digest, digest.uppercased()])
    func checksum(digest: String) async throws {
        let client = Self.client { _ in .pieces(["01234", "56789"]) }
        _ = try await client.get("/a").execute(.download(to: folder.file("a"), sha256: digest)).value
        #expect(try text("a") == "0123456789")
    }

    @Test("a download with a wrong checksum fails and removes its file") func wrongChecksum() async throws {
        let client = Self.client { _ in .pieces(["012345678"], headers: ["ETag": "\"1\""]) }
        let error = await #expect(throws: APIError.self) {
            try await client.get("/a").execute(.download(to: folder.file("a"), sha256: Self.digest)).value
        }
        #expect(error?.kind == .checksum)
        #expect(error?.message.contains(Self.digest) == true)
        #expect(try await folder.contains(only: []))
    }

    @Test(
        "text that is no checksum is refused before anything is sent", arguments: ["", "12", digest + "0", String(digest.dropLast()) + "g"])
    func malformedChecksum(digest: String) async throws {
        let sent = Counter()
        let client = Self.client { _ in
            sent.increment()
            return .text("new")
        }
        let error = await #expect(throws: APIError.self) {
            try await client.get("/a").execute(.download(to: folder.file("a"), sha256: digest)).value
        }
        #expect(error?.kind == .invalidRequest)
        #expect(sent.count == 0)
    }

    // MARK: Failures

    @Test("a download with an error status throws the error of the envelope and writes no file") func errorStatus() async throws {
        let client = Self.client { _ in .json(#"{"code": 7, "msg": "gone"}"#, status: 404) }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.download(to: folder.file("new/a"))).value }
        #expect(error?.code == 7)
        #expect(error?.message == "gone")
        #expect(folder.names.isEmpty)
    }

    @Test("a target that is a folder or no file address is refused before anything is sent")
    func badTargets() async throws {
        try FileManager.default.createDirectory(at: folder.file("folder"), withIntermediateDirectories: true)
        let sent = Counter()
        let client = Self.client { _ in
            sent.increment()
            return .text("new")
        }
        let targets: [(URL, APIError.Kind)] = [
            (folder.file("folder"), .file), (folder.url, .invalidRequest), (URL(filePath: "/"), .invalidRequest),
            (folder.url.appending(path: "x", directoryHint: .isDirectory), .invalidRequest),
        ]
        for (target, kind) in targets + [(try #require(URL(string: "https://example.com/a")), .invalidRequest)] {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.download(to: target)).value }
            #expect(error?.kind == kind, "\(target)")
        }
        #expect(sent.count == 0)
    }

    @Test("a download into a folder that cannot be created or written to fails with a file error") func unwritable() async throws {
        try Data("a file".utf8).write(to: folder.file("a"))
        let client = Self.client { _ in .text("new") }
        for target in [folder.file("a/b"), URL(filePath: "/proc/catena/b"), URL(filePath: "/proc/b")] {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.download(to: target)).value }
            #expect(error?.kind == .file, "\(target)")
            #expect(error?.underlying != nil)
        }
        #expect(folder.names == ["a"])
    }

    #if os(Linux)
    @Test("a full disk is a file error") func fullDisk() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { FileSystem.close(descriptor) }
        let error = #expect(throws: APIError.self) { try FileSystem.write(Data("a".utf8), to: descriptor, at: 0) }
        #expect(error?.kind == .file)
        #expect((error?.underlying as? POSIXError)?.code == .ENOSPC)
    }
    #endif

    #if os(Linux)
    @Test("bytes after an unfinished write follow those before it") func unfinishedWrite() async {
        // In a process of its own, because the limit applies to all its files.
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let folder = try ScratchFolder()
            let descriptor = open(folder.file("a").path(), O_RDWR | O_CREAT, 0o600)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let usual = limit.rlim_cur
            try FileSystem.write(Data(repeating: 1, count: 100), to: descriptor, at: 0)
            limit.rlim_cur = 150
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(throws: APIError.self) { try FileSystem.write(Data(repeating: 2, count: 100), to: descriptor, at: 100) }
            limit.rlim_cur = usual
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try FileSystem.write(Data(repeating: 3, count: 100), to: descriptor, at: 100)
            try #require(try Data(contentsOf: folder.file("a")) == Data(repeating: 1, count: 100) + Data(repeating: 3, count: 100))
        }
    }
    #endif

    @Test("a symbolic link in the place of the part file is not followed") func link() async throws {
        try Data("precious".utf8).write(to: folder.file("victim"))
        try FileManager.default.createSymbolicLink(at: folder.file(".a.part"), withDestinationURL: folder.file("victim"))
        let client = Self.client { _ in .text("new") }
        // The download uses a part file with a name of its own.
        _ = try await client.get("/a").execute(.download(to: folder.file("a"))).value
        #expect(try text("a") == "new")
        #expect(try text("victim") == "precious")
    }

    @Test("a partial response fails a download that requested no range") func unaskedPart() async throws {
        let client = Self.client { _ in .text("new", status: 206, headers: ["Content-Range": "bytes 0-2/10"]) }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.download(to: folder.file("a"))).value }
        #expect(error?.kind == .protocolViolation)
        #expect(try await folder.contains(only: []))
        let download = try await client.get("/a").header("Range", "bytes=0-2").execute(.download(to: folder.file("a"))).value
        #expect(download.byteCount == 3)
    }

    @Test(
        "a body that is shorter or longer than announced fails the download",
        arguments: [("123", APIError.Kind.connectionLost), ("12345", .protocolViolation)])
    func wrongLength(body: String, kind: APIError.Kind) async throws {
        let client = Self.client { _ in .pieces([body], headers: ["Content-Length": "4"]) }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.download(to: folder.file("a"))).value }
        #expect(error?.kind == kind)
        #expect(try await folder.contains(only: []))
    }

    // MARK: Progress

    @Test("the progress of a download reaches 1 when the file is in its place") @MainActor func progress() async throws {
        let client = Self.client { _ in .pieces(["01234", "56789"], headers: ["Content-Length": "10"]) }
        let told = Recorder<(Double?, Bool)>()
        let target = folder.file("a")
        _ = try await client.get("/a").onProgress { told.note(($0.fraction, FileManager.default.fileExists(atPath: target.path()))) }
            .execute(.download(to: target)).then { _ in }.value
        #expect(told.events.first?.0 == 0)
        #expect(told.events.last?.0 == 1)
        #expect(told.events.last?.1 == true)
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
