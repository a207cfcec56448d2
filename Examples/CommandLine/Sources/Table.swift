/// Rows of text in columns that are as wide as their widest cell.
struct Table {
    private let head: [String]
    private var rows: [[String]] = []

    init(_ head: [String]) {
        self.head = head
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row. Replaces control characters and line breaks, because the forum's text must not move the cursor or end the line.
    mutating func add(_ row: [String]) {
        rows.append(row.map { cell in String(cell.map { $0.isNewline || $0.isControl ? " " : $0 }) })
    }

    var lines: [String] {
        let all = [head] + rows
        let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
                .joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

extension Character {
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
