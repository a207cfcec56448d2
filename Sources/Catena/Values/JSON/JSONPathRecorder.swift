/// Records the positions of the values at the paths of a tree.
///
/// It only examines the keys and elements of containers on a path; everything else only changes a counter.
struct JSONPathRecorder: JSONVisitor {
    /// A container on a path.
    private struct Container {
        let node: Int
        let start: Int
        let isArray: Bool
        var nextElement = 0
    }

    private let tree: JSONPathTree
    private let hasPaths: Bool
    /// The values found, in the order of the paths.
    private(set) var found: [JSONScan.Finding] = []
    private(set) var root = JSONSpan(kind: .null, range: 0..<0)
    /// The members of the document, if the tree lists them and the document is an object.
    private(set) var list = JSONMemberList()

    /// The open containers that lie on a searched path, the outermost first.
    private var containers: [Container] = []
    private var depth = 0
    private var start = 0
    /// The node of the last key.
    private var member: Int?
    /// The nodes that have a value. Of duplicate keys, only the first one is followed.
    private var taken: NodeSet

    init(_ tree: JSONPathTree) {
        self.tree = tree
        hasPaths = tree.nodeCount > 1
        taken = NodeSet(of: tree.nodeCount)
        guard hasPaths else { return }
        // As many values as most documents have.
        found.reserveCapacity(8)
        containers.reserveCapacity(4)
    }

    mutating func key(_ token: JSONToken, in scanner: JSONScanner) {
        if tree.listsMembers { list.key(token, in: scanner) }
        guard hasPaths, depth == containers.count, let container = containers.last else { return }
        member = tree.child(of: container.node, under: token, in: scanner)
    }

    mutating func scalar(_ token: JSONToken, in scanner: JSONScanner) {
        if depth == 0 { root = JSONSpan(kind: token.kind, range: token.range) }
        if tree.listsMembers { list.scalar(token, in: scanner) }
        if hasPaths, let node = nextNode() { record(token.kind, token.range, at: node) }
    }

    mutating func open(_ kind: JSONSpan.Kind, at offset: Int) {
        if depth == 0 { start = offset }
        if tree.listsMembers { list.open(kind, at: offset) }
        if hasPaths, let node = nextNode() { containers.append(Container(node: node, start: offset, isArray: kind == .array)) }
        depth += 1
    }

    mutating func close(_ kind: JSONSpan.Kind, at offset: Int) {
        depth -= 1
        if depth == 0 { root = JSONSpan(kind: kind, range: start..<offset) }
        if tree.listsMembers { list.close(kind, at: offset) }
        guard containers.count > depth, let container = containers.popLast() else { return }
        record(kind, container.start..<offset, at: container.node)
    }

    @inline(__always)
    var ignoresContent: Bool {
        let isRoot = depth == 1
        guard hasPaths, depth == containers.count, let container = containers.last else { return !(isRoot && tree.listsMembers) }
        if isRoot, tree.listsMembers, !container.isArray { return false }
        return !tree.hasChildren(of: container.node, inArray: container.isArray)
    }

    /// Returns the node of the next value, or `nil` if no path leads to it.
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

/// A set of nodes of a tree. The first 128 nodes, more than most trees have, need no allocation.
private struct NodeSet: Sendable {
    private var first: (UInt64, UInt64) = (0, 0)
    private var others: [Bool]

    /// - Parameter count: The number of nodes in the tree.
    init(of count: Int) {
        others = count > 128 ? Array(repeating: false, count: count - 128) : []
    }

    /// Adds a node. Returns whether it is new.
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
