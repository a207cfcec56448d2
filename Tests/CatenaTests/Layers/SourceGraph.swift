/// Which files of the library use which others.
struct SourceGraph {
    struct Edge: Hashable, CustomStringConvertible {
        let user: String
        let used: String
        let name: String

        var description: String { "\(user) uses \(name) of \(used)" }
    }

    let files: [SourceFile]
    private let definers: [String: [SourceFile]]
    /// The files that declare a member of a name.
    private let declarers: [String: [SourceFile]]

    /// That of the library, read once for all tests.
    static let library = Result { SourceGraph(try SourceFile.library()) }

    init(_ files: [SourceFile]) {
        self.files = files
        definers = files.reduce(into: [:]) { definers, file in
            for name in file.defined { definers[name, default: []].append(file) }
        }
        declarers = files.reduce(into: [:]) { declarers, file in
            // A name that stands by itself elsewhere is that of something else, too.
            for name in file.members.union(file.plain) { declarers[name, default: []].append(file) }
        }
    }

    /// What a file uses of others: what they define, and what they add to the types of others. Of a name that two files declare it cannot
    /// be told whose it is.
    func edges(of file: SourceFile) -> [(name: String, file: SourceFile)] {
        let types = file.used.sorted().compactMap { name in only(definers[name]).map { (name: name, file: $0) } }
        let members = file.accessed.sorted().compactMap { name -> (name: String, file: SourceFile)? in
            guard let other = only(declarers[name]), let type = other.added[name], only(definers[type]) != nil else { return nil }
            return (name, other)
        }
        return (types + members).filter { $0.file.path != file.path }
    }

    private func only(_ files: [SourceFile]?) -> SourceFile? { files?.count == 1 ? files?[0] : nil }

    /// The uses that lead upwards, or to a room that has no place in the order.
    func faults(in order: [String]) -> [Edge] {
        let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        return files.flatMap { file in
            edges(of: file).compactMap { name, other in
                guard file.room != other.room else { return nil }
                if let from = places[file.room], let to = places[other.room], to < from { return nil }
                return Edge(user: file.path, used: other.path, name: name)
            }
        }
    }

    /// Whether one of the two files uses the other.
    func areNeighbours(_ left: SourceFile, _ right: SourceFile) -> Bool {
        edges(of: left).contains { $0.file.path == right.path } || edges(of: right).contains { $0.file.path == left.path }
    }
}
