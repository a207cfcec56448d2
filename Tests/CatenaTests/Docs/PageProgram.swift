#if os(Linux) || os(macOS)
import Foundation

/// A program made from the blocks of pages. It runs those of one page, in their order, with the stubs that the page declares.
struct PageProgram {
    private let folder: URL
    private var executable: URL { folder.appending(path: "program") }

    init(_ pages: [SnippetPage]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var sources: [URL] = []
        func write(_ text: String, as name: String) throws {
            sources.append(folder.appending(path: name + ".swift"))
            try text.write(to: sources[sources.count - 1], atomically: true, encoding: .utf8)
        }
        var rows: [String] = []
        for (number, page) in pages.enumerated() {
            var names: [String] = []
            for (index, block) in page.blocks.enumerated() {
                guard let setup = block.setup else { continue }
                names.append("page\(number)block\(index)")
                try write(
                    SnippetFile(block, page: page.path).source(running: names[names.count - 1], setup: setup), as: names[names.count - 1])
            }
            rows.append("\"\(page.path)\": Page(blocks: [\(names.joined(separator: ", "))], isPrinted: \(page.printed != nil)),")
        }
        try write(Self.main(rows), as: "main")
        do {
            try SwiftCompiler().link(sources, as: executable)
        } catch {
            remove()
            throw error
        }
    }

    /// Runs the program of a page, whose home is the folder, because it may store defaults. Its output ends with the error, if it fails.
    func run(_ page: SnippetPage) throws -> (status: Int32, output: String) {
        for file in page.files { try file.text.write(to: folder.appending(path: file.name), atomically: true, encoding: .utf8) }
        let variables = ["HOME=\(folder.path)", "TMPDIR=\(folder.path)", "LANG=en_US.UTF-8"]
        let (status, output) = try ChildProcess.run("/usr/bin/env", variables + [executable.path, page.path])
        // The loader's words about a libcurl that does not state the versions of its functions.
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        return (status, lines.filter { !$0.contains(": no version information available (") }.joined(separator: "\n"))
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns the main file. A page that shows no output fails if one of its calls fails, because its chains would only show an alert.
    private static func main(_ rows: [String]) -> String {
        """
        import Catena
        import CatenaTesting
        import Foundation

        struct Page {
            let blocks: [@MainActor @Sendable (Stubs) async throws -> Void]
            let isPrinted: Bool
        }

        let pages: [String: Page] = [
        \(rows.joined(separator: "\n"))
        ]
        do {
            guard CommandLine.arguments.count == 2, let page = pages[CommandLine.arguments[1]] else { exit(64) }
            let stubs = Stubs()
            try await stubs.activate {
                if !page.isPrinted {
                    API.onError { error, _ in
                        print("A call failed: \\(error)")
                        exit(1)
                    }
                }
                for block in page.blocks {
                    try await block(stubs)
                    // The reader's app has received the responses by the time that it runs the next block.
                    await stubs.clock.runUntilIdle()
                }
                try stubs.verify()
            }
        } catch {
            print(error)
            exit(1)
        }
        """
    }
}
#endif
