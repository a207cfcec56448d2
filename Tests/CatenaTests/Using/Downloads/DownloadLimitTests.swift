import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("The limits of downloads, and their suggested names", .limitedParallelism)
struct DownloadLimitTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func client(_ headers: HTTPHeaders, _ size: Int) -> Client {
        Client(
            transport: ClosureTransport { _ in
                TransportResponse(status: 200, headers: headers, body: TransportBody(Data(count: size)))
            })
    }

    @Test(
        "a download that exceeds the limit of the call or of its tag fails",
        arguments: [(100, nil, nil, true), (101, 100, nil, false), (100, 100, nil, true), (101, nil, 100, false), (101, 200, 100, true)]
            as [(Int, Int64?, Int64?, Bool)])
    func limit(size: Int, own: Int64?, ofTag: Int64?, isFine: Bool) async throws {
        let client = client([:], size)
        client.configureDefaults {
            $0.host = "https://forum.test"
            $0.downloadLimit = ofTag
        }
        do {
            let download = try await client.get("/a").execute(.download(to: folder.file("a"), limit: own)).value
            #expect(isFine && download.byteCount == Int64(size))
        } catch let error as APIError {
            #expect(!isFine)
            #expect(error.kind == .bodyTooLarge)
            #expect(error.message.contains("downloadLimit"))
            #expect(folder.names == [])
        }
    }

    @Test(
        "a compressed download may unpack to 50 MiB plus 100 times its length, and any other has no limit",
        arguments: [
            (["Content-Encoding": "gzip"], 50 << 20, true), (["Content-Encoding": "gzip"], 50 << 20 + 1, false),
            (["Content-Encoding": "gzip", "Content-Length": "10000"], 50 << 20 + 1_000_000, true),
            (["Content-Encoding": "gzip", "Content-Length": "10000"], 50 << 20 + 1_000_001, false), ([:], 50 << 20 + 1, true),
            (["Content-Encoding": "gzip", "Content-Length": "9223372036854775807"], 100, true),
        ] as [(HTTPHeaders, Int, Bool)])
    func compressed(headers: HTTPHeaders, size: Int, isFine: Bool) async throws {
        let result = await client(headers, size).host("https://forum.test").get("/a").execute(.download(to: folder.file("a"))).result
        #expect(((try? result.get()) != nil) == isFine)
        #expect(folder.names == (isFine ? ["a"] : []))
    }

    @Test("the server's file name becomes a single name that is harmless on every system, or none")
    static func namesRows() {
        each(
            [
                ("attachment; filename=report.pdf", "report.pdf"), (#"attachment; filename="my report.pdf""#, "my report.pdf"),
                (#"attachment; filename="a\"b.pdf""#, "a_b.pdf"), ("inline; FileName=a.txt", "a.txt"), ("attachment", nil),
                ("attachment; filename*=UTF-8''%e2%82%ac%20rates.txt; filename=x", "€ rates.txt"),
                ("attachment; filename=x; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
                ("attachment; filename=x; filename*=UTF-8''%ff", "x"), ("attachment; filename=x; filename*=utf-7''a", "x"),
                (#"attachment; filename="../../etc/passwd""#, "passwd"), (#"attachment; filename="..\\..\\a.exe""#, "a.exe"),
                ("attachment; filename*=UTF-8''..%2f..%2fa", "a"), (#"attachment; filename="/""#, nil),
                (#"attachment; filename="..""#, nil),
                (#"attachment; filename=".bashrc""#, "bashrc"), (#"attachment; filename="a.""#, "a"),
                (#"attachment; filename="CON.txt""#, "_CON.txt"),
                (#"attachment; filename="com1""#, "_com1"), ("attachment; filename*=UTF-8''COM%C2%B9.a", "_COM¹.a"),
                (#"attachment; filename="a:b.txt""#, "a_b.txt"), ("attachment; filename*=UTF-8''a%00%0a%e2%80%aeb", "ab"),
                (#"attachment; filename="a;b.txt""#, "a;b.txt"), (#"attachment; x="filename=b"; filename=c"#, "c"),
            ] as [(String, String?)]
        ) { try Self().names(disposition: $0, name: $1) }
    }

    func names(disposition: String, name: String?) {
        #expect(SuggestedFileName.name(in: ["Content-Disposition": disposition]) == name)
    }

    @Test("a suggested name is shortened to what file systems allow, and keeps its extension")
    func longName() throws {
        let long = String(repeating: "é", count: 300) + ".pdf"
        let name = try #require(SuggestedFileName.cleaned(long))
        #expect(name.utf8.count <= 200 && name.hasSuffix("é.pdf"))
    }

    @Test("a hostile file name never leads out of the folder")
    static func hostileRows() {
        each(HostileValue.all) { try Self().hostile($0) }
    }

    func hostile(_ value: HostileValue) throws {
        guard let name = SuggestedFileName.cleaned(value.value) else { return }
        #expect(!name.contains("/") && !name.contains("\\") && !name.hasPrefix(".") && !HostileValue.steers(name) && name.utf8.count <= 255)
        #expect(folder.url.appending(path: name).deletingLastPathComponent().path() == folder.url.path())
    }

    @Test("a download reports the suggested name, and is written to the path of the call")
    func download() async throws {
        let client = client(["Content-Disposition": "attachment; filename=../b.txt"], 3)
        let download = try await client.host("https://forum.test").get("/a").execute(.download(to: folder.file("a"))).value
        #expect(download.suggestedName == "b.txt")
        #expect(folder.names == ["a"])
    }
}
