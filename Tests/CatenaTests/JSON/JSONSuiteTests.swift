import Testing

@testable import Catena

/// The categories of documents that parsers of JSON are commonly compared by: what each has to accept, has to reject, and may do
/// as it likes, here with what Catena does.
@Suite("JSON, by category", .limitedParallelism)
struct JSONSuiteTests {
    private static func isAccepted(_ document: [UInt8]) -> Bool {
        let isParsed = (try? JSON(parsing: document)) != nil
        let isScanned = (try? JSONScan(document, paths: [])) != nil
        #expect(isParsed == isScanned)
        return isParsed
    }

    @Test("what RFC 8259 allows is accepted", arguments: JSONSuite.accepted)
    func accepts(category: JSONSuite.Category) {
        for document in category.documents {
            #expect(Self.isAccepted(document), "\(category.name): \(String(decoding: document.prefix(80), as: UTF8.self))")
        }
    }

    @Test("what it does not allow is rejected", arguments: JSONSuite.rejected)
    func rejects(category: JSONSuite.Category) {
        for document in category.documents {
            #expect(!Self.isAccepted(document), "\(category.name): \(String(decoding: document.prefix(80), as: UTF8.self))")
        }
    }

    @Test("where parsers may differ, numbers and a byte order mark are accepted", arguments: JSONSuite.freelyAccepted)
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

    @Test("there are as many documents of each sort as such collections have")
    func counts() {
        let sorts = [JSONSuite.accepted, JSONSuite.rejected, JSONSuite.freelyAccepted + JSONSuite.freelyRejected]
        let counts = sorts.map { Set($0.flatMap(\.documents)).count }
        #expect(zip(counts, [95, 188, 35]).allSatisfy { $0 >= $1 }, "\(counts)")
    }
}
