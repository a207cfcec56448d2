/// The uses between the files of the library.
struct SourceGraph {
    struct Edge: Hashable, CustomStringConvertible {
        let user: String
        let used: String
        let name: String

        var description: String { "\(user) uses \(name) of \(used)" }
    }

    let files: [SourceFile]
    private let definers: [String: [SourceFile]]
    /// The files in which a name is a member or has no dot before it.
    private let declarers: [String: [SourceFile]]

    /// The graph of the library, read once for all tests.
    static let library = Result { SourceGraph(try SourceFile.library()) }

    init(_ files: [SourceFile]) {
        self.files = files
        definers = files.reduce(into: [:]) { definers, file in
            for name in file.defined { definers[name, default: []].append(file) }
        }
        declarers = files.reduce(into: [:]) { declarers, file in
            // A name without a dot in another file may denote something else.
            for name in file.members.union(file.plain) { declarers[name, default: []].append(file) }
        }
    }

    /// Returns the names of other files that a file uses: those that they define, and members that they add to types. Skips a name that two files declare,
    /// because it may belong to either.
    func edges(of file: SourceFile) -> [(name: String, file: SourceFile)] {
        let types = file.used.sorted().compactMap { name in only(definers[name]).map { (name: name, file: $0) } }
        let members = file.accessed.sorted().compactMap { name -> (name: String, file: SourceFile)? in
            guard let other = only(declarers[name]), let type = other.added[name], only(definers[type]) != nil else { return nil }
            return (name, other)
        }
        return (types + members).filter { $0.file.path != file.path }
    }

    private func only(_ files: [SourceFile]?) -> SourceFile? { files?.count == 1 ? files?[0] : nil }

    /// Returns the uses of an upper layer, and of a layer without a place in the order.
    func faults(in order: [String]) -> [Edge] {
        let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        return files.flatMap { file in
            edges(of: file).compactMap { name, other in
                guard file.layer != other.layer else { return nil }
                if let from = places[file.layer], let to = places[other.layer], to < from { return nil }
                return Edge(user: file.path, used: other.path, name: name)
            }
        }
    }

    /// Whether one of the two files uses the other.
    func areNeighbours(_ left: SourceFile, _ right: SourceFile) -> Bool {
        edges(of: left).contains { $0.file.path == right.path } || edges(of: right).contains { $0.file.path == left.path }
    }
}
