import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct DownloadResumeTests {
    let folder: ScratchFolder
    let target: URL

    init() throws {
        folder = try ScratchFolder()
        target = folder.file("a")
    }

    static let content = Data((0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    static let hidden = [".a.part", ".a.part.json"]

    /// Returns a request of a new client, which represents another process because it shares only the disk.
    func request(_ server: FileServer) -> Request {
        Client().host(server.url).get("/file")
    }

    func file() throws -> Data { try Data(contentsOf: target) }

    func interrupted(_ server: FileServer, sha256: String? = nil) async {
        let error = await #expect(throws: APIError.self) { try await request(server).execute(.download(to: target, sha256: sha256)).value }
        #expect(error?.kind == .connectionLost)
    }

    @Test("a download that is cut at any byte resumes to an identical file", arguments: [false, true])
    func everyCut(isChunked: Bool) async throws {
        let content = Self.content.prefix(80)
        let digest = Hexadecimal.text(SHA256.digest(of: content))
        for cut in 0...content.count {
            // A body of known length is complete at its last byte. Only a chunked body can be cut there.
            if cut == content.count, !isChunked { continue }
            let server = try FileServer(content) {
                $0.cuts = [cut]
                $0.isChunked = isChunked
            }
            await interrupted(server, sha256: digest)
            #expect(folder.names == (cut == 0 ? [] : Self.hidden), "cut after \(cut)")
            let download = try await request(server).execute(.download(to: target, sha256: digest)).value
            #expect(try file() == content, "cut after \(cut)")
            #expect(download.resumedFrom == Int64(cut))
            #expect(download.byteCount == 80)
            #expect(server.ranges == ["", cut == 0 ? "" : "bytes=\(cut)-"])
            #expect(folder.names == ["a"])
            try FileManager.default.removeItem(at: target)
        }
    }

    @Test("the bytes of an earlier download are verified, also if none are missing", arguments: [100, 300], [true, false])
    func earlierBytes(cut: Int, isRight: Bool) async throws {
        let server = try FileServer(Self.content) {
            $0.cuts = [cut]
            $0.isChunked = true
        }
        await interrupted(server)
        let digest = Hexadecimal.text(SHA256.digest(of: isRight ? Self.content : Data(Self.content.reversed())))
        let download: Promise<Download> = request(server).execute(.download(to: target, sha256: digest))
        if isRight {
            let resumedFrom = try await download.value.resumedFrom
            #expect(resumedFrom == Int64(cut))
        } else {
            let error = await #expect(throws: APIError.self) { try await download.value }
            #expect(error?.kind == .checksum)
            #expect(folder.names == [])
        }
        #expect(server.ranges == ["", "bytes=\(cut)-"])
    }

    @Test("a file over its limit is refused, also if an earlier download has received all of it", arguments: [100, 300])
    func earlierBytes(cut: Int) async throws {
        let server = try FileServer(Self.content) {
            $0.cuts = [cut]
            $0.isChunked = true
        }
        await interrupted(server)
        let error = await #expect(throws: APIError.self) { try await request(server).execute(.download(to: target, limit: 299)).value }
        #expect(error?.kind == .bodyTooLarge)
        #expect(folder.names == [])
    }

    @Test("only their owner may read the files of an interrupted download, which contain neither the address nor its digest")
    func permissions() async throws {
        for _ in 0..<2 {
            let server = try FileServer(Self.content) { $0.cuts = [50] }
            await interrupted(server)
            for name in Self.hidden {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name).path())
                #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0, "\(name)")
            }
            let record = try String(contentsOf: folder.file(".a.part.json"), encoding: .utf8)
            let digest = Hexadecimal.text(SHA256.digest(of: "\(server.url)/file".utf8))
            #expect(!record.contains(digest) && !record.contains("/file"))
            for name in Self.hidden { try FileManager.default.removeItem(at: folder.file(name)) }
        }
    }

    @Test("a finished download has the permissions of any new file of the process", arguments: [false, true])
    func finishedPermissions(isResumed: Bool) async throws {
        let server = try FileServer(Self.content) { $0.cuts = isResumed ? [50] : [] }
        if isResumed { await interrupted(server) }
        _ = try await request(server).execute(.download(to: target)).value
        let other = folder.file("other")
        let descriptor = open(other.path(), O_WRONLY | O_CREAT | O_EXCL, 0o666)
        try #require(descriptor >= 0)
        close(descriptor)
        let permissions = try [target, other].map { try FileManager.default.attributesOfItem(atPath: $0.path())[.posixPermissions] as? Int }
        #expect(permissions[0] != nil && permissions[0] == permissions[1])
    }

    @Test("a download never writes through a hard link in the place of its part file", arguments: [false, true])
    func link(isWithRecord: Bool) async throws {
        let other = folder.file("other")
        try Data("theirs".utf8).write(to: other)
        let server = try FileServer(Self.content) { $0.cuts = isWithRecord ? [50] : [] }
        if isWithRecord {
            await interrupted(server)
            try FileManager.default.removeItem(at: folder.file(".a.part"))
        }
        try FileManager.default.linkItem(at: other, to: folder.file(".a.part"))
        _ = try await request(server).execute(.download(to: target)).value
        #expect(try file() == Self.content)
        #expect(try Data(contentsOf: other) == Data("theirs".utf8))
        #expect(folder.names == ["a", "other"])
    }

    @Test(
        "a partial response with status 200 does not replace the file, which is fetched anew",
        arguments: [
            StubReply.body(Self.content.suffix(200)).header("ETag", "\"1\"").header("Content-Range", "bytes 100-299/300"),
            StubReply.body(Self.content.suffix(200)).header("ETag", "\"1\""),
            StubReply.body(Self.content.suffix(200)).header("Content-Range", "bytes 100-299/300"),
        ])
    func tail(_ response: StubReply) async throws {
        let server = try FileServer(Self.content) { $0.cuts = [100] }
        await interrupted(server)
        server.change { $0.override = { $0.headers["Range"] == nil ? nil : response } }
        let download = try await request(server).execute(.download(to: target)).value
        #expect(try file() == Self.content)
        #expect(download.resumedFrom == 0)
        #expect(server.ranges == ["", "bytes=100-", ""])
    }

    @Test(
        "a partial response with status 200 does not replace the file, whatever identifies its version",
        arguments: [
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], false), (["ETag": "\"1\""], true),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], true),
            (["ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], true),
        ] as [(HTTPHeaders, Bool)])
    func tail(of version: HTTPHeaders, isChunked: Bool) async throws {
        let server = try FileServer(Self.content) {
            $0.cuts = [100]
            $0.headers = version
            $0.headers["Date"] = "Mon, 07 Nov 1994 08:49:37 GMT"
        }
        await interrupted(server)
        server.change { settings in
            settings.override = { request in
                guard request.headers["Range"] != nil else { return nil }
                let part = Self.content.suffix(200)
                return version.fields.reduce(isChunked ? .chunked([part]) : .body(part)) { $0.header($1.name, $1.value) }
            }
        }
        _ = try await request(server).execute(.download(to: target)).value
        #expect(try file() == Self.content)
        #expect(server.ranges == ["", "bytes=100-", ""])
    }

    @Test("after a 412 to the request for the rest the download begins anew")
    func precondition() async throws {
        let server = try FileServer(Self.content) { $0.cuts = [100] }
        await interrupted(server)
        server.change { $0.override = { $0.headers["Range"] == nil ? nil : .status(412) } }
        _ = try await request(server).execute(.download(to: target)).value
        #expect(try file() == Self.content)
        #expect(server.ranges == ["", "bytes=100-", ""])
    }

    @Test("a released part file can be locked at once, although a program that is being started holds a copy of its descriptor")
    func startedProgram() throws {
        let path = folder.file("a.part").path
        let descriptor = try #require(try FileSystem.openLocked(path, making: true))
        let copy = dup(descriptor)
        defer { FileSystem.close(copy) }
        #expect(try FileSystem.openLocked(path, making: false) == nil)
        FileSystem.close(descriptor)
        let again = try #require(try FileSystem.openLocked(path, making: false))
        FileSystem.close(again)
    }

    @Test("a retry continues the download where the last attempt ended") func withinACall() async throws {
        let server = try FileServer(Self.content) { $0.cuts = [50, 120, 120, 290] }
        let download = try await request(server).retry(.exponential(limit: 4, baseDelay: .zero)).execute(.download(to: target)).value
        #expect(try file() == Self.content)
        #expect(server.ranges == ["", "bytes=50-", "bytes=120-", "bytes=120-", "bytes=290-"])
        #expect(download.status == 206)
        #expect(folder.names == ["a"])
    }

    @Test("a cancelled download can be resumed") func cancelled() async throws {
        let server = try FileServer(Self.content) {
            $0.override = { request in
                request.headers["Range"] == nil ? StubReply.body(Self.content).header("ETag", "\"1\"").stalled(after: 100) : nil
            }
        }
        let started = Promise<Void>.pending()
        let download: Promise<Download> = request(server).onProgress { _ in started.resolver.fulfill(()) }.execute(.download(to: target))
        _ = await started.promise.result
        try await folder.waits { $0.size(".a.part") >= 100 }
        download.cancel()
        await #expect(throws: CancellationError.self) { try await download.value }
        await server.server.connectionsClosed(1)
        #expect(try await resumed(server) == 100)
        #expect(try file() == Self.content)
    }

    /// Downloads again and returns the resumed position.
    func resumed(_ server: FileServer) async throws -> Int64 {
        try await request(server).execute(.download(to: target)).value.resumedFrom
    }

    @Test("a file that has changed by its ETag or its date is fetched anew", arguments: [true, false])
    func changed(byTag: Bool) async throws {
        func headers(_ version: Int) -> HTTPHeaders {
            byTag
                ? ["ETag": "\"\(version)\""]
                : ["Last-Modified": "Sun, 06 Nov 1994 08:0\(version):00 GMT", "Date": "Sun, 06 Nov 1995 08:49:37 GMT"]
        }
        let server = try FileServer(Self.content) {
            $0.cuts = [100]
            $0.headers = headers(1)
        }
        await interrupted(server)
        server.change {
            $0.content = Data("other".utf8)
            $0.headers = headers(2)
        }
        let download = try await request(server).execute(.download(to: target)).value
        #expect(server.server.requests.last?.headers["If-Range"] == headers(1).fields.first?.value)
        #expect(download.resumedFrom == 0)
        #expect(try file() == Data("other".utf8))
    }

    @Test("a download with only a Last-Modified date can be resumed") func date() async throws {
        let server = try FileServer(Self.content) {
            $0.cuts = [100]
            $0.headers = ["Last-Modified": "Sun, 06 Nov 1994 08:00:00 GMT", "Date": "Sun, 06 Nov 1995 08:49:37 GMT"]
        }
        await interrupted(server)
        #expect(try await request(server).execute(.download(to: target)).value.resumedFrom == 100)
        #expect(try file() == Self.content)
    }

    @Test(
        "a part file that cannot be resumed is removed",
        arguments: [[:], ["ETag": "W/\"1\""], ["ETag": "\"1\"", "Accept-Ranges": "none"]] as [HTTPHeaders])
    func weak(headers: HTTPHeaders) async throws {
        let server = try FileServer(Self.content) {
            $0.cuts = [100]
            $0.headers = headers
        }
        await interrupted(server)
        #expect(folder.names.isEmpty)
        #expect(try await request(server).execute(.download(to: target)).value.resumedFrom == 0)
        #expect(server.ranges == ["", ""])
    }

    @Test("a download with resumes: false uses no earlier part file and leaves none") func unwanted() async throws {
        let server = try FileServer(Self.content) { $0.cuts = [100, 200] }
        await interrupted(server)
        await #expect(throws: APIError.self) { try await request(server).execute(.download(to: target, resumes: false)).value }
        #expect(server.ranges == ["", ""])
        #expect(folder.names.isEmpty)
    }

    @Test("a server without ranges sends the file anew") func noRanges() async throws {
        let server = try FileServer(Self.content) { $0.cuts = [100] }
        await interrupted(server)
        server.change { $0.hasRanges = false }
        let download = try await request(server).execute(.download(to: target)).value
        #expect(download.status == 200)
        #expect(download.resumedFrom == 0)
        #expect(try file() == Self.content)
    }

    @Test("a download requests the rest again if the server sends only a part of it") func smallRanges() async throws {
        let server = try FileServer(Self.content) {
            $0.cuts = [100]
            $0.most = 70
        }
        await interrupted(server)
        _ = try await request(server).execute(.download(to: target)).value
        #expect(server.ranges == ["", "bytes=100-", "bytes=170-", "bytes=240-"])
        #expect(try file() == Self.content)
    }

    @Test(
        "a response that does not match the part file is not appended to it",
        arguments: [
            StubReply.body(content, status: 206).header("Content-Range", "bytes 0-299/300"),
            StubReply.body(content, status: 206), StubReply.status(416),
            StubReply.status(416).header("Content-Range", "bytes */7"),
        ])
    func misfit(answer: StubReply) async throws {
        let server = try FileServer(Self.content) { $0.cuts = [100] }
        await interrupted(server)
        server.change { $0.override = { $0.headers["Range"] == nil ? nil : answer } }
        let download = try await request(server).execute(.download(to: target)).value
        #expect(server.ranges == ["", "bytes=100-", ""])
        #expect(download.resumedFrom == 0)
        #expect(try file() == Self.content)
    }

    @Test("another request does not resume the part file, but other common params do not prevent it")
    func identity() async throws {
        let server = try FileServer(Self.content) { $0.cuts = [100, 200] }
        await interrupted(server)
        await #expect(throws: APIError.self) { try await request(server).params(["version": 2]).execute(.download(to: target)).value }
        #expect(server.ranges == ["", ""])
        let client = Client()
        client.commonParams { _ in ["time": "\(UUID())"] }
        let again = client.host(server.url).get("/file").params(["version": 2])
        #expect(try await again.execute(.download(to: target)).value.resumedFrom == 200)
    }

    @Test(
        "another user does not resume a part file, and a session without a known user leaves none",
        arguments: [(true, "A", 100), (true, "B", 0), (false, "A", 0)] as [(Bool, String, Int64)])
    func user(isKnown: Bool, second: String, resumedFrom: Int64) async throws {
        let server = try FileServer(Self.content) { $0.cuts = [100] }
        let client = Client()
        func request(_ name: String) -> Request {
            client.configureDefaults { defaults in
                defaults.host = server.url
                defaults.authentication = Authentication(PersonScheme(isKnown: isKnown), store: MemoryCredentialStore(Person(name: name)))
            }
            return client.get("/file")
        }
        await #expect(throws: APIError.self) { try await request("A").execute(.download(to: target)).value }
        #expect(folder.names == (isKnown ? Self.hidden : []))
        #expect(try await request(second).execute(.download(to: target)).value.resumedFrom == resumedFrom)
        #expect(try file() == Self.content)
    }

    @Test("a retry of a download is not sent if another user has signed in meanwhile")
    func userOfAttempts() async throws {
        let authentication = Authentication(PersonScheme(), store: MemoryCredentialStore(Person(name: "A")))
        let server = try FileServer(Self.content) { settings in
            settings.cuts = [100]
            settings.override = { request in
                if request.headers["Range"] == nil { try? authentication.signIn(Person(name: "B")) }
                return nil
            }
        }
        let client = Client()
        client.configureDefaults { $0.authentication = authentication }
        let request = client.host(server.url).get("/file").authenticated().retry(.exponential(limit: 2, baseDelay: .zero))
        let error = await #expect(throws: APIError.self) { try await request.execute(.download(to: target)).value }
        #expect(error?.kind == .missingCredential)
        #expect(server.server.requests.map { $0.headers["Authorization"] } == ["A0"])
    }

    @Test("a part file is never taken for the whole file, whatever a 416 says", arguments: ["bytes */100", "bytes */300"])
    func half(range: String) async throws {
        let server = try FileServer(Self.content) { $0.cuts = [100] }
        await interrupted(server)
        server.change { $0.override = { $0.headers["Range"] == nil ? nil : .status(416).header("Content-Range", range) } }
        #expect(try await request(server).execute(.download(to: target)).value.resumedFrom == 0)
        #expect(try file() == Self.content)
    }

    @Test("the rest of another version of the file is not appended")
    func otherVersion() async throws {
        let server = try FileServer(Self.content) { settings in
            settings.cuts = [100]
            settings.headers = ["ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
        }
        await interrupted(server)
        let other = Data(Self.content.reversed())
        server.change { settings in
            settings.content = other
            settings.headers = ["Last-Modified": "Mon, 07 Nov 1994 08:49:37 GMT"]
            settings.override = { request in
                guard request.headers["Range"] != nil else { return nil }
                return .body(Data(other.dropFirst(100)), status: 206).header("Content-Range", "bytes 100-299/300")
                    .header("Last-Modified", "Mon, 07 Nov 1994 08:49:37 GMT")
            }
        }
        _ = try await request(server).execute(.download(to: target)).value
        #expect(try file() == other)
    }

    @Test(
        "a part file with an unreadable record is not resumed", arguments: ["", "{}", "no JSON", #"{"identity":"x","validator":"a\r\nb"}"#])
    func spoiltRecord(text: String) async throws {
        let server = try FileServer(Self.content) { $0.cuts = [100] }
        await interrupted(server)
        try Data(text.utf8).write(to: folder.file(".a.part.json"))
        #expect(try await request(server).execute(.download(to: target)).value.resumedFrom == 0)
        #expect(try file() == Self.content)
        #expect(folder.names == ["a"])
    }

    @Test("a download accepts no compression, so that its ranges refer to the file itself") func identityCoding() async throws {
        let server = try FileServer(Self.content)
        _ = try await request(server).execute(.download(to: target)).value
        #expect(server.server.requests.map { $0.headers["Accept-Encoding"] } == ["identity"])
    }

    @Test("a download that its deadline has ended can be resumed") func deadline() async throws {
        let clock = VirtualClock()
        let client = Client(
            transport: ClosureTransport { request in
                guard request.headers["Range"] == nil else {
                    return .text("56789", status: 206, headers: ["Content-Range": "bytes 5-9/10"])
                }
                let body = AsyncStream<Data> { $0.yield(Data("01234".utf8)) }
                return TransportResponse(status: 200, headers: ["ETag": "\"1\"", "Content-Length": "10"], body: TransportBody(body))
            }, clock: clock)
        let request = client.host("https://example.com").get("/file")
        let download: Promise<Download> = request.deadline(.seconds(9)).execute(.download(to: target))
        try await folder.waits { $0.size(".a.part") >= 5 }
        clock.advance(by: .seconds(9))
        let error = await #expect(throws: APIError.self) { try await download.value }
        #expect(error?.kind == .timeout)
        #expect(try await request.execute(.download(to: target)).value.resumedFrom == 5)
        #expect(try file() == Data("0123456789".utf8))
    }
}
