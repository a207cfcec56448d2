/// A source file made from one block of a page.
///
/// Declarations go to the top of the file and are made private to it, so that blocks may use the same names; statements go into an
/// asynchronous method of `Screen`, which stands for the screen that makes the calls. Every line keeps its place in the page.
struct SnippetFile {
    private var declarations: Lines
    private var statements: Lines
    private var declaresScreen = false

    init(_ block: SnippetPage.Block, page: String) {
        declarations = Lines(page: page)
        statements = Lines(page: page)
        add(block.preamble)
        add(block.lines)
    }

    var source: String {
        """
        import Catena
        \(declarations.text)
        \(declaresScreen ? "" : "@MainActor fileprivate final class Screen {}")
        fileprivate extension Screen {
        func snippet() async throws {
        \(statements.text)
        }
        }
        """
    }

    private mutating func add(_ lines: [SnippetPage.Line]) {
        var isInDeclaration = false
        for line in lines {
            if isInDeclaration {
                declarations.append(line, as: line.text)
                isInDeclaration = !line.text.hasPrefix("}")
            } else if let declaration = Self.declaration(line.text) {
                declarations.append(line, as: declaration)
                isInDeclaration = Self.opensMoreThanItCloses(line.text)
                if line.text.contains("class Screen") { declaresScreen = true }
            } else if line.text.hasPrefix("import ") || line.text.hasPrefix("@") {
                // An attribute on a line of its own belongs to the declaration below it.
                declarations.append(line, as: line.text)
            } else {
                statements.append(line, as: line.text)
            }
        }
    }

    /// The line as the start of a declaration that is private to its file; `nil` if it starts none.
    private static func declaration(_ text: String) -> String? {
        let prefix = /(?:@\w+(?:\(.*?\))? )*(?:(?:nonisolated|final|indirect) )*/
        let keyword = /(?:struct|enum|class|actor|protocol|extension|func|typealias)\b/
        guard let end = text.prefixMatch(of: prefix)?.range.upperBound, text[end...].prefixMatch(of: keyword) != nil else { return nil }
        // An extension that declares a conformance may not say who can see it.
        if text[end...].prefixMatch(of: /extension [\w.]+ ?:/) != nil { return text }
        return text[..<end] + "fileprivate " + text[end...]
    }

    /// Whether the declaration goes on in the next line: its body is open, or its parameters are.
    private static func opensMoreThanItCloses(_ text: String) -> Bool {
        text.count { "{(".contains($0) } > text.count { "})".contains($0) }
    }
}

/// Lines of a page that keep their places.
private struct Lines {
    let page: String
    private var written = ""
    private var lastNumber = 0

    init(page: String) {
        self.page = page
    }

    var text: String { written.isEmpty ? "" : written + "#sourceLocation()" }

    mutating func append(_ line: SnippetPage.Line, as text: String) {
        // Only where lines are left out: inside a chain, and after an attribute, the compiler takes no directive.
        if line.number != lastNumber + 1 {
            written += "#sourceLocation(file: \"\(page)\", line: \(line.number))\n"
        }
        written += text + "\n"
        lastNumber = line.number
    }
}
