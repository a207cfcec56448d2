/// Members of the first two levels whose names begin with `error`, in whatever case: noted in passing, so that what passes for a success can
/// be told from what only looks like one.
struct JSONErrorMembers: Sendable {
    struct Member: Sendable {
        /// The member of the document in which this one is; `nil` if it is one of the document's own. With quotes, as they stand there.
        let parent: Range<Int>?
        let name: Range<Int>
        fileprivate let depth: Int
        fileprivate let start: Int
        var span: JSONSpan
    }

    /// More of them say no more.
    private static let limit = 4

    private(set) var members: [Member] = []
    private var parent: Range<Int>?
    private var awaited: (name: Range<Int>, parent: Range<Int>?, depth: Int)?
    /// How many members are arrays or objects that have not ended yet.
    private var openCount = 0

    var isWaiting: Bool { awaited != nil }

    /// - Parameter depth: 1 for a member of the document, 2 for one of its members' members.
    mutating func key(_ token: JSONToken, at depth: Int, in scanner: JSONScanner) {
        if depth == 1 { parent = token.range }
        // Every byte of "error" with the bit set that makes ASCII letters small.
        guard scanner.byte(at: token.range.lowerBound + 1) | 0x20 == UInt8(ascii: "e"), members.count < Self.limit,
            let word = scanner.word(at: token.range.lowerBound + 1), (word | 0x2020_2020_20) & 0xFF_FFFF_FFFF == 0x726F_7272_65
        else { return }
        awaited = (token.range, depth == 1 ? nil : parent, depth)
    }

    mutating func scalar(_ token: JSONToken) {
        guard let awaited else { return }
        self.awaited = nil
        add(awaited, JSONSpan(kind: token.kind, range: token.range))
    }

    mutating func open(_ kind: JSONSpan.Kind, at offset: Int) {
        guard let awaited else { return }
        self.awaited = nil
        openCount += 1
        add(awaited, JSONSpan(kind: kind, range: offset..<offset))
    }

    /// - Parameter depth: That of the array or object that has ended.
    mutating func close(at offset: Int, _ depth: Int) {
        guard openCount > 0,
            let place = members.lastIndex(where: { $0.span.range.isEmpty && $0.depth == depth })
        else { return }
        openCount -= 1
        members[place].span = JSONSpan(kind: members[place].span.kind, range: members[place].start..<offset)
    }

    private mutating func add(_ awaited: (name: Range<Int>, parent: Range<Int>?, depth: Int), _ span: JSONSpan) {
        members.append(
            Member(parent: awaited.parent, name: awaited.name, depth: awaited.depth, start: span.range.lowerBound, span: span))
    }
}
