#if os(Linux)
import Foundation

/// The public names of modules.
struct PublicSurface {
    /// A symbol graph, as far as it is needed.
    private struct Graph: Decodable {
        struct Symbol: Decodable {
            struct Kind: Decodable {
                let identifier: String
            }

            let kind: Kind
            let pathComponents: [String]
        }

        let symbols: [Symbol]
    }

    /// A name with its labels, such as `Request.param(_:_:)`, but without `file:line:`.
    struct Name: Hashable {
        let path: [String]
        let isInitializer: Bool

        /// The type that declares the name, or "" at the top level.
        var owner: String { path.dropLast().joined(separator: ".") }
        /// The name without its labels.
        var base: String { String((path.last ?? "").prefix { $0 != "(" }) }
        var text: String { path.joined(separator: ".") }
    }

    let names: Set<Name>

    init(of modules: [String]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let compiler = try SwiftCompiler()
        for module in modules { try compiler.extractSymbols(of: module, into: folder) }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        names = try files.reduce(into: []) { names, file in
            let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
            for symbol in graph.symbols where symbol.kind.identifier != "swift.extension" {
                let path = symbol.pathComponents.map { $0.replacing("file:line:", with: "") }
                names.insert(Name(path: path, isInitializer: symbol.kind.identifier == "swift.init"))
            }
        }
    }

    /// The lines of Docs/Internals/Surface.txt: one for each name, sorted.
    var lines: [String] { names.map(\.text).sorted() }

    /// Returns the methods, properties and nested types that completion offers after a type or its value. They exclude initializers, subscripts and
    /// the descriptions of every value.
    func offered(after owner: String) -> Set<Name> {
        let others: Set = ["description", "customMirror", "subscript"]
        return names.filter { $0.owner == owner && !$0.isInitializer && !others.contains($0.base) }
    }
}
#endif
