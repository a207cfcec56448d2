import Foundation
import Testing

/// Checks that the page on the architecture is up to date. With `CATENA_DRAW=1`, writes the page.
@Suite("Architecture", .limitedParallelism) struct ArchitectureTests {
    private static let folder = URL.packageRoot.appending(path: "Docs/Internals")
    private static let draws = ProcessInfo.processInfo.environment["CATENA_DRAW"] == "1"

    @Test("the picture shows the layers")
    func picture() throws {
        let file = Self.folder.appending(path: "architecture.svg")
        let picture = ArchitecturePicture(Layer.all).text
        if Self.draws { try Data(picture.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == picture, "CATENA_DRAW=1 swift test --filter Architecture draws it anew")
    }

    @Test("the page lists the walks")
    func walks() throws {
        let file = Self.folder.appending(path: "Architecture.md")
        var page = try String(contentsOf: file, encoding: .utf8)
        let parts = page.components(separatedBy: "<!-- walks -->")
        try #require(parts.count == 3)
        let text = "\n" + Walk.all.map(\.text).joined(separator: "\n\n") + "\n"
        if Self.draws {
            page = [parts[0], text, parts[2]].joined(separator: "<!-- walks -->")
            try Data(page.utf8).write(to: file)
        } else {
            #expect(parts[1] == text, "CATENA_DRAW=1 swift test --filter Architecture writes it anew")
        }
    }

    @Test("a walk is short, follows existing uses, and enters no folder twice from above", arguments: Walk.all.indices)
    func walk(index: Int) throws {
        let walk = Walk.all[index]
        let graph = try SourceGraph.library.get()
        func found(_ path: String) throws -> SourceFile {
            try #require(graph.files.first { $0.path == path || $0.path == "Catena/" + path }, "\(path)")
        }
        let files = try walk.hops.map { try found($0.file) }
        #expect(Set(files.map(\.path)).count <= 25)
        for (place, file) in files.enumerated().dropFirst() {
            // A hop continues from the previous file, or from one to which that file has returned.
            guard let declaration = try walk.hops[place].declaration.map(found) else {
                #expect(files[..<place].contains { graph.areNeighbours($0, file) }, "nothing before leads to \(file.path)")
                continue
            }
            #expect(graph.areNeighbours(declaration, file))
            #expect(files[..<place].contains { graph.areNeighbours($0, declaration) }, "nothing before leads to \(declaration.path)")
        }
        let layers = files.map { Layer.order.firstIndex(of: $0.layer) ?? 0 }
        // The envelope is read in the stages and the payload behind them, so that a layer may be entered twice and a folder in it once.
        let entered = files.indices.dropFirst().filter { layers[$0] < layers[$0 - 1] }.map { files[$0].folder }
        #expect(Set(entered).count == entered.count, "\(entered)")
    }
}
