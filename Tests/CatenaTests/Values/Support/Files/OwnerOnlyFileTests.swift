import Foundation
import Testing

@testable import Catena

/// A folder that is deleted after the test.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("catena-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }

    static func permissions(of url: URL) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
    }
}

@Suite("Files for their owner only", .limitedParallelism)
struct OwnerOnlyFileTests {
    @Test("folder and file are readable by their owner only, and no temporary file remains", arguments: [true, false])
    func permissions(isDurable: Bool) throws {
        let folder = TemporaryFolder()
        try OwnerOnlyFile.makeFolder(folder.url)
        let file = folder.url.appendingPathComponent("f")
        try OwnerOnlyFile.write(Data("one".utf8), to: file, isDurable: isDurable)
        try OwnerOnlyFile.write(Data(count: 100_000), to: file, isDurable: isDurable)
        #expect(try Data(contentsOf: file) == Data(count: 100_000))
        #expect(TemporaryFolder.permissions(of: folder.url) == 0o700)
        #expect(TemporaryFolder.permissions(of: file) == 0o600)
        #expect(folder.names == ["f"])
    }

    @Test("an existing folder keeps its permissions, and a folder that others can write to is refused")
    func openFolder() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try OwnerOnlyFile.makeFolder(folder.url)
        #expect(TemporaryFolder.permissions(of: folder.url) == 0o755)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        let error = #expect(throws: FileError.self) { try OwnerOnlyFile.makeFolder(folder.url) }
        #expect(error?.description.hasPrefix("Cannot use \(folder.url.path): ") == true)
    }

    @Test("a failed write throws an error with path and reason, and leaves no temporary file")
    func failures() throws {
        let folder = TemporaryFolder()
        let missing = #expect(throws: FileError.self) {
            try OwnerOnlyFile.write(Data(), to: folder.url.appendingPathComponent("f"), isDurable: false)
        }
        #expect(missing?.code == ENOENT)
        try OwnerOnlyFile.makeFolder(folder.url)
        let occupied = folder.url.appendingPathComponent("d")
        try FileManager.default.createDirectory(at: occupied.appendingPathComponent("x"), withIntermediateDirectories: true)
        let error = #expect(throws: FileError.self) { try OwnerOnlyFile.write(Data(), to: occupied, isDurable: false) }
        #expect(error?.action == "replace")
        #expect(error?.description.hasPrefix("Cannot replace \(occupied.path): ") == true)
        #expect(folder.names == ["d"])
    }
}
