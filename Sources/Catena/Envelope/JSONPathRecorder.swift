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
    private(set) var spans: [JSONSpan?]
    private(set) var root = JSONSpan(kind: .null, range: 0..<0)

    /// The innermost containers are missing as soon as no path leads on.
    private var containers: [Container] = []
    private var depth = 0
    /// The node of the member whose key was read last.
    private var member: Int?
    /// Each node has one value at most, so that of a key that comes twice only the first is followed.
    private var isTaken: [Bool]

    init(_ tree: JSONPathTree) {
        self.tree = tree
        spans = Array(repeating: nil, count: tree.pathCount)
        isTaken = Array(repeating: false, count: tree.nodeCount)
    }

    mutating func key(_ token: JSONToken, in scanner: JSONScanner) {
        guard depth == containers.count, let container = containers.last else { return }
        member = tree.child(of: container.node, under: token, in: scanner)
    }

    mutating func scalar(_ token: JSONToken, in scanner: JSONScanner) {
        if let node = nextNode() { record(token.kind, token.range, at: node) }
    }

    mutating func open(_ kind: JSONSpan.Kind, at offset: Int) {
        if let node = nextNode() { containers.append(Container(node: node, start: offset, isArray: kind == .array)) }
        depth += 1
    }

    mutating func close(_ kind: JSONSpan.Kind, at offset: Int) {
        depth -= 1
        guard containers.count > depth, let container = containers.popLast() else { return }
        record(kind, container.start..<offset, at: container.node)
    }

    /// The node of the value that begins, if a path leads to it.
    private mutating func nextNode() -> Int? {
        guard depth == containers.count else { return nil }
        guard let container = containers.last else { return 0 }
        guard container.isArray else {
            guard let node = member, !isTaken[node] else { return nil }
            isTaken[node] = true
            return node
        }
        containers[containers.count - 1].nextElement += 1
        return tree.child(of: container.node, at: container.nextElement)
    }

    private mutating func record(_ kind: JSONSpan.Kind, _ range: Range<Int>, at node: Int) {
        let span = JSONSpan(kind: kind, range: range)
        if node == 0 { root = span }
        for path in tree.paths(endingAt: node) { spans[path] = span }
    }
}
