/// A drawing of the layers, with the lowest at the bottom.
struct ArchitecturePicture {
    private let layers: [Layer]

    private static let width = 960
    private static let label = 140
    private static let gap = 8
    private static let height = 62

    init(_ layers: [Layer]) {
        self.layers = layers
    }

    var text: String {
        let rows = layers.reversed().enumerated().map { row(of: $1, at: $0) }
        let height = layers.count * (Self.height + Self.gap) + Self.gap
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" role="img" aria-label="The layers of Catena">
            <style>
            text { font: 13px system-ui, sans-serif; fill: #1f2328; }
            .layer { font-weight: 600; }
            .what { font-size: 10px; fill: #59636e; }
            rect { fill: #f6f8fa; stroke: #8c959f; }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3; }
            .what { fill: #9198a1; }
            rect { fill: #161b22; stroke: #656c76; }
            }
            </style>
            \(rows.joined(separator: "\n"))
            </svg>

            """
    }

    private func row(of layer: Layer, at place: Int) -> String {
        let top = Self.gap + place * (Self.height + Self.gap)
        let width = (Self.width - Self.label - Self.gap * layer.parts.count) / layer.parts.count
        let parts = layer.parts.enumerated().map { index, part in
            let left = Self.label + index * (width + Self.gap)
            let words = Self.lines(of: part.what, width: width)
            let what = words.enumerated().map { line, text in
                "<text class=\"what\" x=\"\(left + 8)\" y=\"\(top + 36 + line * 12)\">\(text)</text>"
            }
            return "<rect x=\"\(left)\" y=\"\(top)\" width=\"\(width)\" height=\"\(Self.height)\" rx=\"4\"/>"
                + "<text x=\"\(left + 8)\" y=\"\(top + 20)\">\(part.name)</text>" + what.joined()
        }
        return "<text class=\"layer\" x=\"8\" y=\"\(top + 36)\">\(layer.name)</text>\n" + parts.joined(separator: "\n")
    }

    /// Breaks a text into lines that fit a box.
    private static func lines(of text: String, width: Int) -> [String] {
        let longest = (width - 16) / 5
        return text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + word.count < longest {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
