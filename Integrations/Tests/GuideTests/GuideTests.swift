import Foundation
import Testing

@Suite("The guide") struct GuideTests {
    private static func lines(_ path: String) throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL
        return try String(contentsOf: root.appending(path: path), encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Returns the blocks with imports, without the imports.
    private static func blocks(of path: String) throws -> [[String]] {
        var (blocks, block): ([[String]], [String]?) = ([], nil)
        for line in try lines(path) {
            if line.hasPrefix("```") {
                if let block { blocks.append(block) }
                block = block == nil ? [] : nil
            } else {
                block?.append(line)
            }
        }
        return blocks.filter { $0.first?.hasPrefix("import ") == true }.map { $0.filter { !$0.isEmpty && !$0.hasPrefix("import ") } }
    }

    @Test("the code of the guide is compiled here, in both languages", arguments: ["Docs/Integrations.md", "Docs/zh-Hans/Integrations.md"])
    func code(path: String) throws {
        let compiled = try Self.lines("Integrations/Tests/GuideTests/GuideCode.swift").joined(separator: "\n")
        let blocks = try Self.blocks(of: path)
        #expect(blocks.count == 8)
        for block in blocks { #expect(compiled.contains("\n" + block.joined(separator: "\n") + "\n"), "\(block)") }
    }
}
