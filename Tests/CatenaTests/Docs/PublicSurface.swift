#if os(Linux)
import Foundation

/// The names that a module offers to those who import it.
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

    /// A name with labels, such as `Request.param(_:_:)`; those of the place of a call are left out.
    struct Name: Hashable {
        let path: [String]
        let isInitializer: Bool

        /// The type that has it; empty for what is at the top.
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

    /// The list that is kept: a line for each name, sorted.
    var lines: [String] { names.map(\.text).sorted() }

    /// What completion offers after a type or a value of it: methods, properties and what is nested, without initializers and the
    /// descriptions that every value has.
    func offered(after owner: String) -> Set<Name> {
        names.filter { $0.owner == owner && !$0.isInitializer && $0.base != "description" && $0.base != "customMirror" }
    }
}
#endif
