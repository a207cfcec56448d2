import Foundation
import Testing

@testable import Catena

/// The categories of documents by which JSON parsers are commonly compared: documents that each parser has to accept or to reject,
/// and documents for which parsers may differ.
@Suite("JSON, by category", .limitedParallelism)
struct JSONSuiteTests {
    private static func isAccepted(_ document: [UInt8]) -> Bool {
        let isParsed = (try? JSON(parsing: document)) != nil
        let isScanned = (try? JSONScan(document, paths: [])) != nil
        #expect(isParsed == isScanned)
        return isParsed
    }

    @Test("documents that RFC 8259 allows are accepted", arguments: JSONSuite.accepted)
    func accepts(category: JSONSuite.Category) {
        for document in category.documents {
            #expect(Self.isAccepted(document), "\(category.name): \(String(decoding: document.prefix(80), as: UTF8.self))")
        }
    }

    @Test("documents that RFC 8259 does not allow are rejected", arguments: JSONSuite.rejected)
    func rejects(category: JSONSuite.Category) {
        for document in category.documents {
            #expect(!Self.isAccepted(document), "\(category.name): \(String(decoding: document.prefix(80), as: UTF8.self))")
        }
    }

    @Test("where parsers may differ, unusual numbers and a byte order mark are accepted", arguments: JSONSuite.freelyAccepted)
    func acceptsFreely(category: JSONSuite.Category) {
        for document in category.documents {
            #expect(Self.isAccepted(document), "\(category.name): \(String(decoding: document.prefix(80), as: UTF8.self))")
        }
    }

    @Test("where parsers may differ, text that is not Unicode is rejected", arguments: JSONSuite.freelyRejected)
    func rejectsFreely(category: JSONSuite.Category) {
        for document in category.documents {
            #expect(!Self.isAccepted(document), "\(category.name): \(String(decoding: document.prefix(80), as: UTF8.self))")
        }
    }

    @Test("each sort has at least as many documents as common collections have")
    func counts() {
        let sorts = [JSONSuite.accepted, JSONSuite.rejected, JSONSuite.freelyAccepted + JSONSuite.freelyRejected]
        let counts = sorts.map { Set($0.flatMap(\.documents)).count }
        #expect(zip(counts, [95, 188, 35]).allSatisfy { $0 >= $1 }, "\(counts)")
    }

    private static let folder = ProcessInfo.processInfo.environment["CATENA_JSON_SUITE"]

    /// Reads the files of a public suite if `CATENA_JSON_SUITE` has the path of their folder, `test_parsing` of JSONTestSuite. The first letter of
    /// a file's name tells whether a parser has to accept it.
    @Test("the files of a public suite are accepted and rejected as their names say", .enabled(if: folder != nil))
    func files() throws {
        let folder = URL(filePath: try #require(Self.folder))
        var counts = ["y": 0, "n": 0, "i": 0]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let sort = String(file.lastPathComponent.prefix(1))
            let isAccepted = Self.isAccepted([UInt8](try Data(contentsOf: file)))
            if sort != "i" { #expect(isAccepted == (sort == "y"), "\(file.lastPathComponent)") }
            counts[sort, default: 0] += 1
        }
        #expect(counts == ["y": 95, "n": 188, "i": 35])
    }
}
