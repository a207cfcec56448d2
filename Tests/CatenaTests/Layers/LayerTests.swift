import Foundation
import Testing

@Suite("Layers", .limitedParallelism) struct LayerTests {
    @Test("no layer uses one above it")
    func layers() throws {
        let graph = try SourceGraph.library.get()
        #expect(graph.files.count > 200)
        #expect(graph.faults(in: Layer.order) == [])
    }

    @Test("each folder is a layer, and each layer is a folder")
    func folders() throws {
        let graph = try SourceGraph.library.get()
        #expect(Set(graph.files.map(\.layer)) == Set(Layer.order))
        #expect(Set(Layer.order).count == Layer.order.count)
    }

    @Test("the table lists the folders in each layer")
    func parts() throws {
        for layer in Layer.folders {
            let folders = try Self.folders(below: "Sources/Catena/\(layer.name)").filter { !$0.contains("/") }
            #expect(Set(folders.isEmpty ? [layer.name] : folders) == Set(layer.parts.map(\.name)), "\(layer.name)")
        }
    }

    @Test("each folder of tests is a folder of the sources")
    func mirror() throws {
        var count = 0
        for layer in Layer.folders.map(\.name) {
            let tests = try Self.files(below: "Tests/CatenaTests/\(layer)").filter { $0.hasSuffix("Tests.swift") }
            let folders = Set(tests.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
            #expect(folders.subtracting(try Self.folders(below: "Sources/Catena/\(layer)")).subtracting([""]) == [], "\(layer)")
            count += tests.count
        }
        #expect(count > 0)
    }

    @Test("a use of an upper layer is found, whatever the code around it")
    func faults() {
        let files = [
            SourceFile(path: "Catena/Values/A.swift", text: "struct A { /// B\n let text = \"B \\(C.count)\" // B\n }"),
            SourceFile(path: "Catena/Running/Stages/B.swift", text: "struct B { let a: A }\nprivate struct D {}"),
            SourceFile(path: "Catena/Running/C.swift", text: "enum C { static let count = #\"A\"#.count }"),
            SourceFile(path: "Catena/Values/D.swift", text: "func d<B>(_ b: B) -> B { a.B }\nstruct E { typealias C = Int; var c: C }"),
            SourceFile(path: "Catena/Nowhere/F.swift", text: "let f = A()"),
            SourceFile(path: "Catena/Running/G.swift", text: "extension A { var g: Int { 0 } }\nprivate extension A { var h: Int { 0 } }"),
            SourceFile(path: "Catena/Values/H.swift", text: "let h = [a.g, a.h]"),
        ]
        let found = SourceGraph(files).faults(in: ["Values", "Running"]).map(\.description)
        #expect(
            found == [
                "Catena/Values/A.swift uses C of Catena/Running/C.swift", "Catena/Nowhere/F.swift uses A of Catena/Values/A.swift",
                "Catena/Values/H.swift uses g of Catena/Running/G.swift",
            ])
    }

    /// Returns the paths of all files below a folder of the package, relative to it.
    private static func files(below path: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: URL.packageRoot.appending(path: path).path)
    }

    /// Returns the folders below a folder of the package that contain Swift files, relative to it.
    private static func folders(below path: String) throws -> [String] {
        let files = try files(below: path).filter { $0.hasSuffix(".swift") }
        let direct = files.map { $0.split(separator: "/").dropLast() }.filter { !$0.isEmpty }
        return Array(Set(direct.flatMap { parts in (1...parts.count).map { parts.prefix($0).joined(separator: "/") } }))
    }
}
