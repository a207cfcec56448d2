/// Paths, merged by what they begin with, so that one pass can look for all of them.
struct JSONPathTree: Sendable {
    /// What a path has in common with others up to some step. The first node is the document itself.
    private struct Node {
        /// UTF-8, as it is compared with the document's bytes, by length: few keys of a document need more than that to be told apart.
        var keys: [[(bytes: [UInt8], node: Int)]] = []
        /// What keys end with that `*` began; asked if there is no other one.
        var endings: [(bytes: [UInt8], node: Int)] = []
        var indices: [Int: Int] = [:]
        /// The paths that end here.
        var paths: [Int] = []
    }

    let pathCount: Int
    private var nodes = [Node()]
    /// Whether members are noted whose names say that something went wrong.
    let watchesErrors: Bool

    /// - Parameter names: Further keys of the document itself, which are to be known when they come.
    init(_ paths: [JSONPath], names: [String] = [], watchesErrors: Bool = false) {
        pathCount = paths.count
        self.watchesErrors = watchesErrors
        for (number, path) in paths.enumerated() {
            let node = path.steps.reduce(0) { node, step in child(of: node, step) }
            nodes[node].paths.append(number)
        }
        for name in names { _ = child(of: 0, .key(name)) }
    }

    var nodeCount: Int { nodes.count }

    func paths(endingAt node: Int) -> [Int] {
        nodes[node].paths
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

    /// The node of a key of the document itself.
    func node(ofKey name: String) -> Int? {
        child(of: 0, under: Array(name.utf8))
    }

    /// The node to which the first step of a path leads.
    func firstNode(of path: JSONPath) -> Int? {
        switch path.steps[0] {
        case .key(let key): node(ofKey: key)
        case .ending(let ending): nodes[0].endings.first { $0.bytes == Array(ending.utf8) }?.node
        case .index: nil
        }
    }

    /// The node one step further, made if there is none yet.
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

/// Notes where the values at the paths of a tree are.
///
/// It only looks at keys and elements of containers that a path leads through; the rest costs it a counter.
struct JSONPathRecorder: JSONVisitor {
    /// A container that a path leads to.
    private struct Container {
        let node: Int
        let start: Int
        let isArray: Bool
        var nextElement = 0
    }

    private let tree: JSONPathTree
    /// What was found, in the order of the paths.
    private(set) var found: [JSONScan.Finding] = []
    private(set) var root = JSONSpan(kind: .null, range: 0..<0)
    /// How many members the document has, if it is an object …
    private(set) var memberCount = 0
    /// … and the nodes of those that the tree knows.
    private(set) var knownMembers: [Int] = []
    private(set) var errors = JSONErrorMembers()

    /// The innermost containers are missing as soon as no path leads on.
    private var containers: [Container] = []
    private var depth = 0
    /// The node of the member whose key was read last.
    private var member: Int?
    /// Each node has one value at most, so that of a key that comes twice only the first is followed.
    private var taken: NodeSet

    init(_ tree: JSONPathTree) {
        self.tree = tree
        taken = NodeSet(of: tree.nodeCount)
        // As many as most documents have.
        found.reserveCapacity(8)
        knownMembers.reserveCapacity(8)
        containers.reserveCapacity(4)
    }

    mutating func key(_ token: JSONToken, in scanner: JSONScanner) {
        if depth <= 2, tree.watchesErrors { errors.key(token, at: depth, in: scanner) }
        guard depth == containers.count, let container = containers.last else { return }
        member = tree.child(of: container.node, under: token, in: scanner)
        guard depth == 1 else { return }
        memberCount += 1
        if let member { knownMembers.append(member) }
    }

    mutating func scalar(_ token: JSONToken, in scanner: JSONScanner) {
        if errors.isWaiting { errors.scalar(token) }
        if let node = nextNode() { record(token.kind, token.range, at: node) }
    }

    mutating func open(_ kind: JSONSpan.Kind, at offset: Int) {
        if errors.isWaiting { errors.open(kind, at: offset) }
        if let node = nextNode() { containers.append(Container(node: node, start: offset, isArray: kind == .array)) }
        depth += 1
    }

    mutating func close(_ kind: JSONSpan.Kind, at offset: Int) {
        depth -= 1
        if depth <= 2 { errors.close(at: offset, depth) }
        guard containers.count > depth, let container = containers.popLast() else { return }
        record(kind, container.start..<offset, at: container.node)
    }

    /// The node of the value that begins, if a path leads to it.
    private mutating func nextNode() -> Int? {
        guard depth == containers.count else { return nil }
        guard let container = containers.last else { return 0 }
        guard container.isArray else {
            guard let node = member, taken.insert(node) else { return nil }
            return node
        }
        containers[containers.count - 1].nextElement += 1
        return tree.child(of: container.node, at: container.nextElement)
    }

    private mutating func record(_ kind: JSONSpan.Kind, _ range: Range<Int>, at node: Int) {
        let span = JSONSpan(kind: kind, range: range)
        if node == 0 { root = span }
        for path in tree.paths(endingAt: node) {
            var place = found.count
            found.append(JSONScan.Finding(path: path, span: span))
            while place > 0, path < found[place - 1].path {
                found.swapAt(place - 1, place)
                place -= 1
            }
        }
    }
}

/// Some of a tree's nodes. The first 128, which is more than most trees have, take no memory of their own.
private struct NodeSet: Sendable {
    private var first: (UInt64, UInt64) = (0, 0)
    private var others: [Bool]

    /// - Parameter count: How many nodes the tree has.
    init(of count: Int) {
        others = count > 128 ? Array(repeating: false, count: count - 128) : []
    }

    /// Gives whether the node is new.
    mutating func insert(_ node: Int) -> Bool {
        let bit = UInt64(1) << UInt64(node & 63)
        switch node {
        case ..<64:
            if first.0 & bit != 0 { return false }
            first.0 |= bit
        case ..<128:
            if first.1 & bit != 0 { return false }
            first.1 |= bit
        default:
            if others[node - 128] { return false }
            others[node - 128] = true
        }
        return true
    }
}
