/// A page of the documentation: the Swift blocks that it shows, and what is wrong with how it shows them.
///
/// What the blocks take for granted of the app's own types stands above them in a comment that readers do not see, and holds until the
/// next one. It imports nothing: readers would not see that either. A line that ends with `// needs NAME` is there for the blocks that
/// import NAME.
///
/// ```
/// <!-- snippet preamble
/// struct User: Codable, Sendable { let name: String }
/// -->
/// ```
struct SnippetPage {
    struct Line: Equatable {
        let number: Int
        let text: String
    }

    struct Block: Equatable {
        let preamble: [Line]
        let lines: [Line]
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

    private enum Place: Equatable {
        case text
        case preamble(start: Int)
        case swift(start: Int)
        case otherFence(start: Int)
    }

    init(path: String, text: String) {
        self.path = path
        var place = Place.text
        var preamble: [Line] = []
        var lines: [Line] = []
        for (index, text) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = Line(number: index + 1, text: String(text))
            switch place {
            case .text:
                place = opening(line)
                if place == .text { prose.append(line) }
                if case .preamble = place { preamble = [] }
                lines = []
            case .preamble:
                if line.text.hasPrefix("-->") { place = .text } else { preamble.append(line) }
                if line.text.contains(/^\s*(?:@\w+\s+)*(?:\w+\s+)?import\b/) {
                    faults.append(
                        Fault(line: line.number, reason: "a preamble imports nothing; imports stand in the blocks that need them"))
                }
            case .swift:
                if Self.isFence(line.text) {
                    blocks.append(Block(preamble: preamble, lines: lines))
                    place = .text
                } else {
                    lines.append(line)
                }
            case .otherFence:
                if Self.isFence(line.text) { place = .text }
            }
        }
        switch place {
        case .text: break
        case .preamble(let start): faults.append(Fault(line: start, reason: "the preamble is not closed"))
        case .swift(let start), .otherFence(let start): faults.append(Fault(line: start, reason: "the block is not closed"))
        }
    }

    /// What a line of plain text begins.
    private mutating func opening(_ line: Line) -> Place {
        if line.text.hasPrefix("<!-- snippet preamble") { return .preamble(start: line.number) }
        guard Self.isFence(line.text) else { return .text }
        let language = line.text.drop { " `~".contains($0) }
        if language == "swift" { return .swift(start: line.number) }
        // "swift no-compile", "Swift" and the like would be blocks that nobody checks.
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
