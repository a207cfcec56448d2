import Foundation
import Testing

@Suite("Floors", .limitedParallelism) struct LayerTests {
    @Test("no folder uses one above it")
    func floors() throws {
        let graph = try SourceGraph.library.get()
        #expect(graph.files.count > 200)
        #expect(graph.faults(in: Floor.order) == [])
    }

    @Test("each folder is a room, and each room is a folder")
    func rooms() throws {
        let graph = try SourceGraph.library.get()
        #expect(Set(graph.files.map(\.room)) == Set(Floor.order))
        #expect(Set(Floor.order).count == Floor.order.count)
    }

    @Test("a use of an upper room is found, whatever the code around it")
    func faults() {
        let files = [
            SourceFile(path: "Catena/HTTP/A.swift", text: "struct A { /// B\n let text = \"B \\(C.count)\" // B\n }"),
            SourceFile(path: "Catena/Pipeline/B.swift", text: "struct B { let a: A }\nprivate struct D {}"),
            SourceFile(path: "Catena/Pipeline/C.swift", text: "enum C { static let count = #\"A\"#.count }"),
            SourceFile(path: "Catena/HTTP/D.swift", text: "func d<B>(_ b: B) -> B { a.B }\nstruct E { typealias C = Int; var c: C }"),
            SourceFile(path: "Catena/Nowhere/F.swift", text: "let f = A()"),
            SourceFile(path: "Catena/Pipeline/G.swift", text: "extension A { var g: Int { 0 } }\nprivate extension A { var h: Int { 0 } }"),
            SourceFile(path: "Catena/HTTP/H.swift", text: "let h = [a.g, a.h]"),
        ]
        let found = SourceGraph(files).faults(in: ["HTTP", "Pipeline"]).map(\.description)
        #expect(
            found == [
                "Catena/HTTP/A.swift uses C of Catena/Pipeline/C.swift", "Catena/Nowhere/F.swift uses A of Catena/HTTP/A.swift",
                "Catena/HTTP/H.swift uses g of Catena/Pipeline/G.swift",
            ])
    }
}
