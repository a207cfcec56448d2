#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The table of capabilities names existing guides and tests.
@Suite("Coverage", .limitedParallelism) struct CoverageTests {
    @Test("every row of the table has a guide and a test that there are")
    func page() throws {
        let text = try String(contentsOf: URL.packageRoot.appending(path: "Docs/Internals/Coverage.md"), encoding: .utf8)
        #expect(CoveragePage(text).faults(in: URL.packageRoot) == [])
    }

    private static let guide = "[Hosts](../Hosts.md)"
    private static let test =
        "[CoverageTests](../../Tests/CatenaTests/Docs/CoverageTests.swift): "
        + "\"every row of the table has a guide and a test that there are\""

    private static func page(_ row: String) -> CoveragePage {
        CoveragePage(
            (1...109).map { $0 == 7 ? row : "| \($0) | what | `how` | \(guide) | \(test) |" }.joined(separator: "\n"))
    }

    @Test(
        "each fault of a row is reported",
        arguments: [
            ("| 7 | what | `how` | \(guide) | \(test) |", []),
            ("", ["7: there are 0 rows"]),
            ("| 7 | a | b | \(guide) | \(test) |\n| 7 | a | b | \(guide) | \(test) |", ["7: there are 2 rows"]),
            ("| 7 | what | `how` | \(guide) |", ["7: there are 4 cells"]),
            ("| 7 | what | `how` | Hosts | \(test) |", ["7: there is no guide"]),
            ("| 7 | what | | \(guide) | \(test) |", ["7: a cell is empty"]),
            ("| 7 | what | `how` | \(guide), [Nothing](../Nothing.md) | \(test) |", ["7: there is no Docs/Nothing.md"]),
            ("| 7 | what | `how` | \(guide) | none |", ["7: there is no test"]),
            (
                "| 7 | what | `how` | \(guide) | [A](../../Tests/Nothing.swift): \"a\" |", ["7: there is no Tests/Nothing.swift"]
            ),
            (
                "| 7 | what | `how` | \(guide) | [A](../../Tests/CatenaTests/Docs/CoverageTests.swift): \"what is wrong\" |",
                ["7: Tests/CatenaTests/Docs/CoverageTests.swift has no test \"what is wrong\""]
            ),
            ("| 7 | what, in part partial | `how` | \(guide) | \(test) |", ["7: it is partial"]),
            ("| 0 | what | `how` | \(guide) | \(test) |", ["7: there are 0 rows", "0: there is no such row"]),
            ("| 110 | what | `how` | \(guide) | \(test) |", ["7: there are 0 rows"]),
        ])
    func faults(row: String, expected: [String]) {
        #expect(Self.page(row).faults(in: URL.packageRoot) == expected)
    }
}
#endif
