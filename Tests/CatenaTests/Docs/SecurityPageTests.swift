import Foundation
import Testing

@Suite("SECURITY.md", .limitedParallelism)
struct SecurityPageTests {
    private static func rows() throws -> [[String]] {
        let page = try String(contentsOf: .packageRoot.appending(path: "SECURITY.md"), encoding: .utf8)
        let table = page.split(separator: "\n").drop { !$0.hasPrefix("| what must not happen") }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    @Test("each row of the table names an existing test of the attack")
    func attacked() throws {
        let rows = try Self.rows()
        #expect(rows.count > 10)
        let files = FileManager.default.enumerator(at: .packageRoot.appending(path: "Tests"), includingPropertiesForKeys: nil)
        let sources = files?.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
        let suites = try sources.reduce(into: Set<Substring>()) { suites, file in
            suites.insert(Substring(file.deletingPathExtension().lastPathComponent))
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: /(?:struct|class) (\w+Tests)\b/) {
                suites.insert(match.1)
            }
        }
        for row in rows {
            let named = (row.last ?? "").matches(of: /`([\w\/.]+)`/).map(\.1)
            #expect(!named.isEmpty, "\(row)")
            for name in named {
                let isFile = FileManager.default.fileExists(atPath: URL.packageRoot.appending(path: String(name)).path())
                #expect(suites.contains(name) || isFile, "\(name)")
            }
        }
    }
}
