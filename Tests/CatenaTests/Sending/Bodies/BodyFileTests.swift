import Foundation
import Testing

@testable import Catena

@Suite("Bodies as files", .limitedParallelism)
struct BodyFileTests {
    @Test("a body that is a whole file uses this file and leaves it in place")
    func whole() async throws {
        let file = try ScratchFile("text")
        var body: BodyFile? = try await BodyFile.make(of: BodySource(file: file.url))
        #expect(body?.url.path == file.url.path)
        body = nil
        #expect(FileManager.default.fileExists(atPath: file.url.path))
    }

    @Test("any other body is written to a temporary file that no other user may read and that is removed with the body")
    func temporary() async throws {
        let file = try ScratchFile(.pattern(1_000_000))
        let source = BodySource(joining: [BodySource(Data("a".utf8)), try BodySource(file: file.url, range: 0..<999_999)])
        var body: BodyFile? = try await BodyFile.make(of: source)
        let path = try #require(body?.url.path)
        #expect(FileManager.default.contents(atPath: path) == Data("a".utf8) + Data.pattern(999_999))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        body = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
