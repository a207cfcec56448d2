import Foundation

/// The table of capabilities. Each row has a number, a capability, its code, its guide and its test.
struct CoveragePage {
    private struct Row {
        let number: Int
        let cells: [String]
    }

    private let rows: [Row]

    init(_ text: String) {
        rows = text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| "), line.hasSuffix(" |") else { return nil }
            let cells = line.dropFirst(2).dropLast(2).split(separator: " | ", omittingEmptySubsequences: false)
                .flatMap { $0.hasPrefix("| ") ? ["", String($0.dropFirst(2))] : [String($0)] }
            return cells.first.flatMap { Int($0) }.map { Row(number: $0, cells: cells) }
        }
    }

    /// Returns the faults of all rows.
    func faults(in root: URL) -> [String] {
        let numbers = 1...max(109, rows.map(\.number).max() ?? 0)
        let missing = numbers.flatMap { number in
            let rows = rows.filter { $0.number == number }
            guard rows.count == 1 else { return ["\(number): there are \(rows.count) rows"] }
            return rows.flatMap { faults(of: $0, in: root) }.map { "\(number): \($0)" }
        }
        return missing + rows.filter { !numbers.contains($0.number) }.map { "\($0.number): there is no such row" }
    }

    private func faults(of row: Row, in root: URL) -> [String] {
        guard row.cells.count == 5 else { return ["there are \(row.cells.count) cells"] }
        guard row.cells.allSatisfy({ !$0.trimmingCharacters(in: .whitespaces).isEmpty }) else { return ["a cell is empty"] }
        var faults = row.cells.contains { $0.contains("partial") } ? ["it is partial"] : []
        let guides = row.cells[3].matches(of: /\[\w+\]\(\.\.\/(\w+\.md)\)/).map { "Docs/\($0.1)" }
        if guides.isEmpty { faults.append("there is no guide") }
        for guide in guides where !FileManager.default.fileExists(atPath: root.appending(path: guide).path) {
            faults.append("there is no \(guide)")
        }
        let tests = row.cells[4].matches(of: /\[\w+\]\(\.\.\/\.\.\/(Tests\/[\w\/]+\.swift)\): "([^"]+)"/)
        if tests.isEmpty { faults.append("there is no test") }
        for test in tests {
            guard let source = try? String(contentsOf: root.appending(path: String(test.1)), encoding: .utf8) else {
                faults.append("there is no \(test.1)")
                continue
            }
            let isThere = source.ranges(of: "\"\(test.2)\"").contains { range in
                source[..<range.lowerBound].suffix(40).contains(/@Test\(\s*$/)
            }
            if !isThere { faults.append("\(test.1) has no test \"\(test.2)\"") }
        }
        return faults
    }
}
