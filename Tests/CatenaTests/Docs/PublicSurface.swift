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

            struct Availability: Decodable {
                let isUnconditionallyDeprecated: Bool?
            }

            let kind: Kind
            let pathComponents: [String]
            let availability: [Availability]?

            var isDeprecated: Bool { availability?.contains { $0.isUnconditionallyDeprecated == true } ?? false }
        }

        let symbols: [Symbol]
    }

    /// A name with its labels, such as `Request.param(_:_:)`, but without `file:line:`.
    struct Name: Hashable {
        let path: [String]
        let isInitializer: Bool
        /// Whether it belongs to the type and not to its values.
        let isStatic: Bool
        let isDeprecated: Bool

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
                let kind = symbol.kind.identifier
                let isStatic = kind.hasPrefix("swift.type.") || kind == "swift.init"
                names.insert(Name(path: path, isInitializer: kind == "swift.init", isStatic: isStatic, isDeprecated: symbol.isDeprecated))
            }
        }
    }

    /// The lines of Docs/Internals/Surface.txt: one for each name, sorted.
    var lines: [String] { Set(names.map(\.text)).sorted() }

    /// Returns the methods, properties and nested types that completion offers after a type or its value. They exclude initializers,
    /// subscripts, deprecated names and the descriptions of every value.
    func offered(after owner: String) -> Set<Name> {
        let others: Set = ["description", "customMirror", "subscript"]
        return names.filter { $0.owner == owner && !$0.isInitializer && !$0.isDeprecated && !others.contains($0.base) }
    }
}
#endif
