/// Paths, merged by what they begin with, so that one pass can look for all of them.
struct JSONPathTree: Sendable {
    /// What a path has in common with others up to some step. The first node is the document itself.
    private struct Node {
        /// UTF-8, as it is compared with the document's bytes.
        var keys: [(bytes: [UInt8], node: Int)] = []
        var indices: [Int: Int] = [:]
        /// The paths that end here.
        var paths: [Int] = []
    }

    let pathCount: Int
    private var nodes = [Node()]

    init(_ paths: [JSONPath]) {
        pathCount = paths.count
        for (number, path) in paths.enumerated() {
            let node = path.steps.reduce(0) { node, step in child(of: node, step) }
            nodes[node].paths.append(number)
        }
    }

    var nodeCount: Int { nodes.count }

    func paths(endingAt node: Int) -> [Int] {
        nodes[node].paths
    }

    func child(of node: Int, at index: Int) -> Int? {
        nodes[node].indices.isEmpty ? nil : nodes[node].indices[index]
    }

    func child(of node: Int, under key: JSONToken, in scanner: JSONScanner) -> Int? {
        let keys = nodes[node].keys
        if key.isPlain {
            let text = key.range.dropFirst().dropLast()
            return keys.first { scanner.holds($0.bytes, in: text) }?.node
        }
        let bytes = scanner.unescaped(key)
        return keys.first { $0.bytes == bytes }?.node
    }

    /// The node one step further, made if there is none yet.
    private mutating func child(of node: Int, _ step: JSONPath.Step) -> Int {
        let new = nodes.count
        switch step {
        case .key(let key):
            let bytes = Array(key.utf8)
            if let known = nodes[node].keys.first(where: { $0.bytes == bytes }) { return known.node }
            nodes[node].keys.append((bytes, new))
        case .index(let index):
            if let known = nodes[node].indices[index] { return known }
            nodes[node].indices[index] = new
        }
        nodes.append(Node())
        return new
    }
}
