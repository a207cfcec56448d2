import Foundation
import Testing

@testable import Catena

@Suite("Local files", .limitedParallelism)
struct LocalFileTests {
    @Test("the names of a folder have a bound, and the error names the folder")
    func names() throws {
        let folder = TemporaryFolder()
        #expect(try LocalFile.names(in: folder.url.path, limit: 0) == [])
        try OwnerOnlyFile.makeFolder(folder.url)
        for name in ["a", ".b", "é"] { try Data().write(to: folder.url.appendingPathComponent(name)) }
        #expect(try LocalFile.names(in: folder.url.path, limit: 3).sorted() == [".b", "a", "é"])
        let error = #expect(throws: FileError.self) { try LocalFile.names(in: folder.url.path, limit: 2) }
        #expect(error?.description == "Cannot read \(folder.url.path): It has more than 2 files")
    }

    @Test("a file, a link to nothing and a pipe are no folder, and nothing waits for them", arguments: ["file", "link", "pipe"])
    func noFolder(kind: String) throws {
        let folder = TemporaryFolder()
        try OwnerOnlyFile.makeFolder(folder.url)
        let place = folder.url.appendingPathComponent(kind)
        switch kind {
        case "file": try Data().write(to: place)
        case "link": try FileManager.default.createSymbolicLink(at: place, withDestinationURL: place)
        default: #expect(mkfifo(place.path, 0o600) == 0)
        }
        let error = #expect(throws: FileError.self) { try LocalFile.names(in: place.path, limit: 10) }
        #expect(error?.code == (kind == "link" ? ELOOP : ENOTDIR))
    }
}
