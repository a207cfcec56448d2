/// A source file made from one block of a page.
///
/// Declarations go to the top of the file and become private to it, so that blocks may use the same names. Statements go into an
/// asynchronous method of `Screen`, which represents the screen that makes the calls. Every line keeps its position in the page.
///
/// The block contains its imports, because a reader pastes it without others. Variables at its top level count as used, because the
/// reader's next lines would use them.
struct SnippetFile {
    private var declarations: Lines
    private var statements: Lines
    private var declaresScreen = false
    private var names: [Substring] = []

    init(_ block: SnippetPage.Block, page: String) {
        declarations = Lines(page: page)
        statements = Lines(page: page)
        let imported = Set(block.lines.compactMap { $0.text.prefixMatch(of: /import (\w+)/)?.1 })
        add(block.preamble.filter { line in line.text.firstMatch(of: /\/\/ needs (\w+)$/).map { imported.contains($0.1) } ?? true })
        add(block.lines)
    }

    var source: String {
        """
        \(declarations.text)
        \(declaresScreen ? "" : "@MainActor fileprivate final class Screen {}")
        fileprivate extension Screen {
        func snippet() async throws {
        \(statements.text)
        \(names.map { "_ = \($0)" }.joined(separator: "\n"))
        }
        }
        """
    }

    /// The source with a function that runs the block.
    func source(running name: String, setup: [SnippetPage.Line]) -> String {
        var stubs = Lines(page: declarations.page)
        for line in setup { stubs.append(line, as: line.text) }
        return """
            import Catena
            import CatenaTesting
            import Foundation
            \(source)
            @MainActor func \(name)(_ stubs: Stubs) async throws {
            \(stubs.text)
            try await Screen().snippet()
            }
            """
    }

    private mutating func add(_ lines: [SnippetPage.Line]) {
        // The text that ends the current declaration.
        var end: String?
        for line in lines {
            if let last = end {
                declarations.append(line, as: line.text)
                if line.text.hasPrefix(last) { end = nil }
            } else if let declaration = Self.declaration(line.text) {
                declarations.append(line, as: declaration)
                if Self.opensMoreThanItCloses(line.text) { end = "}" }
                if line.text.contains("class Screen") { declaresScreen = true }
            } else if line.text.hasPrefix("#if canImport(") {
                declarations.append(line, as: line.text)
                end = "#endif"
            } else if line.text.hasPrefix("import ") || line.text.hasPrefix("@") {
                // An attribute on its own line belongs to the declaration below it.
                declarations.append(line, as: line.text)
            } else {
                statements.append(line, as: line.text)
                names += Self.names(line.text)
            }
        }
    }

    /// Returns the names that a statement at the top level of the block declares.
    private static func names(_ text: String) -> [Substring] {
        if let names = text.prefixMatch(of: /(?:let|var) \(([\w, ]+)\)/) {
            return names.1.split { ", ".contains($0) }.filter { $0 != "_" }
        }
        return text.prefixMatch(of: /(?:guard )?(?:let|var) (\w+)/).map { [$0.1] } ?? []
    }

    /// Returns the line as the start of a declaration that is private to its file, or `nil` if the line starts none.
    private static func declaration(_ text: String) -> String? {
        let prefix = /(?:@\w+(?:\(.*?\))? )*(?:(?:nonisolated|final|indirect) )*/
        let keyword = /(?:struct|enum|class|actor|protocol|extension|func|typealias)\b/
        guard let end = text.prefixMatch(of: prefix)?.range.upperBound, text[end...].prefixMatch(of: keyword) != nil else { return nil }
        // An extension that declares a conformance may not have an access modifier.
        if text[end...].prefixMatch(of: /extension [\w.]+ ?:/) != nil { return text }
        return text[..<end] + "fileprivate " + text[end...]
    }

    /// Whether the declaration continues in the next line, because its body or its parameters are open.
    private static func opensMoreThanItCloses(_ text: String) -> Bool {
        text.count { "{(".contains($0) } > text.count { "})".contains($0) }
    }
}

/// Lines of a page that keep their positions.
private struct Lines {
    let page: String
    private var written = ""
    private var lastNumber = 0

    init(page: String) {
        self.page = page
    }

    var text: String { written.isEmpty ? "" : written + "#sourceLocation()" }

    mutating func append(_ line: SnippetPage.Line, as text: String) {
        // Only behind left-out lines, because the compiler accepts no directive inside a chain or after an attribute.
        if line.number != lastNumber + 1 {
            written += "#sourceLocation(file: \"\(page)\", line: \(line.number))\n"
        }
        written += text + "\n"
        lastNumber = line.number
    }
}
