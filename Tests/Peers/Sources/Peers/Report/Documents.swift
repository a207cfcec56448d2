import Foundation

/// Writes the report into files and guides.
enum Documents {
    /// The marks of the section that a run replaces.
    private static let begin = "<!-- peers: begin -->"
    private static let end = "<!-- peers: end -->"

    /// Writes the tables, the plot in both languages, and `figures.txt`, into a folder.
    static func write(_ results: Results, listing: String, to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(Tables(results: results, words: .english).text, to: folder.appendingPathComponent("peers.md"))
        try write(Tables(results: results, words: .chinese).summary, to: folder.appendingPathComponent("summary.zh-Hans.md"))
        try write(listing, to: folder.appendingPathComponent("figures.txt"))
        _ = try plot(results, to: folder)
    }

    /// Replaces the results of an earlier run in the guides.
    static func publish(_ results: Results, in docs: URL) throws {
        guard try plot(results, to: docs) else { throw Problem("A run for the guides has small JSON, 64 at a time, in it.") }
        try replace(in: docs.appendingPathComponent("Performance.md"), by: section(results, .english, plot: "performance.svg"))
        try replace(
            in: docs.appendingPathComponent("zh-Hans/Performance.md"), by: section(results, .chinese, plot: "../performance.zh-Hans.svg"))
        try replace(in: docs.appendingPathComponent("Internals/Measurements.md"), by: Tables(results: results, words: .english).text)
    }

    /// Draws the plot in both languages. Returns false if the run lacks its figures.
    private static func plot(_ results: Results, to folder: URL) throws -> Bool {
        guard let english = Plot(results: results, words: .english).text, let chinese = Plot(results: results, words: .chinese).text else {
            return false
        }
        try write(english, to: folder.appendingPathComponent("performance.svg"))
        try write(chinese, to: folder.appendingPathComponent("performance.zh-Hans.svg"))
        return true
    }

    private static func section(_ results: Results, _ words: Words, plot: String) -> String {
        "![\(words.plot)](\(plot))\n\n" + Tables(results: results, words: words).summary
    }

    private static func replace(in page: URL, by section: String) throws {
        let text = try String(contentsOf: page, encoding: .utf8)
        guard let start = text.range(of: begin), let stop = text.range(of: end, range: start.upperBound..<text.endIndex) else {
            throw Problem("\(page.lastPathComponent) does not say where the tables belong.")
        }
        try write(text[..<start.upperBound] + "\n" + section + text[stop.lowerBound...], to: page)
    }

    private static func write(_ text: some StringProtocol, to file: URL) throws {
        try Data(text.utf8).write(to: file)
    }
}
