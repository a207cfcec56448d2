/// A page of the documentation, with its Swift blocks and their faults.
///
/// A preamble declares the app's own types that the blocks use. It is a comment above the blocks, which readers do not see, and applies
/// until the next preamble. It imports nothing, because readers would not see the import. A line that ends with `// needs NAME` applies
/// only to the blocks that import NAME.
///
/// ```
/// <!-- snippet preamble
/// struct User: Codable, Sendable { let name: String }
/// -->
/// ```
///
/// From a comment `<!-- run` on, the blocks are a program, which `PageProgramTests` runs in their order. The comment contains the stubs for the next block.
/// A block below `<!-- not run: REASON -->` is only compiled. A code block below `<!-- prints -->` shows what the program prints, and one below
/// `<!-- file: NAME -->` is a file that it reads.
struct SnippetPage {
    struct Line: Equatable {
        let number: Int
        let text: String
    }

    struct Block: Equatable {
        let preamble: [Line]
        let lines: [Line]
        /// The stubs for the block, or `nil` if it is not run.
        var setup: [Line]?
    }

    struct Fault: Equatable {
        let line: Int
        let reason: String
    }

    /// The path inside the package, for messages.
    let path: String
    private(set) var blocks: [Block] = []
    private(set) var faults: [Fault] = []
    /// The lines that are neither code nor a preamble.
    private(set) var prose: [Line] = []
    /// The lines that the program of the page prints, or `nil` if the page does not show it.
    private(set) var printed: [String]?
    private(set) var files: [(name: String, text: String)] = []

    private enum Place: Equatable {
        case text
        case preamble(start: Int)
        case setup(start: Int)
        case swift(start: Int)
        case otherFence(start: Int)
    }

    init(path: String, text: String) {
        self.path = path
        var place = Place.text
        var preamble: [Line] = []
        var lines: [Line] = []
        var setup: [Line]?
        var isRun = true
        for (index, text) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = Line(number: index + 1, text: String(text))
            switch place {
            case .text:
                if line.text.hasPrefix("<!-- not run: ") { isRun = false }
                if line.text == "<!-- prints -->" { printed = printed ?? [] }
                place = opening(line)
                if place == .text { prose.append(line) }
                if case .preamble = place { preamble = [] }
                if line.text.hasPrefix("<!-- run") { setup = [] }
                lines = []
            case .preamble:
                if line.text.hasPrefix("-->") { place = .text } else { preamble.append(line) }
                if line.text.contains(/^\s*(?:@\w+\s+)*(?:\w+\s+)?import\b/) {
                    faults.append(
                        Fault(line: line.number, reason: "a preamble imports nothing; imports stand in the blocks that need them"))
                }
            case .setup:
                if line.text.hasPrefix("-->") { place = .text } else { setup?.append(line) }
            case .swift:
                if Self.isFence(line.text) {
                    blocks.append(Block(preamble: preamble, lines: lines, setup: isRun ? setup : nil))
                    (isRun, setup) = (true, setup.map { _ in [] })
                    place = .text
                } else {
                    lines.append(line)
                }
            case .otherFence:
                if Self.isFence(line.text) {
                    place = .text
                    addOther(lines)
                } else {
                    lines.append(line)
                }
            }
        }
        switch place {
        case .text: break
        case .preamble(let start), .setup(let start): faults.append(Fault(line: start, reason: "the comment is not closed"))
        case .swift(let start), .otherFence(let start): faults.append(Fault(line: start, reason: "the block is not closed"))
        }
    }

    /// Adds a block that is no Swift, if the comment above it says what it is for.
    private mutating func addOther(_ lines: [Line]) {
        let comment = prose.last?.text ?? ""
        if comment == "<!-- prints -->" { printed? += lines.map(\.text) }
        if let name = comment.wholeMatch(of: /<!-- file: (\S+) -->/)?.1 {
            files.append((String(name), lines.map { $0.text + "\n" }.joined()))
        }
    }

    /// Returns the part of the page that a line of plain text begins.
    private mutating func opening(_ line: Line) -> Place {
        if line.text.hasPrefix("<!-- snippet preamble") { return .preamble(start: line.number) }
        if line.text == "<!-- run" { return .setup(start: line.number) }
        guard Self.isFence(line.text) else { return .text }
        let language = line.text.drop { " `~".contains($0) }
        if language == "swift" { return .swift(start: line.number) }
        // The compiler would not check blocks marked "swift no-compile", "Swift" and the like.
        if language.lowercased().hasPrefix("swift") {
            faults.append(Fault(line: line.number, reason: "a Swift block is marked \"swift\" and nothing else, not \"\(language)\""))
        }
        return .otherFence(start: line.number)
    }

    private static func isFence(_ text: String) -> Bool {
        let text = text.drop { $0 == " " }
        return text.hasPrefix("```") || text.hasPrefix("~~~")
    }
}
