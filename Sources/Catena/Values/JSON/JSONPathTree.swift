/// Paths merged by common prefixes, so that one scan finds all of them.
struct JSONPathTree: Sendable {
    /// A prefix that paths share. The first node is the document.
    private struct Node {
        /// The keys in UTF-8, as in the document, grouped by length, because few keys of a document have the same length.
        var keys: [[(bytes: [UInt8], node: Int)]] = []
        /// The endings of keys from steps with `*`. They are checked only if no key matches.
        var endings: [(bytes: [UInt8], node: Int)] = []
        var indices: [Int: Int] = [:]
        /// The indices of the paths that end here.
        var paths: [Int] = []
    }

    private var nodes = [Node()]
    /// Whether the members of the document are listed.
    let listsMembers: Bool

    /// - Parameter omitted: The indices of paths to leave out.
    init(_ paths: [JSONPath], omitting omitted: Range<Int> = 0..<0, listsMembers: Bool = false) {
        self.listsMembers = listsMembers
        for (number, path) in paths.enumerated() where !omitted.contains(number) {
            let node = path.steps.reduce(0) { node, step in child(of: node, step) }
            nodes[node].paths.append(number)
        }
    }

    var nodeCount: Int { nodes.count }

    func paths(endingAt node: Int) -> [Int] {
        nodes[node].paths
    }

    /// Whether a path leads from a node to an element, or to a member.
    func hasChildren(of node: Int, inArray isArray: Bool) -> Bool {
        isArray ? !nodes[node].indices.isEmpty : !(nodes[node].keys.isEmpty && nodes[node].endings.isEmpty)
    }

    func child(of node: Int, at index: Int) -> Int? {
        nodes[node].indices.isEmpty ? nil : nodes[node].indices[index]
    }

    func child(of node: Int, under key: JSONToken, in scanner: JSONScanner) -> Int? {
        guard key.isPlain else { return child(of: node, under: scanner.unescaped(key)) }
        let text = key.range.lowerBound + 1..<key.range.upperBound - 1
        if text.count < nodes[node].keys.count {
            for candidate in nodes[node].keys[text.count] where scanner.holds(candidate.bytes, in: text) { return candidate.node }
        }
        for ending in nodes[node].endings where text.count > ending.bytes.count {
            if scanner.holds(ending.bytes, in: text.upperBound - ending.bytes.count..<text.upperBound) { return ending.node }
        }
        return nil
    }

    private func child(of node: Int, under key: [UInt8]) -> Int? {
        if key.count < nodes[node].keys.count, let known = nodes[node].keys[key.count].first(where: { $0.bytes == key }) {
            return known.node
        }
        return nodes[node].endings.first { key.count > $0.bytes.count && key.suffix($0.bytes.count) == $0.bytes[...] }?.node
    }

    /// Returns the child of a node for a step, and creates it if it is missing.
    private mutating func child(of node: Int, _ step: JSONPath.Step) -> Int {
        let new = nodes.count
        switch step {
        case .key(let key):
            let bytes = Array(key.utf8)
            while nodes[node].keys.count <= bytes.count { nodes[node].keys.append([]) }
            if let known = nodes[node].keys[bytes.count].first(where: { $0.bytes == bytes }) { return known.node }
            nodes[node].keys[bytes.count].append((bytes, new))
        case .ending(let ending):
            let bytes = Array(ending.utf8)
            if let known = nodes[node].endings.first(where: { $0.bytes == bytes }) { return known.node }
            nodes[node].endings.append((bytes, new))
        case .index(let index):
            if let known = nodes[node].indices[index] { return known }
            nodes[node].indices[index] = new
        }
        nodes.append(Node())
        return new
    }
}
